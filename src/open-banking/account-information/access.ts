import { DomainError, notFound } from '../../domain/errors';

/** An account that the customer shares: a wallet of the ledger. */
export interface SharedAccount {
  /** The id of the ledger account. */
  account_id: bigint;
  iban: string;
  currency: string;
}

/** What one call may see: a consent as it stands at the time of the call. */
export interface Access {
  consentId: string;
  tenantId: string;
  tppId: string;
  customerId: string;
  /** Codes of the standard, such as `ReadBalances`. */
  permissions: readonly string[];
  accounts: readonly SharedAccount[];
  /** Only what was booked in this time may be seen. Null: no bound. Both belong to it. */
  sharingFrom: Date | null;
  sharingTo: Date | null;
  /** The customer asked for it just now. Without the customer, a third party may read only so often. */
  customerPresent: boolean;
  interactionId: string;
}

/** What the standard calls a resource. Each has a permission, and a number of unattended readings, of its own. */
export type Resource =
  | 'accounts'
  | 'balances'
  | 'beneficiaries'
  | 'direct-debits'
  | 'party'
  | 'standing-orders'
  | 'transactions';

/** How much of a resource may be seen. `detail` is everything. */
export type Depth = 'basic' | 'detail';

/** Permissions that open a resource, by how much they show (UK Open Banking 3.1.11, "Permissions"). */
const OPENED_BY: Record<Resource, Partial<Record<string, Depth>>> = {
  accounts: { ReadAccountsBasic: 'basic', ReadAccountsDetail: 'detail' },
  balances: { ReadBalances: 'detail' },
  beneficiaries: { ReadBeneficiariesBasic: 'basic', ReadBeneficiariesDetail: 'detail' },
  'direct-debits': { ReadDirectDebits: 'detail' },
  party: { ReadParty: 'detail' },
  'standing-orders': { ReadStandingOrdersBasic: 'basic', ReadStandingOrdersDetail: 'detail' },
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

/**
 * The account that is asked for. Throws `forbidden` for an account that the consent does not share, `not_found` for an id
 * that no account has. `exists`: tells whether the tenant has this account.
 */
export async function accountOf(
  { accounts }: Access,
  accountId: string,
  exists: (accountId: string) => Promise<boolean>,
): Promise<SharedAccount> {
  const shared = accounts.find(({ account_id }) => String(account_id) === accountId);
  if (shared) return shared;
  if (ACCOUNT_ID.test(accountId) && (await exists(accountId)))
    throw new DomainError('forbidden', 'The consent does not share this account');
  throw notFound('account');
}

/** An id of a ledger account, as large as a bigint of Postgres at most. */
const ACCOUNT_ID = /^[1-9][0-9]{0,17}$/;
