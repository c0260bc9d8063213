import type { Knex } from 'knex';

/** A session of a person is a bearer token, or a cookie: that one ends when nobody uses it for a while, too. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE user_tokens
      ADD COLUMN seen_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      -- Of a cookie: how long it lives without a request, and when it ends in any case. Each use moves expires_at.
      ADD COLUMN idle_ms bigint,
      ADD COLUMN ends_at timestamptz(3),
      -- What the person has shown beside the password.
      ADD COLUMN second_factor text CHECK (second_factor IN ('totp', 'recovery_code', 'passkey')),
      ADD CHECK ((idle_ms IS NULL) = (ends_at IS NULL)),
      ADD CHECK (expires_at <= ends_at);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE user_tokens
      DROP COLUMN second_factor, DROP COLUMN ends_at, DROP COLUMN idle_ms, DROP COLUMN seen_at;
  `);
}
