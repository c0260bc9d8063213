import type { Knex } from 'knex';
import type { Database } from '../../foundation/db/database';
import { type CauseSubject, isCauseOfInSql } from './causes';

/** What an entry of a wallet is part of. */
export const ENTRY_TYPES = ['topup', 'refund', 'chargeback', 'transfer', 'fee', 'other'] as const;
export type EntryType = (typeof ENTRY_TYPES)[number];

/** A place in the order of entries: entries of one account get time and id under its lock, so neither goes back. */
export interface Position {
  at: Date;
  id: bigint;
}

export interface StatementEntry extends Position {
  type: EntryType;
  /** The top-up, refund or transfer it belongs to. */
  reference: string;
  /** Positive: the wallet got it. */
  signedMinor: bigint;
}

/** Which part of a wallet's entries is asked for: booked at `from` or later and before `to`. */
export interface Window {
  customerId: string;
  currency: string;
  from?: Date;
  to?: Date;
  type?: EntryType;
  direction?: 'credit' | 'debit';
  /** The page goes on after this entry. */
  after?: Position;
  /** Absent: all there are. */
  limit?: number;
}

/** Entries read at a time: what a statement of any length keeps in memory. */
const BATCH = 1_000;
const ACCOUNT_KINDS = ['customer_wallet', 'customer_incoming'];

/**
 * The statement of one wallet: what is available and what is still to be settled together, so that it begins and ends
 * with what balances call `available` plus `held`. What is booked after it was opened is not in it.
 */
export class Statement {
  private constructor(
    private readonly read: <T>(work: (trx: Knex.Transaction) => Promise<T>) => Promise<T>,
    private readonly accounts: string[],
    private readonly window: Window,
    /** Balance where the window, or its page, begins. */
    readonly openingMinor: bigint,
    /** Balance where the window ends. */
    readonly closingMinor: bigint,
    /** The last entry there was when it was opened. */
    private readonly lastId: bigint,
  ) {}

  /** Waits for bookings on the wallet that are under way, so that none of them can appear among what was read. */
  static async open(database: Database, tenantId: string, window: Window): Promise<Statement> {
    const read = <T>(work: (trx: Knex.Transaction) => Promise<T>) => database.tenant(tenantId, work);
    return read(async (trx) => {
      const ids: bigint[] = await trx('ledger_accounts')
        .where({ owner: window.customerId, currency: window.currency })
        .whereIn('kind', ACCOUNT_KINDS)
        .pluck('id');
      const accounts = ids.map(String);
      await trx.raw('SELECT ledger_lock_accounts(?::bigint[])', [accounts]);
      const { lastId } = await balanceAt(trx, accounts);
      const begin = beginningOf(window);
      const opening = begin ? (await balanceAt(trx, accounts, begin)).balance : 0n;
      const { balance: closing } = await balanceAt(trx, accounts, window.to && { at: window.to, id: 0n });
      return new Statement(read, accounts, window, opening, closing, lastId);
    });
  }

  /** The balance right after an entry. */
  async balanceAfter({ at, id }: Position): Promise<bigint> {
    return (await this.read((trx) => balanceAt(trx, this.accounts, { at, id: id + 1n }))).balance;
  }

  /** The entries asked for, oldest first, read batch by batch: memory and locks stay the same however many there are. */
  async *entries(): AsyncGenerator<StatementEntry> {
    let position = beginningOf(this.window);
    let left = this.window.limit ?? Number.POSITIVE_INFINITY;
    while (left > 0) {
      const size = Math.min(BATCH, left);
      const batch = await this.read((trx) =>
        entriesFrom(trx, this.accounts, { ...this.window, position, lastId: this.lastId, limit: size }),
      );
      yield* batch;
      const last = batch.at(-1);
      if (!last || batch.length < size) return;
      position = { at: last.at, id: last.id + 1n };
      left -= batch.length;
    }
  }
}

/** The first position that belongs to the window, or to its page; undefined: the very first. */
function beginningOf({ from, after }: Window): Position | undefined {
  if (after) return { at: after.at, id: after.id + 1n };
  return from && { at: from, id: 0n };
}

/**
 * Sum of what the last entry before a position left in each account; without a position, of the very last one. Each
 * account is named by itself: the planner then knows the long ones, and reads them in the order of their index.
 */
async function balanceAt(
  trx: Knex.Transaction,
  accounts: string[],
  position?: Position,
): Promise<{ balance: bigint; lastId: bigint }> {
  const before = position ? 'AND (t.booked_at, t.id) < (?::timestamptz, ?::bigint)' : '';
  const lastOf = (side: 'debit' | 'credit') => `
    (SELECT t.${side}_balance_minor AS balance, t.booked_at, t.id FROM ledger_transfers t
      WHERE t.${side}_account_id = ? AND t.${side}_guarded AND t.phase IN ('posted', 'post') ${before}
      ORDER BY t.booked_at DESC, t.id DESC LIMIT 1)`;
  const latest = `(SELECT balance, id FROM (${lastOf('debit')} UNION ALL ${lastOf('credit')}) sides
    ORDER BY booked_at DESC, id DESC LIMIT 1)`;
  if (accounts.length === 0) return { balance: 0n, lastId: 0n };
  const bound = position ? [position.at, String(position.id)] : [];
  const { rows } = await trx.raw(
    `SELECT coalesce(sum(balance), 0)::bigint AS balance, coalesce(max(id), 0)::bigint AS "lastId"
      FROM (${accounts.map(() => latest).join(' UNION ALL ')}) latest`,
    accounts.flatMap((account) => [account, ...bound, account, ...bound]),
  );
  return rows[0];
}

/** By the account on the other side, and by the id that a cause begins with. */
const TYPE_BY_SUBJECT: Record<CauseSubject, EntryType> = {
  payment: 'topup',
  refund: 'refund',
  dispute: 'chargeback',
  receipt: 'other',
  unmatchedTransfer: 'other',
  transfer: 'transfer',
  payout: 'other',
  bankEntry: 'other',
  bankAccount: 'other',
  bankReturn: 'other',
  settlement: 'other',
  adjustment: 'other',
};
const TYPE = `CASE WHEN o.kind = 'fee_income' THEN 'fee' ${(Object.keys(TYPE_BY_SUBJECT) as CauseSubject[])
  .map((subject) => `WHEN ${isCauseOfInSql(subject, 't.cause')} THEN '${TYPE_BY_SUBJECT[subject]}'`)
  .join(' ')} ELSE 'other' END`;

interface Batch extends Window {
  position?: Position;
  lastId: bigint;
  limit: number;
}

/** Up to `limit` entries from a position on, oldest first. What moves between the customer's own accounts is none. */
async function entriesFrom(trx: Knex.Transaction, accounts: string[], batch: Batch): Promise<StatementEntry[]> {
  const { position, to, type, lastId, limit, direction } = batch;
  const conditions = [
    ...(position ? ['AND (t.booked_at, t.id) >= (?::timestamptz, ?::bigint)'] : []),
    ...(to ? ['AND t.booked_at < ?::timestamptz'] : []),
    ...(type ? [`AND ${TYPE} = ?`] : []),
  ].join(' ');
  const bindings = (account: string) => [
    account,
    accounts,
    String(lastId),
    ...(position ? [position.at, String(position.id)] : []),
    ...(to ? [to] : []),
    ...(type ? [type] : []),
    limit,
  ];
  const entriesOf = (own: 'debit' | 'credit', other: 'debit' | 'credit') => `
    (SELECT t.id, t.booked_at, t.cause, ${TYPE} AS type, ${own === 'debit' ? '-' : ''}t.amount_minor AS signed
      FROM ledger_transfers t JOIN ledger_accounts o ON o.id = t.${other}_account_id
      WHERE t.${own}_account_id = ? AND t.${own}_guarded AND t.phase IN ('posted', 'post')
        AND t.${other}_account_id <> ALL (?::bigint[]) AND t.id <= ? ${conditions}
      ORDER BY t.booked_at, t.id LIMIT ?)`;
  const sides = [
    ...(direction === 'credit' ? [] : [entriesOf('debit', 'credit')]),
    ...(direction === 'debit' ? [] : [entriesOf('credit', 'debit')]),
  ];
  if (accounts.length === 0) return [];
  const { rows } = await trx.raw(
    `SELECT e.id, e.booked_at AS at, e.type, e.signed AS "signedMinor",
        coalesce(paid.id, refunded.id, split_part(e.cause, '/', 1)) AS reference
      FROM (SELECT * FROM (${accounts.flatMap(() => sides).join(' UNION ALL ')}) e
        ORDER BY e.booked_at, e.id LIMIT ?) e
      LEFT JOIN topups paid ON paid.payment_id = split_part(e.cause, '/', 1)
      LEFT JOIN refunds r ON r.id = split_part(e.cause, '/', 1)
      LEFT JOIN topups refunded ON refunded.payment_id = r.payment_id
      ORDER BY e.booked_at, e.id`,
    [...accounts.flatMap((account) => sides.flatMap(() => bindings(account))), limit],
  );
  return rows;
}
