import { electronicFormatIBAN, isValidIBAN } from 'ibantools';
import type { Knex } from 'knex';
import { LAST_YEAR } from '../../money/p2p/occurrences';
import { refuseByStandard } from '../obie-error';
import { INITIATION_PATH, moneyOf, type NamedAccount, type PaymentRecord } from './initiation';

/** Before the standard had name spaces, `IBAN` was enough. It is still to be read. */
const IBAN_SCHEMES = ['UK.OBIE.IBAN', 'IBAN'];

interface Wallet {
  owner: string;
  currency: string;
}

/**
 * Refuses what could never be paid when it is asked for, not after its customer has signed in for it. `trx`: of the tenant.
 * Throws `ObieError`: both accounts must be wallets of this bank in the currency of the payment.
 */
export async function refuseUnpayable(trx: Knex.Transaction, { Data }: PaymentRecord, now = new Date()): Promise<void> {
  const { Initiation: initiation, Authorisation: authorisation } = Data;
  const { currency } = moneyOf(initiation);
  if (initiation.LocalInstrument !== undefined)
    refuseByStandard(
      'UK.OBIE.Unsupported.LocalInstrument',
      'Payments are made by transfers between accounts of this bank only',
      `${INITIATION_PATH}.LocalInstrument`,
    );
  const completion = authorisation?.CompletionDateTime;
  if (completion !== undefined && new Date(completion) <= now)
    refuseByStandard(
      'UK.OBIE.Field.InvalidDate',
      'The time to authorise it must be in the future',
      'Data.Authorisation.CompletionDateTime',
    );
  const due = initiation.RequestedExecutionDateTime;
  if (due !== undefined) requireFuture(due, now);
  const { CreditorAccount: creditor, DebtorAccount: debtor } = initiation;
  await requireWallet(trx, creditor, currency, `${INITIATION_PATH}.CreditorAccount`);
  if (!debtor) return;
  await requireWallet(trx, debtor, currency, `${INITIATION_PATH}.DebtorAccount`);
  if (debtor.Identification === creditor.Identification)
    refuseByStandard('UK.OBIE.Field.Invalid', 'An account cannot pay itself', `${INITIATION_PATH}.CreditorAccount`);
}

/** Throws `ObieError` for a time that has passed, or that is too far away to be scheduled. */
export function requireFuture(due: string, now = new Date()): void {
  const at = new Date(due);
  if (at <= now || at.getUTCFullYear() >= LAST_YEAR)
    refuseByStandard(
      'UK.OBIE.Field.InvalidDate',
      `It must be made in the future, and before ${LAST_YEAR}`,
      `${INITIATION_PATH}.RequestedExecutionDateTime`,
    );
}

async function requireWallet(
  trx: Knex.Transaction,
  { SchemeName, Identification, SecondaryIdentification }: NamedAccount,
  currency: string,
  path: string,
): Promise<void> {
  if (!IBAN_SCHEMES.includes(SchemeName))
    refuseByStandard('UK.OBIE.Unsupported.Scheme', 'Accounts are named by UK.OBIE.IBAN', `${path}.SchemeName`);
  // In another spelling it would not be the same payee everywhere: on the page, in the confirmation, at execution.
  if (!isValidIBAN(Identification) || electronicFormatIBAN(Identification) !== Identification)
    refuseByStandard(
      'UK.OBIE.Field.Invalid',
      'This must be an IBAN in capital letters without spaces',
      `${path}.Identification`,
    );
  if (SecondaryIdentification !== undefined)
    refuseByStandard(
      'UK.OBIE.Unsupported.AccountSecondaryIdentifier',
      'Accounts have no secondary identification here',
      `${path}.SecondaryIdentification`,
    );
  const wallet = await walletAt(trx, Identification);
  if (!wallet)
    refuseByStandard(
      'UK.OBIE.Unsupported.AccountIdentifier',
      'This is no account of this bank, and only those can be paid and pay',
      `${path}.Identification`,
    );
  if (wallet.currency !== currency)
    refuseByStandard(
      'UK.OBIE.Unsupported.Currency',
      'The account is kept in another currency',
      `${INITIATION_PATH}.InstructedAmount.Currency`,
    );
}

/** The wallet with this IBAN, of a customer who was not erased. */
function walletAt(trx: Knex.Transaction, iban: string): Promise<Wallet | undefined> {
  return trx('ledger_accounts as a')
    .join('customers as c', 'c.id', 'a.owner')
    .where({ 'a.kind': 'customer_wallet', 'a.iban': iban })
    .whereNull('c.deleted_at')
    .first('a.owner', 'a.currency');
}
