/** What a customer may let a third party read: the codes of the UK standard 3.1.11 that this bank serves. */
export const PERMISSIONS = [
  'ReadAccountsBasic',
  'ReadAccountsDetail',
  'ReadBalances',
  'ReadBeneficiariesBasic',
  'ReadBeneficiariesDetail',
  'ReadDirectDebits',
  'ReadParty',
  'ReadPartyPSU',
  'ReadStandingOrdersBasic',
  'ReadStandingOrdersDetail',
  'ReadStatementsBasic',
  'ReadStatementsDetail',
  'ReadTransactionsBasic',
  'ReadTransactionsDetail',
  'ReadTransactionsCredits',
  'ReadTransactionsDebits',
] as const;

export type Permission = (typeof PERMISSIONS)[number];

/**
 * Why these permissions may not be asked for together (UK Open Banking 3.1.11, Account and Transaction API, "Permissions").
 * Undefined: they may.
 */
export function refusalOf(permissions: readonly string[]): string | undefined {
  const hasAny = (...names: Permission[]) => names.some((name) => permissions.includes(name));
  if (permissions.some((name) => !(PERMISSIONS as readonly string[]).includes(name)))
    return `may name ${PERMISSIONS.join(', ')} only`;
  if (!hasAny('ReadAccountsBasic', 'ReadAccountsDetail')) return 'must have ReadAccountsBasic or ReadAccountsDetail';
  const depth = hasAny('ReadTransactionsBasic', 'ReadTransactionsDetail');
  const side = hasAny('ReadTransactionsCredits', 'ReadTransactionsDebits');
  if (depth && !side)
    return 'must have ReadTransactionsCredits or ReadTransactionsDebits beside ReadTransactionsBasic or ReadTransactionsDetail';
  if (side && !depth)
    return 'must have ReadTransactionsBasic or ReadTransactionsDetail beside ReadTransactionsCredits or ReadTransactionsDebits';
  return undefined;
}
