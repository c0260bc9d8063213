import type { Knex } from 'knex';

/** Numbers of entries that are summed up in one transaction at most. */
const MOST = 200_000;

/**
 * Adds what was booked since to the sums of accounts (`ledger_sum_up.sql`). Balances are right without it, but take longer the
 * more there is to add. Answers whether there is more at once. Any number of processes may. `system`: the role of the platform.
 */
export async function sumUpLedger(system: Knex): Promise<boolean> {
  const { rows } = await system.raw('SELECT ledger_sum_up(?) AS more', [MOST]);
  return rows[0].more;
}
