import type { Knex } from 'knex';

/** A process that serves looks at its start whether all migrations have run. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('GRANT SELECT ON knex_migrations TO tillway_system');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('REVOKE SELECT ON knex_migrations FROM tillway_system');
}
