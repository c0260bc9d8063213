import type { Knex } from 'knex';
import { isolateByTenant } from '../tenant-policy';

/** Direct debit mandates, their IBAN sealed; and the accounts and references under which payers send us transfers. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE mandates (
      id text PRIMARY KEY,
      tenant_id text NOT NULL REFERENCES tenants,
      organization_id text NOT NULL,
      customer_id text,
      iban_sealed bytea NOT NULL,
      iban_last4 text NOT NULL,
      account_holder text NOT NULL,
      signed_at timestamptz(3) NOT NULL,
      state text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'cancelled')),
      -- The first payment that collected under it; every other one is recurring.
      first_payment_id text NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      FOREIGN KEY (organization_id, tenant_id) REFERENCES organizations (id, tenant_id)
    );
    CREATE INDEX mandates_by_organization ON mandates (organization_id, id DESC);
    CREATE TABLE virtual_accounts (
      iban text PRIMARY KEY,
      reference text NOT NULL UNIQUE,
      processor text NOT NULL,
      tenant_id text NOT NULL REFERENCES tenants,
      payment_id text NOT NULL REFERENCES payments,
      created_at timestamptz(3) NOT NULL DEFAULT now()
    );
    CREATE INDEX virtual_accounts_by_payment ON virtual_accounts (payment_id);
    GRANT SELECT, INSERT, UPDATE ON mandates TO tillway_app;
    GRANT SELECT, UPDATE ON mandates TO tillway_system;
    GRANT SELECT, INSERT ON virtual_accounts TO tillway_app;
    GRANT SELECT ON virtual_accounts TO tillway_system;
  `);
  for (const table of ['mandates', 'virtual_accounts']) await isolateByTenant(knex, table);
  await knex.raw('REVOKE ALL ON mandates FROM tillway_ops');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE virtual_accounts, mandates');
}
