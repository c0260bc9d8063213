import type { Knex } from 'knex';

export const ACCOUNT_STATUSES = ['unverified', 'verified', 'blocked'] as const;
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number];

/** One row of `payout_accounts`: where an organization's payouts go from a time on. Its account number is sealed. */
export interface AccountRow {
  id: string;
  tenant_id: string;
  organization_id: string;
  iban_sealed: Buffer;
  iban_country: string;
  iban_last4: string;
  holder: string;
  bic: string | null;
  status: AccountStatus;
  effective_from: Date;
  verified_at: Date | null;
  told_at: Date | null;
  created_by: string;
  created_at: Date;
}

/** The account that a payout goes to now: of those verified and in effect, the latest. */
export function accountInEffect(
  trx: Knex.Transaction,
  organizationId: string,
  now: Date,
): Promise<AccountRow | undefined> {
  return newestFirst(trx, organizationId).where({ status: 'verified' }).where('effective_from', '<=', now).first();
}

/** All that the organization ever named, newest first. */
export function newestFirst(trx: Knex.Transaction, organizationId: string): Knex.QueryBuilder<object, AccountRow[]> {
  return trx('payout_accounts')
    .where({ organization_id: organizationId })
    .orderBy([
      { column: 'effective_from', order: 'desc' },
      { column: 'id', order: 'desc' },
    ]) as unknown as Knex.QueryBuilder<object, AccountRow[]>;
}

/** Country and last four characters. */
export function maskedIban({ iban_country, iban_last4 }: Pick<AccountRow, 'iban_country' | 'iban_last4'>): string {
  return `${iban_country}**${iban_last4}`;
}
