import type { Knex } from 'knex';
import { isBlocked } from '../../domain/states/customer';
import type { CustomerRow, ProfileSeal } from '../../people/customers/customer';
import { holderName } from '../account-holder';
import type { Access, Depth, SharedAccount } from './access';
import type { CashAccount } from './present';

/** An account as the standard shows it (OBAccount6). */
export interface AccountInformation {
  AccountId: string;
  Status: 'Enabled' | 'Disabled' | 'Deleted';
  Currency: string;
  AccountType: 'Personal' | 'Business';
  AccountSubType: 'Wallet';
  Description: string;
  OpeningDate: string;
  Account?: CashAccount[];
}

/** The accounts themselves, in the order in which they are shared. Only `detail` tells their numbers and their owner's name. */
export async function readAccounts(
  trx: Knex.Transaction,
  profiles: ProfileSeal,
  { customerId }: Access,
  accounts: readonly SharedAccount[],
  depth: Depth,
): Promise<AccountInformation[]> {
  const customer: CustomerRow = await trx('customers').where({ id: customerId }).first();
  const opened: { id: bigint; created_at: Date }[] = await trx('ledger_accounts')
    .whereIn(
      'id',
      accounts.map(({ account_id }) => String(account_id)),
    )
    .select('id', 'created_at');
  const openedAt = new Map(opened.map(({ id, created_at }) => [String(id), created_at]));
  const name = depth === 'detail' ? holderName(profiles, customer) : undefined;
  return accounts.map(({ account_id, iban, currency }) => ({
    AccountId: String(account_id),
    Status: statusOf(customer),
    Currency: currency,
    AccountType: customer.customer_type === 'Person' ? 'Personal' : 'Business',
    AccountSubType: 'Wallet',
    Description: `Wallet in ${currency}`,
    OpeningDate: openedAt.get(String(account_id))!.toISOString(),
    ...(depth === 'detail' && {
      Account: [{ SchemeName: 'UK.OBIE.IBAN', Identification: iban, ...(name !== undefined && { Name: name }) }],
    }),
  }));
}

function statusOf({ deleted_at, status }: CustomerRow): AccountInformation['Status'] {
  if (deleted_at) return 'Deleted';
  return isBlocked(status) ? 'Disabled' : 'Enabled';
}
