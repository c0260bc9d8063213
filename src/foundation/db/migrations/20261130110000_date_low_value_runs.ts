import type { Knex } from 'knex';

/** When a card's run of low values began: a payment that is taken back gives back only to the run that counted it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE low_value_runs ADD COLUMN began_at timestamptz(3) NOT NULL DEFAULT now()');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE low_value_runs DROP COLUMN began_at');
}
