import type { Knex } from 'knex';

/** Callbacks that nobody signed are kept as hints until the provider has confirmed them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE callback_inbox ADD COLUMN hint boolean NOT NULL DEFAULT false');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE callback_inbox DROP COLUMN hint');
}
