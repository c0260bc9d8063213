import type { Knex } from 'knex';
import { type CauseSubject, isCauseOfInSql } from './causes';

/** What an entry of a wallet is part of. */
export const ENTRY_TYPES = ['topup', 'refund', 'chargeback', 'transfer', 'fee', 'other'] as const;
export type EntryType = (typeof ENTRY_TYPES)[number];

/** A place in the order of entries: entries of one account get time and id under its lock, so neither goes back. */
export interface Position {
  at: Date;
  id: bigint;
}

export interface WalletEntry extends Position {
  type: EntryType;
  /** The top-up, refund or transfer it belongs to. */
  reference: string;
  /** Positive: the wallet got it. */
  signedMinor: bigint;
  /** The IBAN of the wallet on the other side. Null where that is no wallet. */
  otherIban: string | null;
}

/**
 * Sum of what the last entry before a position left in each account; without a position, of the very last one. Each
 * account is named by itself: the planner then knows the long ones, and reads them in the order of their index.
 */
export async function balanceAt(
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

/**
 * What came into the accounts and what went out of them, from a time on and before another. What moves between them is
 * neither. Reads every entry of that time.
 */
export async function turnoverOf(
  trx: Knex.Transaction,
  accounts: string[],
  from: Date,
  until: Date,
): Promise<{ credits: bigint; debits: bigint }> {
  const sumOf = (own: 'debit' | 'credit', other: 'debit' | 'credit') => `
    (SELECT coalesce(sum(t.amount_minor), 0)::bigint FROM ledger_transfers t
      WHERE t.${own}_account_id = ANY (:accounts::bigint[]) AND t.${own}_guarded AND t.phase IN ('posted', 'post')
        AND t.${other}_account_id <> ALL (:accounts::bigint[])
        AND t.booked_at >= :from::timestamptz AND t.booked_at < :until::timestamptz)`;
  const { rows } = await trx.raw(
    `SELECT ${sumOf('credit', 'debit')} AS credits, ${sumOf('debit', 'credit')} AS debits`,
    { accounts, from, until },
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
/** SQL for the type of an entry. `kind`: of the account on the other side; `cause`: of the entry. */
const typeOf = (kind: string, cause: string) =>
  `CASE WHEN ${kind} = 'fee_income' THEN 'fee' ${(Object.keys(TYPE_BY_SUBJECT) as CauseSubject[])
    .map((subject) => `WHEN ${isCauseOfInSql(subject, cause)} THEN '${TYPE_BY_SUBJECT[subject]}'`)
    .join(' ')} ELSE 'other' END`;

/** Some entries of a wallet, one after the other. */
export interface Slice {
  /** Ids of the wallet's accounts. */
  accounts: string[];
  /** The first position that belongs to it; absent: the very first. */
  from?: Position;
  /** The first position after it; absent: there is none. */
  until?: Position;
  type?: EntryType;
  direction?: 'credit' | 'debit';
  /** No entry with a higher id belongs to it. */
  lastId: bigint;
  limit: number;
  order?: 'oldest' | 'newest';
}

/** Up to `limit` entries, oldest first unless ordered otherwise. What moves between the customer's own accounts is none. */
export async function entriesOf(trx: Knex.Transaction, slice: Slice): Promise<WalletEntry[]> {
  const { accounts, from, until, type, lastId, limit, direction, order } = slice;
  const by = (alias: string) =>
    order === 'newest' ? `${alias}.booked_at DESC, ${alias}.id DESC` : `${alias}.booked_at, ${alias}.id`;
  // The other account is looked up for the entries of the page alone: joined before the limit, it misleads the planner into
  // sorting a whole account.
  const entriesOn = (own: 'debit' | 'credit', other: 'debit' | 'credit') => {
    const otherKind = `(SELECT kind FROM ledger_accounts WHERE id = t.${other}_account_id)`;
    const conditions = [
      ...(from ? ['AND (t.booked_at, t.id) >= (?::timestamptz, ?::bigint)'] : []),
      ...(until ? ['AND (t.booked_at, t.id) < (?::timestamptz, ?::bigint)'] : []),
      ...(type ? [`AND ${typeOf(otherKind, 't.cause')} = ?`] : []),
    ].join(' ');
    return `
    (SELECT t.id, t.booked_at, t.cause, t.${other}_account_id AS other_id,
        ${own === 'debit' ? '-' : ''}t.amount_minor AS signed
      FROM ledger_transfers t
      WHERE t.${own}_account_id = ? AND t.${own}_guarded AND t.phase IN ('posted', 'post')
        AND t.${other}_account_id <> ALL (?::bigint[]) AND t.id <= ? ${conditions}
      ORDER BY ${by('t')} LIMIT ?)`;
  };
  const bindings = (account: string) => [
    account,
    accounts,
    String(lastId),
    ...(from ? [from.at, String(from.id)] : []),
    ...(until ? [until.at, String(until.id)] : []),
    ...(type ? [type] : []),
    limit,
  ];
  const sides = [
    ...(direction === 'credit' ? [] : [entriesOn('debit', 'credit')]),
    ...(direction === 'debit' ? [] : [entriesOn('credit', 'debit')]),
  ];
  if (accounts.length === 0) return [];
  const { rows } = await trx.raw(
    `SELECT e.id, e.booked_at AS at, ${typeOf('o.kind', 'e.cause')} AS type, e.signed AS "signedMinor",
        o.iban AS "otherIban",
        coalesce(paid.id, refunded.id, split_part(e.cause, '/', 1)) AS reference
      FROM (SELECT * FROM (${accounts.flatMap(() => sides).join(' UNION ALL ')}) e
        ORDER BY ${by('e')} LIMIT ?) e
      JOIN ledger_accounts o ON o.id = e.other_id
      LEFT JOIN topups paid ON paid.payment_id = split_part(e.cause, '/', 1)
      LEFT JOIN refunds r ON r.id = split_part(e.cause, '/', 1)
      LEFT JOIN topups refunded ON refunded.payment_id = r.payment_id
      ORDER BY ${by('e')}`,
    [...accounts.flatMap((account) => sides.flatMap(() => bindings(account))), limit],
  );
  return rows;
}

/**
 * The ids of the accounts that make up a customer's wallet in a currency: what is available, and what is still to be
 * settled.
 */
export async function accountsOfWallet(
  trx: Knex.Transaction,
  { customerId, currency }: { customerId: string; currency: string },
): Promise<string[]> {
  const ids: bigint[] = await trx('ledger_accounts')
    .where({ owner: customerId, currency })
    .whereIn('kind', ['customer_wallet', 'customer_incoming'])
    .pluck('id');
  return ids.map(String);
}

/** Waits for bookings on these accounts that are under way; until the transaction ends there will be none. */
export async function holdBookings(trx: Knex.Transaction, accounts: string[]): Promise<void> {
  await trx.raw('SELECT ledger_lock_accounts(?::bigint[])', [accounts]);
}
