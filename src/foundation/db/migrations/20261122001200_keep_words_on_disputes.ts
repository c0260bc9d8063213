import type { Knex } from 'knex';

/** What a processor said of a dispute while it did not fit: it is applied when the dispute opens. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`ALTER TABLE disputes ADD COLUMN unapplied_words text[] NOT NULL DEFAULT '{}'`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE disputes DROP COLUMN unapplied_words');
}
