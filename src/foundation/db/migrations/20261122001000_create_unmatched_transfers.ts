import type { Knex } from 'knex';
import { isolateByTenant } from '../tenant-policy';

/**
 * Incoming transfers that matched no payment, and the platform's own books for those of which nothing tells a tenant. Until
 * now the report of such a transfer was kept in the inbox, and its money was in no books.
 */
export async function up(knex: Knex): Promise<void> {
  // The owner of the table is under its policies too, and none is for it.
  await knex.raw(`
    ALTER TABLE tenants NO FORCE ROW LEVEL SECURITY;
    INSERT INTO tenants (id, name) VALUES ('ten_platform', 'The platform itself') ON CONFLICT DO NOTHING;
    ALTER TABLE tenants FORCE ROW LEVEL SECURITY;

    CREATE TABLE unmatched_transfers (
      id text PRIMARY KEY,
      tenant_id text NOT NULL REFERENCES tenants,
      processor text NOT NULL,
      -- What the processor calls it; where it names none, the event that told of it.
      transfer_id text NOT NULL,
      -- The report of it, which goes to the payment once there is one.
      callback_id text NOT NULL REFERENCES callback_inbox,
      account text NOT NULL,
      remittance_text text NOT NULL,
      payer_name text,
      currency char(3) NOT NULL,
      amount_minor bigint NOT NULL CHECK (amount_minor > 0),
      mismatch text NOT NULL
        CHECK (mismatch IN ('no_payment', 'several_payments', 'other_currency', 'payment_not_waiting')),
      status text NOT NULL CHECK (status IN ('open', 'proposed', 'matching', 'matched', 'returning', 'returned')),
      status_detail text NOT NULL,
      decision text CHECK (decision IN ('match', 'return')),
      payment_id text REFERENCES payments,
      reason text,
      -- A second operator has to confirm the decision.
      needs_second boolean NOT NULL DEFAULT false,
      decided_by text,
      confirmed_by text,
      decided_at timestamptz(3),
      -- Counts the decisions: each has a key of its own at the processor.
      decisions integer NOT NULL DEFAULT 0,
      -- What the processor knows the latest return by.
      return_reference text UNIQUE,
      sends integer NOT NULL DEFAULT 0,
      sent_at timestamptz(3),
      review_since timestamptz(3),
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3) NOT NULL DEFAULT now(),
      CONSTRAINT unmatched_transfers_once UNIQUE (processor, transfer_id),
      CONSTRAINT unmatched_transfers_decided CHECK (
        (status = 'open' AND decision IS NULL)
        OR (decision IS NOT NULL AND reason IS NOT NULL AND decided_by IS NOT NULL AND decided_at IS NOT NULL)),
      CONSTRAINT unmatched_transfers_payment CHECK (
        (payment_id IS NOT NULL) = (decision = 'match' AND decision IS NOT NULL)
        AND (status <> 'matched' OR decision = 'match')),
      CONSTRAINT unmatched_transfers_four_eyes CHECK (
        confirmed_by <> decided_by AND (NOT needs_second OR status IN ('open', 'proposed') OR confirmed_by IS NOT NULL))
    );
    CREATE INDEX unmatched_transfers_ordered ON unmatched_transfers (id) WHERE status IN ('matching', 'returning');
    CREATE INDEX unmatched_transfers_open ON unmatched_transfers (account) WHERE status = 'open';
    CREATE INDEX unmatched_transfers_for_review ON unmatched_transfers (review_since) WHERE review_since IS NOT NULL;
    GRANT SELECT ON unmatched_transfers TO tillway_app;
    GRANT SELECT, INSERT, UPDATE ON unmatched_transfers TO tillway_system;
  `);
  await isolateByTenant(knex, 'unmatched_transfers');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE unmatched_transfers;
    ALTER TABLE tenants NO FORCE ROW LEVEL SECURITY;
    -- What was booked stays, and its tenant with it.
    DELETE FROM tenants t WHERE t.id = 'ten_platform'
      AND NOT EXISTS (SELECT FROM ledger_accounts a WHERE a.tenant_id = t.id);
    ALTER TABLE tenants FORCE ROW LEVEL SECURITY;
  `);
}
