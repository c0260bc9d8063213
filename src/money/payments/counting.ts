import type { Knex } from 'knex';

/** Numbers of events that are counted in one transaction at most. */
const MOST = 50_000;

/**
 * Counts the payments that changed since for statistics (`payment_count_up.sql`). Statistics are right without it, but take
 * longer the more there is to count. Answers whether there is more at once. Any number of processes may. `system`: the role
 * of the platform.
 */
export async function countPayments(system: Knex): Promise<boolean> {
  const { rows } = await system.raw('SELECT payment_count_up(?) AS more', [MOST]);
  return rows[0].more;
}
