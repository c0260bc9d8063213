import type { Knex } from 'knex';

/** Indexes are built beside the writers, one at a time: none of them locks a booking out. */
export const config = { transaction: false };

/** What the list of ledger accounts is filtered by. Accounts are made once and never change. */
const INDEXES = {
  ledger_accounts_by_kind: 'ledger_accounts (tenant_id, kind, id)',
  ledger_accounts_by_currency: 'ledger_accounts (tenant_id, currency, id)',
};

/** The beginning of a cause is found by the index that keeps it unique: it compares bytes from now on. */
export async function up(knex: Knex): Promise<void> {
  for (const [name, on] of Object.entries(INDEXES)) {
    // Half an index is left where building one was broken off.
    await knex.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    await knex.raw(`CREATE INDEX CONCURRENTLY ${name} ON ${on}`);
  }
  await renew(knex, 'text_pattern_ops');
}

export async function down(knex: Knex): Promise<void> {
  await renew(knex, 'text_ops');
  for (const name of Object.keys(INDEXES)) await knex.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
}

/** A cause stays unique all the time: the new index is there before the old one goes. */
async function renew(knex: Knex, operators: 'text_pattern_ops' | 'text_ops'): Promise<void> {
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS ledger_transfers_cause_once_renewed');
  await knex.raw(
    `CREATE UNIQUE INDEX CONCURRENTLY ledger_transfers_cause_once_renewed ON ledger_transfers (tenant_id, cause ${operators})`,
  );
  await knex.transaction(async (trx) => {
    await trx.raw(`
      ALTER TABLE ledger_transfers DROP CONSTRAINT IF EXISTS ledger_transfers_cause_once;
      DROP INDEX IF EXISTS ledger_transfers_cause_once;
      ALTER INDEX ledger_transfers_cause_once_renewed RENAME TO ledger_transfers_cause_once;
    `);
    if (operators === 'text_ops')
      await trx.raw(
        'ALTER TABLE ledger_transfers ADD CONSTRAINT ledger_transfers_cause_once UNIQUE USING INDEX ledger_transfers_cause_once',
      );
  });
}
