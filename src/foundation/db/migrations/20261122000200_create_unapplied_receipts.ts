import type { Knex } from 'knex';
import { isolateByTenant } from '../tenant-policy';

/**
 * Money that a processor took or holds without our asking: after its payment had ended, or beside the processor that serves
 * it. Until now such money was noted on the payment, once. The rows made here for it keep the key and reference under which
 * it goes back.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE unapplied_receipts (
      id text PRIMARY KEY,
      tenant_id text NOT NULL,
      organization_id text NOT NULL,
      payment_id text NOT NULL REFERENCES payments,
      processor text NOT NULL,
      -- Which money it is: 'charge' for what the processor charged for the payment, else the event that told of a transfer.
      money text NOT NULL,
      processor_reference text,
      currency char(3) NOT NULL,
      amount_minor bigint NOT NULL CHECK (amount_minor > 0),
      -- False: it is only held, and nothing is booked.
      is_taken boolean NOT NULL,
      status text NOT NULL CHECK (status IN ('returning', 'returned', 'refused')),
      status_detail text NOT NULL,
      -- What the processor knows its return by.
      reference text NOT NULL UNIQUE,
      idempotency_key text NOT NULL UNIQUE,
      sends integer NOT NULL DEFAULT 0,
      sent_at timestamptz(3),
      review_since timestamptz(3),
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3) NOT NULL DEFAULT now(),
      CONSTRAINT unapplied_receipts_once UNIQUE (payment_id, processor, money)
    );
    CREATE INDEX unapplied_receipts_open ON unapplied_receipts (id) WHERE status = 'returning';
    CREATE INDEX unapplied_receipts_for_review ON unapplied_receipts (review_since) WHERE review_since IS NOT NULL;
    GRANT SELECT, INSERT, UPDATE ON unapplied_receipts TO tillway_app, tillway_system;

    INSERT INTO unapplied_receipts (id, tenant_id, organization_id, payment_id, processor, money, currency, amount_minor,
      is_taken, status, status_detail, reference, idempotency_key, sends, sent_at, created_at)
    SELECT 'rcp_' || substr(p.id, 5), p.tenant_id, p.organization_id, p.id, coalesce(a.owner, p.processor), 'charge', t.currency,
      t.amount_minor, true, CASE WHEN r.id IS NULL THEN 'returning' ELSE 'returned' END,
      'It arrived after the payment had ended.', p.id || '/late', 'payment/' || p.id || '/late', 1, t.booked_at, t.booked_at
    FROM ledger_transfers t JOIN payments p ON t.tenant_id = p.tenant_id AND t.cause = p.id || '/late'
    LEFT JOIN ledger_accounts a ON a.id = t.debit_account_id
    LEFT JOIN ledger_transfers r ON r.tenant_id = p.tenant_id AND r.cause = p.id || '/late-returned';
  `);
  await isolateByTenant(knex, 'unapplied_receipts');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE unapplied_receipts');
}
