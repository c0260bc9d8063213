import type { Knex } from 'knex';
import { isolateByTenant } from '../tenant-policy';

/**
 * A customer's card is saved once its issuer has verified it, by an authorization of zero. The row says where that
 * stands; what it held is in the vault alone.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE card_verifications (
      id text PRIMARY KEY,
      tenant_id text NOT NULL,
      customer_id text NOT NULL,
      card_id text NOT NULL REFERENCES vault_cards,
      brand text NOT NULL,
      bin text NOT NULL,
      last4 text NOT NULL,
      holder text NOT NULL,
      expiry_month text NOT NULL,
      expiry_year text NOT NULL,
      processor text NOT NULL,
      currency char(3) NOT NULL,
      request jsonb NOT NULL,
      status text NOT NULL
        CHECK (status IN ('initiated', 'pending', 'requires_action', 'verified', 'failed', 'expired')),
      result_code integer NOT NULL,
      status_detail text NOT NULL,
      action jsonb,
      waits_until timestamptz(3),
      provider_reference text,
      payment_method_id text REFERENCES payment_methods,
      -- Whether the card was not there before.
      fresh boolean NOT NULL DEFAULT true,
      attempts integer NOT NULL DEFAULT 0,
      submitted_at timestamptz(3),
      request_id text NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3) NOT NULL DEFAULT now(),
      FOREIGN KEY (customer_id, tenant_id) REFERENCES customers (id, tenant_id),
      CHECK ((status = 'verified') = (payment_method_id IS NOT NULL)),
      CHECK ((status = 'requires_action') = (action IS NOT NULL))
    );
    CREATE INDEX card_verifications_by_customer ON card_verifications (customer_id);
    CREATE INDEX card_verifications_by_card ON card_verifications (card_id);
    CREATE INDEX card_verifications_open ON card_verifications (updated_at)
      WHERE status IN ('initiated', 'pending', 'requires_action');
    GRANT SELECT, INSERT, UPDATE, DELETE ON card_verifications TO tillway_app;
    GRANT SELECT ON card_verifications TO tillway_system;

    UPDATE payment_methods SET is_default = false WHERE is_default;
    CREATE UNIQUE INDEX payment_methods_one_default ON payment_methods (customer_id)
      WHERE is_default AND deleted_at IS NULL AND customer_id IS NOT NULL;

    -- The expiry (YYYYMM) that the customer was told of: one that is renewed is told of anew.
    ALTER TABLE payment_methods ADD COLUMN expiry_told text;
    CREATE INDEX payment_methods_by_expiry ON payment_methods ((expiry_year || expiry_month))
      WHERE deleted_at IS NULL AND customer_id IS NOT NULL;
    -- Every owner of a card, when its issuer renews or closes it.
    CREATE INDEX payment_methods_by_fingerprint ON payment_methods (fingerprint) WHERE deleted_at IS NULL;
  `);
  await isolateByTenant(knex, 'card_verifications');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX payment_methods_by_fingerprint, payment_methods_by_expiry, payment_methods_one_default;
    ALTER TABLE payment_methods DROP COLUMN expiry_told;
    DROP TABLE card_verifications;
  `);
}
