import type { Knex } from 'knex';

/** When the customer of a web session has given the second factor. Null: the session began with the password alone. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE customer_web_sessions ADD COLUMN second_factor_at timestamptz(3)');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE customer_web_sessions DROP COLUMN second_factor_at');
}
