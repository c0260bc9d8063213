import type { Knex } from 'knex';
import { installFunctions } from '../install-functions';
import { isolateByTenant, makeAppendOnly } from '../tenant-policy';

/** Roles, tenants, organizations, merchant accounts, OAuth clients and the audit log. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    DO $$
    DECLARE wanted text;
    BEGIN
      FOREACH wanted IN ARRAY ARRAY['tillway_app', 'tillway_system', 'tillway_ops'] LOOP
        IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = wanted) THEN
          BEGIN
            EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
          EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
          END;
        END IF;
      END LOOP;
    END $$;
    REVOKE CREATE ON SCHEMA public FROM PUBLIC;
    GRANT USAGE ON SCHEMA public TO tillway_app, tillway_system, tillway_ops;

    CREATE TABLE tenants (
      id text PRIMARY KEY,
      name text NOT NULL,
      settings jsonb NOT NULL DEFAULT '{}',
      created_at timestamptz(3) NOT NULL DEFAULT now()
    );
    CREATE TABLE organizations (
      id text PRIMARY KEY,
      tenant_id text NOT NULL REFERENCES tenants,
      name text NOT NULL,
      live boolean NOT NULL DEFAULT false,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      UNIQUE (id, tenant_id)
    );
    CREATE TABLE merchant_accounts (
      id text PRIMARY KEY,
      tenant_id text NOT NULL,
      organization_id text NOT NULL,
      terminal_id text NOT NULL UNIQUE,
      callback_secret_sealed bytea NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      FOREIGN KEY (organization_id, tenant_id) REFERENCES organizations (id, tenant_id)
    );
    CREATE TABLE clients (
      id text PRIMARY KEY,
      role text NOT NULL CHECK (role IN ('merchant', 'tenant_admin', 'ops')),
      name text NOT NULL,
      secret_hash bytea NOT NULL,
      tenant_id text REFERENCES tenants,
      organization_id text,
      terminal_id text REFERENCES merchant_accounts (terminal_id),
      disabled_at timestamptz(3),
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      FOREIGN KEY (organization_id, tenant_id) REFERENCES organizations (id, tenant_id),
      CHECK (role = 'ops' OR tenant_id IS NOT NULL),
      CHECK (role <> 'merchant' OR organization_id IS NOT NULL)
    );
    CREATE TABLE oidc_payloads (
      model text NOT NULL,
      id text NOT NULL,
      payload jsonb NOT NULL,
      grant_id text,
      user_code text,
      uid text,
      consumed_at timestamptz(3),
      expires_at timestamptz(3),
      PRIMARY KEY (model, id)
    );
    CREATE INDEX oidc_payloads_grant ON oidc_payloads (grant_id) WHERE grant_id IS NOT NULL;
    CREATE INDEX oidc_payloads_expiry ON oidc_payloads (expires_at);
    CREATE TABLE audit_log (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      tenant_id text,
      actor text NOT NULL,
      action text NOT NULL,
      target text,
      source text,
      result text NOT NULL,
      detail jsonb NOT NULL DEFAULT '{}',
      at timestamptz(3) NOT NULL DEFAULT now()
    );
    CREATE INDEX audit_log_by_tenant ON audit_log (tenant_id, id DESC);

    GRANT SELECT ON tenants, organizations, merchant_accounts TO tillway_app;
    GRANT SELECT, INSERT, UPDATE ON tenants, organizations, merchant_accounts, clients TO tillway_system;
    GRANT SELECT, INSERT, UPDATE, DELETE ON oidc_payloads TO tillway_system;
    GRANT INSERT ON audit_log TO tillway_app;
    GRANT SELECT, INSERT ON audit_log TO tillway_system;
    GRANT SELECT ON tenants TO tillway_ops;
  `);
  await installFunctions(knex, { refuse_change: 1 });
  await knex.raw(`
    ALTER TABLE tenants ENABLE ROW LEVEL SECURITY;
    ALTER TABLE tenants FORCE ROW LEVEL SECURITY;
    CREATE POLICY tenants_tenant ON tenants TO tillway_app USING (id = current_setting('tillway.tenant', true));
    CREATE POLICY tenants_system ON tenants TO tillway_system USING (true) WITH CHECK (true);
    CREATE POLICY tenants_ops ON tenants FOR SELECT TO tillway_ops USING (true);
  `);
  for (const table of ['organizations', 'merchant_accounts', 'clients', 'audit_log'])
    await isolateByTenant(knex, table);
  await makeAppendOnly(knex, 'audit_log');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE audit_log, oidc_payloads, clients, merchant_accounts, organizations, tenants;
    DROP FUNCTION refuse_change();
  `);
}
