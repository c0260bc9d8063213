import type { Knex } from 'knex';
import { isolateByTenant, makeAppendOnly } from '../tenant-policy';

/** Payments that third parties have initiated: each was made once, under one consent, by one transfer, or was refused. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE open_banking_payments (
      id text PRIMARY KEY,
      tenant_id text NOT NULL,
      tpp_id text NOT NULL,
      consent_id text NOT NULL,
      customer_id text NOT NULL,
      -- The wallet that pays, and the IBAN that is paid.
      account_id bigint NOT NULL REFERENCES ledger_accounts,
      creditor_iban text NOT NULL,
      currency char(3) NOT NULL,
      amount_minor bigint NOT NULL CHECK (amount_minor > 0),
      -- What moves the money; null of a payment that was refused before any moved.
      transfer_id text UNIQUE REFERENCES p2p_transfers,
      -- Why it was refused: a reason of ISO 20022, and a sentence.
      rejection text,
      rejection_detail text,
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      CONSTRAINT open_banking_payments_once UNIQUE (consent_id),
      FOREIGN KEY (consent_id, tenant_id) REFERENCES consents (id, tenant_id),
      FOREIGN KEY (customer_id, tenant_id) REFERENCES customers (id, tenant_id),
      CONSTRAINT open_banking_payments_outcome CHECK ((transfer_id IS NULL) = (rejection IS NOT NULL)),
      CHECK ((rejection IS NULL) = (rejection_detail IS NULL))
    );
    CREATE INDEX open_banking_payments_by_tpp ON open_banking_payments (tpp_id, id DESC);
    GRANT SELECT, INSERT ON open_banking_payments TO tillway_app;
    GRANT SELECT ON open_banking_payments TO tillway_system;
  `);
  await isolateByTenant(knex, 'open_banking_payments');
  await makeAppendOnly(knex, 'open_banking_payments');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE open_banking_payments');
}
