import type { Knex } from 'knex';
import type { Keys } from '../../foundation/config/key-source';
import type { Database } from '../../foundation/db/database';
import type { Vault } from '../../foundation/vault/vault';
import { BeneficiaryKeys } from '../../money/beneficiaries/beneficiary';
import { ProfileSeal } from '../../people/customers/customer';
import {
  type Access,
  accountOf,
  type Depth,
  depthOf,
  directionOf,
  type Resource,
  requireStillAuthorised,
  type SharedAccount,
} from './access';
import { type AccountInformation, readAccounts } from './accounts';
import { type BalanceInformation, readBalances } from './balances';
import { type BeneficiaryInformation, readBeneficiaries } from './beneficiaries';
import { Cursors } from './cursors';
import { type DirectDebitInformation, readDirectDebits } from './direct-debits';
import { type PartyInformation, readParty } from './party';
import { ALL_ACCOUNTS, countReading } from './refreshes';
import { readStandingOrders, type StandingOrderInformation } from './standing-orders';
import { monthNamed, monthsOf, readStatement, type StatementInformation } from './statements';
import {
  type Booked,
  beginReading,
  placeFrom,
  readTransactions,
  type TransactionInformation,
  wordsOf,
} from './transactions';

/** How many items the standard wants a page to hold. */
export const MIN_PAGE = 25;
export const MAX_PAGE = 1_000;

/** A page of a list. Cursors: absent where there is no such page. */
export interface Listed<Item> {
  items: Item[];
  first?: string;
  prev?: string;
  next?: string;
}

/** Which page: `limit` items, and where it begins. Without a cursor a new reading begins. */
export interface PageAsked {
  limit: number;
  cursor?: string;
}

/** What a call may read: an account, and how much of the resource. */
interface Found {
  account: SharedAccount;
  depth: Depth;
  at: Date;
}

/** Reads up to `limit + 1` items. `after`: the id of the last item of the page before. */
type PageRead<Item> = (trx: Knex.Transaction, found: Found, part: { limit: number; after?: string }) => Promise<Item[]>;

interface Parts {
  database: Database;
  profiles: ProfileSeal;
  beneficiaryKeys: BeneficiaryKeys;
  vault: Pick<Vault, 'openIban'>;
  cursors: Cursors;
}

/**
 * Account information of the UK Open Banking standard 3.1.11, read from the ledger under a consent. Every method throws
 * `forbidden` for what the consent does not show, `not_found` for an account that there is not, `rate_limited` for one
 * reading too many without the customer, and `consent_not_usable` when the consent has ended in the meantime. The entrance
 * writes down who read what.
 */
export class AccountInformationService {
  constructor(private readonly parts: Parts) {}

  /** All accounts that are shared. */
  accounts(access: Access): Promise<AccountInformation[]> {
    return this.tenant(access, async (trx) => {
      const depth = depthOf(access, 'accounts');
      await countReading(trx, access, 'accounts', ALL_ACCOUNTS, new Date());
      return readAccounts(trx, this.parts.profiles, access, access.accounts, depth);
    });
  }

  account(access: Access, accountId: string): Promise<AccountInformation> {
    return this.reading(access, 'accounts', accountId, async (trx, { account, depth }) => {
      const [shown] = await readAccounts(trx, this.parts.profiles, access, [account], depth);
      return shown!;
    });
  }

  /** The customer who has authorised the consent. */
  party(access: Access): Promise<PartyInformation> {
    return this.tenant(access, async (trx) => {
      depthOf(access, 'party');
      await countReading(trx, access, 'party', ALL_ACCOUNTS, new Date());
      return readParty(trx, this.parts.profiles, access);
    });
  }

  /** The owner of an account. It has no other party. */
  accountParty(access: Access, accountId: string): Promise<PartyInformation> {
    return this.reading(access, 'parties', accountId, async (trx) => ({
      ...(await readParty(trx, this.parts.profiles, access)),
      AccountRole: 'UK.OBIE.Principal' as const,
    }));
  }

  balances(access: Access, accountId: string): Promise<BalanceInformation[]> {
    return this.reading(access, 'balances', accountId, (trx, { account, at }) =>
      readBalances(trx, access, account, at),
    );
  }

  beneficiaries(access: Access, accountId: string, page: PageAsked): Promise<Listed<BeneficiaryInformation>> {
    const { beneficiaryKeys } = this.parts;
    return this.list(access, 'beneficiaries', accountId, page, 'BeneficiaryId', (trx, { account, depth }, part) =>
      readBeneficiaries(trx, beneficiaryKeys, access, account, { depth, ...part }),
    );
  }

  directDebits(access: Access, accountId: string, page: PageAsked): Promise<Listed<DirectDebitInformation>> {
    return this.list(access, 'direct-debits', accountId, page, 'DirectDebitId', (trx, { account }, part) =>
      readDirectDebits(trx, this.parts.vault, account, part),
    );
  }

  standingOrders(access: Access, accountId: string, page: PageAsked): Promise<Listed<StandingOrderInformation>> {
    const { beneficiaryKeys } = this.parts;
    return this.list(
      access,
      'standing-orders',
      accountId,
      page,
      'StandingOrderId',
      (trx, { account, depth, at }, part) =>
        readStandingOrders(trx, beneficiaryKeys, access, account, { depth, at, ...part }),
    );
  }

  /** By month, newest first. `from`: those that begin then or later; `to`: those that end then or earlier. */
  statements(
    access: Access,
    accountId: string,
    { from, to, ...page }: PageAsked & Booked,
  ): Promise<Listed<StatementInformation>> {
    const filters = [from, to].map((bound) => String(bound?.getTime()));
    return this.list(
      access,
      'statements',
      accountId,
      { ...page, filters },
      'StatementId',
      async (trx, { account, depth, at }, { limit, after = '9999' }) => {
        const months = await monthsOf(trx, access, account, { from, to }, at);
        const read: StatementInformation[] = [];
        for (const month of months.filter(({ id }) => id < after).slice(0, limit + 1))
          read.push(await readStatement(trx, access, account, month, depth));
        return read;
      },
    );
  }

  statement(access: Access, accountId: string, statementId: string): Promise<StatementInformation> {
    return this.reading(access, 'statements', accountId, async (trx, { account, depth, at }) =>
      readStatement(trx, access, account, await monthNamed(trx, access, account, statementId, at), depth),
    );
  }

  /** The entries of a statement's month: as `transactions`, and counted with them. */
  async statementTransactions(
    access: Access,
    accountId: string,
    statementId: string,
    page: PageAsked,
  ): Promise<Listed<TransactionInformation>> {
    depthOf(access, 'statements');
    const { start, end, isRunning } = await this.tenant(access, async (trx) =>
      monthNamed(trx, access, await accountOf(trx, access, accountId), statementId, new Date()),
    );
    const to = isRunning ? undefined : new Date(end.getTime() - 1);
    return this.transactions(access, accountId, { ...page, from: start, to });
  }

  /** Newest first. Entries that are booked after the first page was read are in none of the reading's pages. */
  async transactions(
    access: Access,
    accountId: string,
    { limit, cursor, ...booked }: PageAsked & Booked,
  ): Promise<Listed<TransactionInformation>> {
    const { cursors } = this.parts;
    const resource: Resource = 'transactions';
    directionOf(access);
    const scope = [
      ...scopeOf(access, resource, accountId),
      String(booked.from?.getTime()),
      String(booked.to?.getTime()),
    ];
    const at = new Date();
    const before = cursor === undefined ? undefined : cursors.decode(cursor, scope, at);
    const begun = before
      ? { startedAt: before.startedAt, place: placeFrom(before.place) }
      : {
          startedAt: at,
          place: await this.reading(access, resource, accountId, (trx, { account }) =>
            beginReading(trx, access, account),
          ),
        };
    const depth = depthOf(access, resource);
    return this.tenant(access, async (trx) => {
      const account = await accountOf(trx, access, accountId);
      const page = await readTransactions(trx, access, account, { depth, booked, place: begun.place, limit });
      const to = (place: typeof page.next) =>
        place && cursors.encode({ startedAt: begun.startedAt, place: wordsOf(place) }, scope);
      return { items: page.transactions, first: to(page.first), prev: to(page.prev), next: to(page.next) };
    });
  }

  /** Counts one reading of a resource of an account, and reads it. */
  private reading<Result>(
    access: Access,
    resource: Resource,
    accountId: string,
    read: (trx: Knex.Transaction, found: Found) => Promise<Result>,
    isCounted = true,
  ): Promise<Result> {
    return this.tenant(access, async (trx) => {
      const depth = depthOf(access, resource);
      const account = await accountOf(trx, access, accountId);
      const at = new Date();
      if (isCounted) await countReading(trx, access, resource, accountId, at);
      return read(trx, { account, depth, at });
    });
  }

  /** A page of a list in the order of ids. `read` answers up to `limit + 1`. */
  private async list<Key extends string, Item extends Record<Key, string>>(
    access: Access,
    resource: Resource,
    accountId: string,
    { limit, cursor, filters = [] }: PageAsked & { filters?: string[] },
    key: Key,
    read: PageRead<Item>,
  ): Promise<Listed<Item>> {
    const { cursors } = this.parts;
    const scope = [...scopeOf(access, resource, accountId), ...filters];
    const now = new Date();
    const before = cursor === undefined ? undefined : cursors.decode(cursor, scope, now);
    const found = await this.reading(
      access,
      resource,
      accountId,
      (trx, about) => read(trx, about, { limit, after: before?.place[0] }),
      !before,
    );
    const items = found.slice(0, limit);
    const last = items.at(-1);
    if (found.length <= limit || !last) return { items };
    return { items, next: cursors.encode({ startedAt: before?.startedAt ?? now, place: [last[key]] }, scope) };
  }

  private tenant<Result>(access: Access, work: (trx: Knex.Transaction) => Promise<Result>): Promise<Result> {
    return this.parts.database.tenant(access.tenantId, async (trx) => {
      const result = await work(trx);
      await requireStillAuthorised(trx, access);
      return result;
    });
  }
}

/** What the cursors of a list are good for. */
function scopeOf({ consentId }: Access, resource: Resource, accountId: string): string[] {
  return [consentId, resource, accountId];
}

/** The service of a process. `keys`: VAULT_KEYS and VAULT_HMAC_KEY. */
export function openAccountInformation(
  { database, vault }: Pick<Parts, 'database' | 'vault'>,
  keys: { vaultKeys: Keys; hmacKey: string },
): AccountInformationService {
  return new AccountInformationService({
    database,
    vault,
    profiles: new ProfileSeal(keys.vaultKeys),
    beneficiaryKeys: new BeneficiaryKeys(keys),
    cursors: new Cursors(keys.hmacKey),
  });
}
