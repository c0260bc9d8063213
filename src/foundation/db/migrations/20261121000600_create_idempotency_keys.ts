import type { Knex } from 'knex';

/**
 * One row per (client, path, key). `resource_id` is chosen before anything happens, so that whoever takes the key over
 * after a crash works on the same resource. The stored answer is sealed: it may hold what is shown only once.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE idempotency_keys (
      client_id text NOT NULL,
      path text NOT NULL,
      key text NOT NULL,
      request_mac bytea NOT NULL,
      resource_seed text NOT NULL,
      owner bigint NOT NULL,
      status integer,
      answer_sealed bytea,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (client_id, path, key)
    );
    CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);
    GRANT SELECT, INSERT, UPDATE, DELETE ON idempotency_keys TO tillway_system;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE idempotency_keys');
}
