import type { Knex } from 'knex';

/** Audits of the books that found nothing: the next one can begin where the last one began. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE books_checkpoints (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      -- When the audit began; all that was written long before is proved.
      begun_at timestamptz(3) NOT NULL
    );
    GRANT SELECT, INSERT ON books_checkpoints TO tillway_system;
    GRANT SELECT ON books_checkpoints TO tillway_ops;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE books_checkpoints');
}
