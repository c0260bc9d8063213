import type { Knex } from 'knex';
import { idAt } from '../../domain/ids';

/** How much the clock of a process may go ahead of the database's, in milliseconds. */
export const SKEW_MS = 300_000;

/** A part of time: `from` it on, and before `to`. RFC 3339. */
export interface Between {
  from?: string;
  to?: string;
}

/**
 * Narrows rows to those created in a part of time. Ids sort by the time at which they were made, so that the indexes which
 * end with the id find the place. A row is never made before its id, but for the clocks, and at most `lagMs` after it: a
 * request that is repeated after a crash makes the row with the id of its first try. `created_at` decides.
 */
export function madeBetween(
  rows: Knex.QueryBuilder,
  kind: 'payment' | 'refund',
  { from, to }: Between,
  lagMs: number,
): Knex.QueryBuilder {
  if (from) rows.where('created_at', '>=', from).where('id', '>=', idAt(kind, Date.parse(from) - lagMs - SKEW_MS));
  if (to) rows.where('created_at', '<', to).where('id', '<', idAt(kind, Date.parse(to) + SKEW_MS));
  return rows;
}
