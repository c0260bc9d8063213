import type { Knex } from 'knex';

/** What a code was asked for, whole, as a keyed digest. Null: nothing but its purpose, as at sign-in. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE customer_sessions ADD COLUMN request_mac bytea');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE customer_sessions DROP COLUMN request_mac');
}
