import type { Knex } from 'knex';

/** Built beside the writers: it locks no payment out. */
export const config = { transaction: false };

/** Metrics count the payments whose outcome is unknown: few of all there are. */
export async function up(knex: Knex): Promise<void> {
  // Half an index is left where building one was broken off.
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS payments_unknown');
  await knex.raw(
    'CREATE INDEX CONCURRENTLY payments_unknown ON payments (unknown_since) WHERE unknown_since IS NOT NULL',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS payments_unknown');
}
