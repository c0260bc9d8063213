import type { Knex } from 'knex';

/**
 * Counters of wrong sign-ins in the form rate-limiter-flexible reads and writes. `expire` is Unix time in milliseconds,
 * a float because int8 arrives as bigint and the library computes with numbers.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE sign_in_failures (
      key varchar(255) PRIMARY KEY,
      points integer NOT NULL DEFAULT 0,
      expire double precision
    );
    GRANT SELECT, INSERT, UPDATE, DELETE ON sign_in_failures TO tillway_system;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE sign_in_failures');
}
