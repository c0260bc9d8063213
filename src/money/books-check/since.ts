import type { Knex } from 'knex';
import { OPEN_STATUSES } from '../../domain/states/payment';
import { type CauseSubject, isCauseOfInSql, subjectIdInSql } from '../ledger/causes';

/** What was touched since an audit, or may have been: a check that knows how reads these rows only. */
export interface Since {
  /** Ids of payments that are open, or of which something was written. */
  payments: string[];
  /** The same of transfers between customers. */
  transfers: string[];
  /** Entries with higher numbers are new. */
  entryId: bigint;
  /** What reports and entries say of times before this is proved. */
  at: Date;
}

/** The rows of each table that were touched. `:payments`, `:transfers` and `:entryId` are those of `Since`. */
const TOUCHED = {
  payments: 'id = ANY (:payments)',
  refunds: 'payment_id = ANY (:payments)',
  disputes: 'payment_id = ANY (:payments)',
  payment_attempts: 'payment_id = ANY (:payments)',
  payment_events: 'payment_id = ANY (:payments)',
  payment_operations: 'payment_id = ANY (:payments)',
  topups: 'payment_id = ANY (:payments)',
  settlement_lines: 'payment_reference = ANY (:payments)',
  p2p_transfers: 'id = ANY (:transfers)',
  ledger_transfers: 'id > :entryId',
  ledger_entries: 'transfer_id > :entryId',
} as const;

/** A table of which the rows that were touched are known. */
export type Narrowable = keyof typeof TOUCHED;

/** For the WITH of a check: these tables with the rows that were touched, under their own names. */
export function narrowed(tables: readonly Narrowable[]): string[] {
  return tables.map((table) => `${table} AS NOT MATERIALIZED (SELECT * FROM public.${table} WHERE ${TOUCHED[table]})`);
}

/** What goes before an audit and is read again by the next: longer than any transaction takes. */
const OVERLAP_MS = 3_600_000;

/** So many are touched at most: for more of them a whole audit is quicker. */
export const MOST_TOUCHED = 200_000;

/** When the last audit that found nothing began; undefined before the first. `reads`: the role of operators. */
export async function lastClean(reads: Knex): Promise<Date | undefined> {
  return (await reads('books_checkpoints').orderBy('id', 'desc').first('begun_at'))?.begun_at;
}

/** Remembers an audit that found nothing. `begunAt`: a time of the database from before it read. */
export async function noteClean(system: Knex, begunAt: Date): Promise<void> {
  await system('books_checkpoints').insert({ begun_at: begunAt });
}

/** The time of the database. */
export async function databaseNow(reads: Knex): Promise<Date> {
  return (await reads.raw('SELECT clock_timestamp()::timestamptz(3) AS now')).rows[0].now;
}

/** What was touched since an audit that began then; undefined where it is so much that a whole audit is due. */
export async function touchedSince(reads: Knex, begunAt: Date): Promise<Since | undefined> {
  const at = new Date(begunAt.getTime() - OVERLAP_MS);
  // From the newest back: as far as is new, however much is old.
  const lastBefore = async (table: string, column: string): Promise<bigint> =>
    (await reads(table).where(column, '<', at).orderBy('id', 'desc').first('id'))?.id ?? 0n;
  const entryId = await lastBefore('ledger_transfers', 'booked_at');
  const values = {
    at,
    entryId: `${entryId}`,
    eventId: `${await lastBefore('payment_events', 'at')}`,
    moveId: `${await lastBefore('p2p_transfer_events', 'at')}`,
    open: [...OPEN_STATUSES],
  };
  const payments = await idsOf(reads, PAYMENTS, values);
  const transfers = await idsOf(reads, TRANSFERS, values);
  return payments && transfers && { payments, transfers, entryId, at };
}

async function idsOf(reads: Knex, sql: string, values: Knex.ValueDict): Promise<string[] | undefined> {
  const { rows } = await reads.raw(`SELECT id FROM (${sql}) t WHERE id IS NOT NULL LIMIT ${MOST_TOUCHED + 1}`, values);
  return rows.length > MOST_TOUCHED ? undefined : rows.map(({ id }: { id: string }) => id);
}

/** What new entries of a subject are about. */
const booked = (subject: CauseSubject) => `SELECT ${subjectIdInSql(subject, 'cause')} FROM ledger_transfers
  WHERE id > :entryId AND ${isCauseOfInSql(subject, 'cause')}`;

/** Each has an index. */
const PAYMENTS = `
  SELECT payment_id AS id FROM payment_events WHERE id > :eventId
  UNION SELECT id FROM payments WHERE status = ANY (:open)
  UNION SELECT payment_id FROM refunds WHERE status = 'pending'
  UNION SELECT payment_id FROM disputes WHERE status NOT IN ('won', 'lost')
  UNION SELECT payment_id FROM unapplied_receipts WHERE status = 'returning'
  UNION SELECT payment_reference FROM settlement_lines WHERE booked_at >= :at
  UNION ${booked('payment')}
  UNION SELECT payment_id FROM refunds WHERE id IN (${booked('refund')})
  UNION SELECT payment_id FROM disputes WHERE id IN (${booked('dispute')})
  UNION SELECT payment_id FROM unapplied_receipts WHERE id IN (${booked('receipt')})`;

const TRANSFERS = `
  SELECT transfer_id AS id FROM p2p_transfer_events WHERE id > :moveId
  UNION SELECT id FROM p2p_transfers WHERE status NOT IN ('settled', 'reversed')
  UNION ${booked('transfer')}`;
