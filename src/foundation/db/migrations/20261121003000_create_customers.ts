import type { Knex } from 'knex';
import { isolateByTenant, makeAppendOnly } from '../tenant-policy';

/**
 * Customers. What is personal lies sealed under a data key of the customer's own, so that erasing a customer leaves no
 * readable byte behind, in backups neither once the wrapping keys are rotated. Look-ups go by keyed hashes.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE customers (
      id text PRIMARY KEY,
      tenant_id text NOT NULL REFERENCES tenants,
      organization_id text,
      -- The caller's own id for it.
      reference text,
      customer_type text NOT NULL CHECK (customer_type IN ('Person', 'Organization')),
      status text NOT NULL CHECK (status IN ('new', 'verified', 'under_verificaiton', 'blacklisted',
        'under_investigation', 'dispute', 'on_hold', 'bancrupted')),
      -- The documented record without its secrets.
      profile_sealed bytea,
      profile_key bytea,
      version integer NOT NULL DEFAULT 1,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3) NOT NULL DEFAULT now(),
      deleted_at timestamptz(3),
      UNIQUE (id, tenant_id),
      FOREIGN KEY (organization_id, tenant_id) REFERENCES organizations (id, tenant_id),
      CHECK ((deleted_at IS NULL) = (profile_sealed IS NOT NULL) AND (deleted_at IS NULL) = (profile_key IS NOT NULL))
    );
    CREATE UNIQUE INDEX customers_reference_once ON customers (tenant_id, reference) WHERE deleted_at IS NULL;
    CREATE INDEX customers_by_tenant ON customers (tenant_id, id DESC) WHERE deleted_at IS NULL;
    CREATE INDEX customers_by_organization ON customers (organization_id, id DESC) WHERE deleted_at IS NULL;

    -- Each change of status: who, when, why.
    CREATE TABLE customer_events (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      customer_id text NOT NULL REFERENCES customers,
      tenant_id text NOT NULL,
      from_status text,
      to_status text NOT NULL,
      actor text NOT NULL,
      reason text NOT NULL,
      at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
    );
    CREATE INDEX customer_events_by_customer ON customer_events (customer_id, id);

    -- What a customer can be found by; verified once a code sent there came back.
    CREATE TABLE customer_identifiers (
      customer_id text NOT NULL REFERENCES customers,
      tenant_id text NOT NULL,
      type text NOT NULL CHECK (type IN ('email', 'phone', 'username')),
      mac bytea NOT NULL,
      verified_at timestamptz(3),
      PRIMARY KEY (customer_id, type, mac)
    );
    CREATE INDEX customer_identifiers_lookup ON customer_identifiers (tenant_id, type, mac);

    -- Password (Argon2id text), PIN and secret answers (HMAC), each with its own count of wrong tries.
    CREATE TABLE customer_secrets (
      customer_id text NOT NULL REFERENCES customers,
      tenant_id text NOT NULL,
      kind text NOT NULL,
      hash bytea NOT NULL,
      failures integer NOT NULL DEFAULT 0,
      locked_until timestamptz(3),
      updated_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (customer_id, kind)
    );

    -- The caller's own name of a bulk request; its MAC tells a repeat from another request.
    CREATE TABLE customer_bulk_requests (
      tenant_id text NOT NULL REFERENCES tenants,
      token text NOT NULL,
      request_mac bytea NOT NULL,
      customer_ids text[] NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (tenant_id, token)
    );

    GRANT SELECT, INSERT, UPDATE ON customers, customer_secrets TO tillway_app, tillway_system;
    GRANT SELECT, INSERT, UPDATE, DELETE ON customer_identifiers TO tillway_app, tillway_system;
    GRANT DELETE ON customer_secrets TO tillway_app;
    GRANT SELECT, INSERT ON customer_events, customer_bulk_requests TO tillway_app, tillway_system;
  `);
  for (const table of [
    'customers',
    'customer_events',
    'customer_identifiers',
    'customer_secrets',
    'customer_bulk_requests',
  ])
    await isolateByTenant(knex, table);
  await knex.raw('REVOKE ALL ON customer_secrets, customer_identifiers, customer_bulk_requests FROM tillway_ops');
  await makeAppendOnly(knex, 'customer_events');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    'DROP TABLE customer_bulk_requests, customer_secrets, customer_identifiers, customer_events, customers',
  );
}
