import type { Knex } from 'knex';
import { DomainError, notFound } from '../../domain/errors';
import type { ConsentStatus } from '../../domain/states/consent';
import type { ConsentAccount } from '../consents/consent';

/** An account that the customer shares: a wallet of the ledger. */
export type SharedAccount = Pick<ConsentAccount, 'account_id' | 'iban' | 'currency'>;

/** What one call may see: a consent as it stands at the time of the call. */
export interface Access {
  consentId: string;
  tenantId: string;
  customerId: string;
  /** Codes of the standard, such as `ReadBalances`. */
  permissions: readonly string[];
  accounts: readonly SharedAccount[];
  /** Only what was booked in this time may be seen. Null: no bound. Both belong to it. */
  sharingFrom: Date | null;
  sharingTo: Date | null;
  /** The customer asked for it just now. Without the customer, a third party may read only so often. */
  customerPresent: boolean;
}

/** What the standard calls a resource. Each has a permission, and a number of unattended readings, of its own. */
export type Resource =
  | 'accounts'
  | 'balances'
  | 'beneficiaries'
  | 'direct-debits'
  | 'parties'
  | 'party'
  | 'standing-orders'
  | 'statements'
  | 'transactions';

/** How much of a resource may be seen. `detail` is everything. */
export type Depth = 'basic' | 'detail';

/** Permissions that open a resource, by how much they show (UK Open Banking 3.1.11, "Permissions"). */
const OPENED_BY: Record<Resource, Partial<Record<string, Depth>>> = {
  accounts: { ReadAccountsBasic: 'basic', ReadAccountsDetail: 'detail' },
  balances: { ReadBalances: 'detail' },
  beneficiaries: { ReadBeneficiariesBasic: 'basic', ReadBeneficiariesDetail: 'detail' },
  'direct-debits': { ReadDirectDebits: 'detail' },
  // Those of an account, and the customer who has authorised the consent.
  parties: { ReadParty: 'detail' },
  party: { ReadPartyPSU: 'detail' },
  'standing-orders': { ReadStandingOrdersBasic: 'basic', ReadStandingOrdersDetail: 'detail' },
  statements: { ReadStatementsBasic: 'basic', ReadStatementsDetail: 'detail' },
  transactions: { ReadTransactionsBasic: 'basic', ReadTransactionsDetail: 'detail' },
};

/** How much of a resource the consent shows. Throws `forbidden` where it shows nothing of it. */
export function depthOf({ permissions }: Access, resource: Resource): Depth {
  const depths = permissions.map((permission) => OPENED_BY[resource][permission]);
  if (depths.includes('detail')) return 'detail';
  if (depths.includes('basic')) return 'basic';
  throw new DomainError('forbidden', `The consent does not permit to read ${resource}`);
}

/**
 * Which entries the consent shows; undefined: both sides. Throws `forbidden` where it shows neither.
 */
export function directionOf({ permissions }: Access): 'credit' | 'debit' | undefined {
  const credits = permissions.includes('ReadTransactionsCredits');
  const debits = permissions.includes('ReadTransactionsDebits');
  if (credits && debits) return undefined;
  if (credits) return 'credit';
  if (debits) return 'debit';
  throw new DomainError('forbidden', 'The consent permits to read neither credits nor debits');
}

/** An id of a ledger account: a bigint of Postgres. */
const ACCOUNT_ID = /^[1-9][0-9]{0,17}$/;

/**
 * The account that is asked for. Throws `forbidden` for an account that the consent does not share, `not_found` for an id
 * that no account of the tenant has.
 */
export async function accountOf(
  trx: Knex.Transaction,
  { accounts }: Access,
  accountId: string,
): Promise<SharedAccount> {
  const shared = accounts.find(({ account_id }) => String(account_id) === accountId);
  if (shared) return shared;
  const isAccount =
    ACCOUNT_ID.test(accountId) &&
    (await trx('ledger_accounts').where({ id: accountId, kind: 'customer_wallet' }).first('id'));
  if (isAccount) throw new DomainError('forbidden', 'The consent does not share this account');
  throw notFound('account');
}

/**
 * Throws `consent_not_usable` once the consent has ended. Call it when all is read: a consent that was revoked in the meantime then
 * shows nothing more, although the call began before.
 */
export async function requireStillAuthorised(trx: Knex.Transaction, { consentId }: Access): Promise<void> {
  const consent = await trx('consents').where({ id: consentId }).first('status');
  if (consent?.status !== ('Authorised' satisfies ConsentStatus))
    throw new DomainError('consent_not_usable', 'The consent has ended');
}
