import type { Knex } from 'knex';

/** Indexes are built beside the writers, one at a time. */
export const config = { transaction: false };

/** An address is found by its hash alone, nearly always: an entry is compared by one column, not by three. */
export function up(knex: Knex): Promise<void> {
  return replace(knex, 'customer_identifiers_lookup', 'customer_identifiers_by_mac', 'mac, tenant_id');
}

export function down(knex: Knex): Promise<void> {
  return replace(knex, 'customer_identifiers_by_mac', 'customer_identifiers_lookup', 'tenant_id, type, mac');
}

async function replace(knex: Knex, old: string, name: string, columns: string): Promise<void> {
  // Half an index is left where building one was broken off.
  await knex.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
  await knex.raw(`CREATE INDEX CONCURRENTLY ${name} ON customer_identifiers (${columns})`);
  await knex.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${old}`);
}
