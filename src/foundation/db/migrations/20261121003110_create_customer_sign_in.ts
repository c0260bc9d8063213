import type { Knex } from 'knex';
import { isolateByTenant } from '../tenant-policy';

const TABLES = [
  'two_factor_settings',
  'customer_sessions',
  'customer_tokens',
  'customer_authenticators',
  'customer_recovery_codes',
  'password_resets',
];

/** How customers prove who they are. Codes, tokens and links are stored as hashes; a TOTP secret lies sealed. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- The documented 2FA settings record. No row: everything is off.
    CREATE TABLE two_factor_settings (
      customer_id text PRIMARY KEY,
      tenant_id text NOT NULL,
      login boolean NOT NULL DEFAULT false,
      trading boolean NOT NULL DEFAULT false,
      funding boolean NOT NULL DEFAULT false,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3) NOT NULL DEFAULT now(),
      FOREIGN KEY (customer_id, tenant_id) REFERENCES customers (id, tenant_id)
    );

    -- One question for a code. Without a customer: asked for nobody, so that the work is the same.
    CREATE TABLE customer_sessions (
      id text PRIMARY KEY,
      tenant_id text NOT NULL,
      customer_id text,
      purpose text NOT NULL
        CHECK (purpose IN ('credentials', 'verification', 'login', 'trading', 'funding', 'settings')),
      method text NOT NULL CHECK (method IN ('email', 'sms', 'totp')),
      -- The address the code went to, and the code; of an authenticator neither.
      identifier_mac bytea,
      code_mac bytea,
      tries integer NOT NULL DEFAULT 0,
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      expires_at timestamptz(3) NOT NULL,
      used_at timestamptz(3),
      FOREIGN KEY (customer_id, tenant_id) REFERENCES customers (id, tenant_id),
      CHECK ((method = 'totp') = (code_mac IS NULL))
    );
    CREATE INDEX customer_sessions_by_customer ON customer_sessions (customer_id, purpose, created_at DESC);
    CREATE INDEX customer_sessions_expiry ON customer_sessions (expires_at);

    CREATE TABLE customer_tokens (
      digest text PRIMARY KEY,
      tenant_id text NOT NULL,
      customer_id text NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      expires_at timestamptz(3) NOT NULL,
      FOREIGN KEY (customer_id, tenant_id) REFERENCES customers (id, tenant_id)
    );
    CREATE INDEX customer_tokens_by_customer ON customer_tokens (customer_id);
    CREATE INDEX customer_tokens_expiry ON customer_tokens (expires_at);

    -- TOTP (RFC 6238). A secret counts once a code made with it came back; no time step counts twice.
    CREATE TABLE customer_authenticators (
      customer_id text PRIMARY KEY,
      tenant_id text NOT NULL,
      secret_sealed bytea,
      pending_sealed bytea,
      last_step bigint,
      failures integer NOT NULL DEFAULT 0,
      locked_until timestamptz(3),
      confirmed_at timestamptz(3),
      FOREIGN KEY (customer_id, tenant_id) REFERENCES customers (id, tenant_id),
      CHECK ((secret_sealed IS NULL) = (confirmed_at IS NULL)),
      CHECK (secret_sealed IS NOT NULL OR pending_sealed IS NOT NULL)
    );
    CREATE TABLE customer_recovery_codes (
      customer_id text NOT NULL,
      tenant_id text NOT NULL,
      mac bytea NOT NULL,
      used_at timestamptz(3),
      PRIMARY KEY (customer_id, mac),
      FOREIGN KEY (customer_id, tenant_id) REFERENCES customers (id, tenant_id)
    );

    CREATE TABLE password_resets (
      digest text PRIMARY KEY,
      tenant_id text NOT NULL,
      customer_id text,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      expires_at timestamptz(3) NOT NULL,
      used_at timestamptz(3),
      FOREIGN KEY (customer_id, tenant_id) REFERENCES customers (id, tenant_id)
    );
    CREATE INDEX password_resets_expiry ON password_resets (expires_at);

    GRANT SELECT, INSERT, UPDATE, DELETE ON ${TABLES.join(', ')} TO tillway_app, tillway_system;
  `);
  for (const table of TABLES) await isolateByTenant(knex, table);
  await knex.raw(`REVOKE ALL ON ${TABLES.filter((table) => table !== 'two_factor_settings')} FROM tillway_ops`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`DROP TABLE ${TABLES.join(', ')}`);
}
