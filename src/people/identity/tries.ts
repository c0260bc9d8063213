import type { Knex } from 'knex';

/** Wrong tries before a password or PIN is locked, and for how long (contract, section 13). */
export const WRONG_TRIES = 10;
const LOCK_MINUTES = 30;

/**
 * Takes one try at a secret whose row has `failures` and `locked_until`; `row` names it. It counts as wrong until
 * `forgiveTries`: so many requests at once get no more tries than one after the other. False when the secret is locked,
 * or is not there. Commit it before the secret is looked at: a try that is rolled back would be free.
 */
export async function takeTry(
  database: Knex,
  table: string,
  row: Record<string, unknown>,
  wrongTries = WRONG_TRIES,
): Promise<boolean> {
  const taken = await database(table)
    .where(row)
    .where((free) => free.whereNull('locked_until').orWhere('locked_until', '<=', database.fn.now()))
    .update({
      // A lock that has run out starts a new count.
      failures: database.raw('CASE WHEN locked_until IS NULL THEN failures + 1 ELSE 1 END'),
      locked_until: database.raw(
        "CASE WHEN locked_until IS NULL AND failures + 1 >= ? THEN now() + ? * interval '1 minute' END",
        [wrongTries, LOCK_MINUTES],
      ),
    });
  return taken === 1;
}

/** The try was right: the count starts anew. */
export async function forgiveTries(database: Knex, table: string, row: Record<string, unknown>): Promise<void> {
  await database(table).where(row).update({ failures: 0, locked_until: null });
}
