import type { Knex } from 'knex';

/** The last passwords of a user before the present one, newest first, as hashes: none of them is taken again. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("ALTER TABLE users ADD COLUMN earlier_password_hashes text[] NOT NULL DEFAULT '{}'");
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE users DROP COLUMN earlier_password_hashes');
}
