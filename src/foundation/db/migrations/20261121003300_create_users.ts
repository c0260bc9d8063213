import type { Knex } from 'knex';
import { isolateByTenant } from '../tenant-policy';

/**
 * People who sign in as merchant, tenant admin or operator, merchants as they come on board, and what they integrate
 * with. Who somebody is lies sealed; links, tokens and passwords are stored as hashes.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE organizations
      ADD COLUMN country char(2),
      ADD COLUMN currencies text[] NOT NULL DEFAULT '{}',
      ADD COLUMN created_by text;

    CREATE TABLE users (
      id text PRIMARY KEY,
      -- Operators belong to no tenant.
      tenant_id text REFERENCES tenants,
      organization_id text,
      role text NOT NULL CHECK (role IN ('merchant', 'tenant_admin', 'ops')),
      -- Of the e-mail address, which is what somebody signs in with.
      email_mac bytea NOT NULL UNIQUE,
      contact_sealed bytea NOT NULL,
      password_hash text,
      password_set_at timestamptz(3),
      failures integer NOT NULL DEFAULT 0,
      locked_until timestamptz(3),
      disabled_at timestamptz(3),
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      FOREIGN KEY (organization_id, tenant_id) REFERENCES organizations (id, tenant_id),
      CHECK ((role = 'ops') = (tenant_id IS NULL)),
      CHECK ((role = 'merchant') = (organization_id IS NOT NULL)),
      CHECK ((password_hash IS NULL) = (password_set_at IS NULL))
    );
    CREATE INDEX users_by_organization ON users (organization_id) WHERE organization_id IS NOT NULL;

    CREATE TABLE user_links (
      digest text PRIMARY KEY,
      user_id text NOT NULL REFERENCES users,
      purpose text NOT NULL CHECK (purpose IN ('invitation', 'reset')),
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      expires_at timestamptz(3) NOT NULL
    );
    CREATE INDEX user_links_by_user ON user_links (user_id);
    CREATE INDEX user_links_expiry ON user_links (expires_at);

    CREATE TABLE user_tokens (
      digest text PRIMARY KEY,
      user_id text NOT NULL REFERENCES users,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      expires_at timestamptz(3) NOT NULL
    );
    CREATE INDEX user_tokens_by_user ON user_tokens (user_id);
    CREATE INDEX user_tokens_expiry ON user_tokens (expires_at);

    -- What an integrator is told of a secret. The value itself lies here, sealed, until somebody has read it.
    CREATE TABLE integration_parameters (
      merchant_account_id text NOT NULL REFERENCES merchant_accounts,
      name text NOT NULL CHECK (name IN ('clientSecret', 'terminalPassword', 'callbackSecret')),
      tenant_id text NOT NULL,
      organization_id text NOT NULL,
      last_four text NOT NULL,
      since timestamptz(3) NOT NULL DEFAULT now(),
      unread_sealed bytea,
      unread_until timestamptz(3),
      shown_at timestamptz(3),
      PRIMARY KEY (merchant_account_id, name),
      FOREIGN KEY (organization_id, tenant_id) REFERENCES organizations (id, tenant_id),
      CHECK ((unread_sealed IS NULL) = (unread_until IS NULL))
    );
    CREATE INDEX integration_parameters_unread ON integration_parameters (unread_until) WHERE unread_until IS NOT NULL;

    -- Secrets that were replaced and are still good for a while. Owner: the client, or the merchant account.
    CREATE TABLE retired_secrets (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      owner_id text NOT NULL,
      secret_hash bytea,
      secret_sealed bytea,
      valid_until timestamptz(3) NOT NULL,
      CHECK ((secret_hash IS NULL) <> (secret_sealed IS NULL))
    );
    CREATE INDEX retired_secrets_by_owner ON retired_secrets (owner_id, valid_until);
    CREATE INDEX retired_secrets_expiry ON retired_secrets (valid_until);

    GRANT SELECT ON users, integration_parameters TO tillway_app;
    GRANT SELECT, INSERT, UPDATE ON users, integration_parameters TO tillway_system;
    GRANT SELECT, INSERT, UPDATE, DELETE ON user_links, user_tokens, retired_secrets TO tillway_system;
  `);
  for (const table of ['users', 'integration_parameters']) await isolateByTenant(knex, table);
  await knex.raw('REVOKE ALL ON users, integration_parameters FROM tillway_ops');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE retired_secrets, integration_parameters, user_tokens, user_links, users;
    ALTER TABLE organizations DROP COLUMN country, DROP COLUMN currencies, DROP COLUMN created_by;
  `);
}
