import type { Knex } from 'knex';

/** Keys that the platform makes and a key service wraps. Only processes with the system role read them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE data_keys (
      id text PRIMARY KEY,
      ring text NOT NULL CHECK (ring IN ('vault', 'codec')),
      service text NOT NULL CHECK (service IN ('aws', 'gcp', 'vault')),
      service_key text NOT NULL,
      wrapped bytea NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      starts_at timestamptz(3) NOT NULL
    );
    REVOKE ALL ON data_keys FROM tillway_app, tillway_ops;
    GRANT SELECT, INSERT, UPDATE ON data_keys TO tillway_system;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE data_keys');
}
