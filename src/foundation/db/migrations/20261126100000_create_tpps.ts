import type { Knex } from 'knex';
import { isolateByTenant } from '../tenant-policy';

/** Third-party providers of open banking, the tenants that they serve, and the keys that the bank signs with. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE tpps (
      id text PRIMARY KEY,
      name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
      profile text NOT NULL CHECK (profile IN ('fapi1', 'fapi2')),
      auth_method text NOT NULL CHECK (auth_method IN ('self_signed_tls_client_auth', 'tls_client_auth')),
      -- x5t#S256 (RFC 8705, section 3.1): SHA-256 of the certificate's DER, base64url.
      certificate_thumbprint text NOT NULL UNIQUE CHECK (certificate_thumbprint ~ '^[A-Za-z0-9_-]{43}$'),
      -- RFC 4514.
      certificate_subject text NOT NULL,
      certificate_pem text NOT NULL,
      certificate_expires_at timestamptz(3) NOT NULL,
      redirect_uris jsonb NOT NULL CHECK (jsonb_typeof(redirect_uris) = 'array'),
      jwks jsonb,
      jwks_uri text,
      iss text NOT NULL,
      disabled_at timestamptz(3),
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      CHECK ((jwks IS NULL) <> (jwks_uri IS NULL))
    );
    -- A certificate of the CA names its provider by the subject: a renewed one needs no new registration.
    CREATE UNIQUE INDEX tpps_by_subject ON tpps (certificate_subject) WHERE auth_method = 'tls_client_auth';
    GRANT SELECT ON tpps TO tillway_app, tillway_ops;
    GRANT SELECT, INSERT, UPDATE ON tpps TO tillway_system;

    CREATE TABLE tpp_tenants (
      tpp_id text NOT NULL REFERENCES tpps,
      tenant_id text NOT NULL REFERENCES tenants,
      PRIMARY KEY (tpp_id, tenant_id)
    );
    CREATE INDEX tpp_tenants_by_tenant ON tpp_tenants (tenant_id, tpp_id);
    GRANT SELECT ON tpp_tenants TO tillway_app;
    GRANT SELECT, INSERT, DELETE ON tpp_tenants TO tillway_system;

    CREATE TABLE open_banking_keys (
      kid text PRIMARY KEY,
      public_jwk jsonb NOT NULL,
      -- PKCS #8, sealed by the vault's keyring.
      private_sealed bytea NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
    );
    GRANT SELECT, INSERT, UPDATE, DELETE ON open_banking_keys TO tillway_system;
  `);
  await isolateByTenant(knex, 'tpp_tenants');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE open_banking_keys, tpp_tenants, tpps');
}
