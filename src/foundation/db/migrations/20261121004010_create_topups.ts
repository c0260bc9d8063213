import type { Knex } from 'knex';
import { installFunctions } from '../install-functions';
import { isolateByTenant } from '../tenant-policy';

/**
 * A top-up is a payment whose beneficiary is the wallet of a customer; a row of `topups` stands beside it. Its merchant
 * of record is the tenant's house organization, which nobody signs in to.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE organizations ADD COLUMN house boolean NOT NULL DEFAULT false;
    CREATE UNIQUE INDEX organizations_one_house ON organizations (tenant_id) WHERE house;

    ALTER TABLE payments
      ADD COLUMN beneficiary text NOT NULL DEFAULT 'merchant' CHECK (beneficiary IN ('merchant', 'wallet')),
      ADD CONSTRAINT payments_wallet_owned CHECK (beneficiary = 'merchant' OR customer_id IS NOT NULL);

    -- A refund out of a wallet: the fee that it returns, and which of the customer's accounts it is taken from.
    ALTER TABLE refunds
      ADD COLUMN fee_minor bigint NOT NULL DEFAULT 0 CHECK (fee_minor >= 0),
      ADD COLUMN taken_from text CHECK (taken_from IN ('customer_wallet', 'customer_incoming'));

    CREATE TABLE topups (
      id text PRIMARY KEY,
      tenant_id text NOT NULL,
      customer_id text NOT NULL,
      payment_id text NOT NULL UNIQUE REFERENCES payments ON DELETE CASCADE,
      currency char(3) NOT NULL,
      -- The fee as it stood when the top-up was accepted; absent: none.
      fee_terms jsonb,
      -- What it comes to: on the amount asked for, from the capture on on what was captured.
      fee_minor bigint NOT NULL CHECK (fee_minor >= 0),
      -- What refunds have given back of it, those under way included.
      fee_returned_minor bigint NOT NULL DEFAULT 0,
      -- What of it lies in customer_incoming.
      incoming_minor bigint NOT NULL DEFAULT 0 CHECK (incoming_minor >= 0),
      created_by text NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      FOREIGN KEY (customer_id, tenant_id) REFERENCES customers (id, tenant_id),
      CONSTRAINT topups_fee_returned_once CHECK (fee_returned_minor BETWEEN 0 AND fee_minor)
    );
    CREATE INDEX topups_by_tenant ON topups (tenant_id, id DESC);
    CREATE INDEX topups_by_customer ON topups (customer_id, id DESC);
    GRANT SELECT, INSERT, UPDATE ON topups TO tillway_app, tillway_system;
  `);
  await isolateByTenant(knex, 'topups');
  await installFunctions(knex, { payment_accept: 2 });
}

export async function down(knex: Knex): Promise<void> {
  await installFunctions(knex, { payment_accept: 1 });
  await knex.raw(`
    DROP TABLE topups;
    ALTER TABLE refunds DROP COLUMN taken_from, DROP COLUMN fee_minor;
    ALTER TABLE payments DROP CONSTRAINT payments_wallet_owned, DROP COLUMN beneficiary;
    ALTER TABLE organizations DROP COLUMN house;
  `);
}
