import type { Knex } from 'knex';

/** The second factor of people who sign in as merchant, tenant admin or operator: TOTP, and recovery codes. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE user_authenticators (
      user_id text PRIMARY KEY REFERENCES users,
      secret_sealed bytea,
      pending_sealed bytea,
      last_step bigint,
      failures integer NOT NULL DEFAULT 0,
      locked_until timestamptz(3),
      confirmed_at timestamptz(3),
      CHECK ((secret_sealed IS NULL) = (confirmed_at IS NULL)),
      CHECK (secret_sealed IS NOT NULL OR pending_sealed IS NOT NULL)
    );
    CREATE TABLE user_recovery_codes (
      user_id text NOT NULL REFERENCES users,
      mac bytea NOT NULL,
      used_at timestamptz(3),
      PRIMARY KEY (user_id, mac)
    );
    GRANT SELECT, INSERT, UPDATE, DELETE ON user_authenticators, user_recovery_codes TO tillway_system;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE user_recovery_codes, user_authenticators');
}
