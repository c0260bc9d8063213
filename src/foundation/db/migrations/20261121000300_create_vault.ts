import type { Knex } from 'knex';
import { isolateByTenant } from '../tenant-policy';

/** Card data, sealed. The CVV lies in an unlogged table, so that no write-ahead log or backup ever holds it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE vault_cards (
      id text PRIMARY KEY,
      tenant_id text NOT NULL REFERENCES tenants,
      fingerprint bytea NOT NULL,
      key_id text NOT NULL,
      wrapped_key bytea NOT NULL,
      sealed bytea NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now()
    );
    CREATE UNLOGGED TABLE vault_cvvs (
      card_id text PRIMARY KEY,
      tenant_id text NOT NULL,
      sealed bytea NOT NULL,
      expires_at timestamptz(3) NOT NULL
    );
    CREATE INDEX vault_cvvs_expiry ON vault_cvvs (expires_at);
    CREATE TABLE payment_methods (
      id text PRIMARY KEY,
      tenant_id text NOT NULL REFERENCES tenants,
      organization_id text,
      customer_id text,
      card_id text NOT NULL REFERENCES vault_cards,
      fingerprint bytea NOT NULL,
      brand text NOT NULL,
      bin text NOT NULL,
      last4 text NOT NULL,
      holder text NOT NULL,
      expiry_month text NOT NULL,
      expiry_year text NOT NULL,
      is_default boolean NOT NULL DEFAULT false,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      deleted_at timestamptz(3),
      CHECK (organization_id IS NOT NULL OR customer_id IS NOT NULL)
    );
    CREATE UNIQUE INDEX payment_methods_card_once_per_customer ON payment_methods (customer_id, fingerprint)
      WHERE customer_id IS NOT NULL AND deleted_at IS NULL;
    CREATE UNIQUE INDEX payment_methods_card_once_per_organization ON payment_methods (organization_id, fingerprint)
      WHERE customer_id IS NULL AND deleted_at IS NULL;

    GRANT SELECT, INSERT, UPDATE ON vault_cards TO tillway_app;
    GRANT SELECT, INSERT, UPDATE, DELETE ON vault_cvvs TO tillway_app;
    GRANT SELECT, DELETE ON vault_cvvs TO tillway_system;
    GRANT SELECT, UPDATE ON vault_cards TO tillway_system;
    GRANT SELECT, INSERT, UPDATE ON payment_methods TO tillway_app, tillway_system;
  `);
  await isolateByTenant(knex, 'vault_cards');
  await isolateByTenant(knex, 'vault_cvvs');
  await isolateByTenant(knex, 'payment_methods');
  await knex.raw('REVOKE ALL ON vault_cards, vault_cvvs FROM tillway_ops');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE payment_methods, vault_cvvs, vault_cards');
}
