import type { Knex } from 'knex';

/** Passkeys (WebAuthn) of people who sign in as merchant, tenant admin or operator. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE user_passkeys (
      id text PRIMARY KEY,
      user_id text NOT NULL REFERENCES users,
      credential_id text NOT NULL UNIQUE,
      public_key bytea NOT NULL,
      counter bigint NOT NULL CHECK (counter >= 0),
      transports text[] NOT NULL DEFAULT '{}',
      name text NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      used_at timestamptz(3)
    );
    CREATE INDEX user_passkeys_by_user ON user_passkeys (user_id, created_at);

    -- What a passkey must sign, until it has, or its time is up. One to register with at a time for a user.
    CREATE TABLE passkey_challenges (
      digest text PRIMARY KEY,
      -- Absent for who signs in: the passkey says who it is.
      user_id text UNIQUE REFERENCES users,
      expires_at timestamptz(3) NOT NULL
    );
    CREATE INDEX passkey_challenges_expiry ON passkey_challenges (expires_at);
    GRANT SELECT, INSERT, UPDATE, DELETE ON user_passkeys, passkey_challenges TO tillway_system;

    -- Who has passkeys and no authenticator has recovery codes too: wrong tries at them are counted in this row.
    ALTER TABLE user_authenticators DROP CONSTRAINT user_authenticators_check1;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DELETE FROM user_recovery_codes
      WHERE user_id IN (SELECT user_id FROM user_authenticators WHERE secret_sealed IS NULL AND pending_sealed IS NULL);
    DELETE FROM user_authenticators WHERE secret_sealed IS NULL AND pending_sealed IS NULL;
    ALTER TABLE user_authenticators
      ADD CONSTRAINT user_authenticators_check1 CHECK (secret_sealed IS NOT NULL OR pending_sealed IS NOT NULL);
    DROP TABLE passkey_challenges, user_passkeys;
  `);
}
