import type { Knex } from 'knex';
import { installFunctions } from '../install-functions';
import { isolateByTenant, makeAppendOnly } from '../tenant-policy';

/** Payments with their captures, refunds, disputes and timeline, and the method catalogue. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE payment_methods_catalogue (
      id integer PRIMARY KEY,
      kind text NOT NULL,
      brand text NOT NULL,
      name text NOT NULL,
      processor text NOT NULL,
      countries text[] NOT NULL DEFAULT '{}',
      currencies text[] NOT NULL DEFAULT '{}',
      sandbox boolean NOT NULL DEFAULT true
    );
    CREATE TABLE production_methods (
      tenant_id text NOT NULL REFERENCES tenants,
      method_id integer NOT NULL REFERENCES payment_methods_catalogue,
      PRIMARY KEY (tenant_id, method_id)
    );

    CREATE TABLE payments (
      id text PRIMARY KEY,
      tenant_id text NOT NULL,
      organization_id text NOT NULL,
      terminal_id text NOT NULL REFERENCES merchant_accounts (terminal_id),
      merchant_transaction_id text NOT NULL,
      method_id integer NOT NULL REFERENCES payment_methods_catalogue,
      kind text NOT NULL,
      brand text NOT NULL,
      processor text NOT NULL,
      currency char(3) NOT NULL,
      amount_minor bigint NOT NULL CHECK (amount_minor > 0),
      capture_mode text NOT NULL CHECK (capture_mode IN ('automatic', 'manual')),
      status text NOT NULL,
      result_code integer NOT NULL,
      status_detail text NOT NULL,
      authorized_minor bigint NOT NULL DEFAULT 0,
      captured_minor bigint NOT NULL DEFAULT 0,
      refunded_minor bigint NOT NULL DEFAULT 0,
      refund_reserved_minor bigint NOT NULL DEFAULT 0,
      charged_back_minor bigint NOT NULL DEFAULT 0,
      settled_at timestamptz(3),
      request jsonb NOT NULL,
      customer_id text,
      card_id text REFERENCES vault_cards,
      card_bin text,
      card_last4 text,
      card_holder text,
      card_expiry_month text,
      card_expiry_year text,
      card_token text,
      action jsonb,
      waits_until timestamptz(3),
      provider_reference text,
      attempts integer NOT NULL DEFAULT 0,
      version integer NOT NULL DEFAULT 1,
      submitted_at timestamptz(3),
      unknown_since timestamptz(3),
      review_reason text,
      review_since timestamptz(3),
      request_id text,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3) NOT NULL DEFAULT now(),
      CONSTRAINT payments_transaction_once UNIQUE (organization_id, merchant_transaction_id),
      FOREIGN KEY (organization_id, tenant_id) REFERENCES organizations (id, tenant_id),
      CHECK (authorized_minor BETWEEN 0 AND amount_minor),
      CHECK (captured_minor BETWEEN 0 AND authorized_minor),
      CHECK (refunded_minor >= 0 AND refund_reserved_minor >= 0 AND charged_back_minor >= 0),
      CONSTRAINT payments_refunds_within_capture
        CHECK (refunded_minor + refund_reserved_minor + charged_back_minor <= captured_minor)
    );
    CREATE INDEX payments_by_organization ON payments (organization_id, id DESC);
    CREATE INDEX payments_by_tenant ON payments (tenant_id, id DESC);
    CREATE INDEX payments_open ON payments (created_at)
      WHERE status IN ('initiated', 'pending', 'requires_action');
    CREATE INDEX payments_for_review ON payments (review_since) WHERE review_since IS NOT NULL;

    CREATE TABLE payment_events (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      payment_id text NOT NULL REFERENCES payments,
      tenant_id text NOT NULL,
      from_status text,
      to_status text NOT NULL,
      result_code integer NOT NULL,
      cause text NOT NULL,
      detail text NOT NULL,
      at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
    );
    CREATE INDEX payment_events_by_payment ON payment_events (payment_id, id);

    -- Captures and voids: what was asked of the provider, and what became of it. One at a time per payment.
    CREATE TABLE payment_operations (
      id text PRIMARY KEY,
      tenant_id text NOT NULL,
      payment_id text NOT NULL REFERENCES payments,
      kind text NOT NULL CHECK (kind IN ('capture', 'void')),
      amount_minor bigint NOT NULL CHECK (amount_minor > 0),
      status text NOT NULL CHECK (status IN ('pending', 'succeeded', 'failed')),
      cause text NOT NULL,
      sent_at timestamptz(3) NOT NULL DEFAULT now(),
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3) NOT NULL DEFAULT now()
    );
    CREATE UNIQUE INDEX payment_operations_one_pending ON payment_operations (payment_id) WHERE status = 'pending';
    CREATE INDEX payment_operations_by_payment ON payment_operations (payment_id, id);

    CREATE TABLE refunds (
      id text PRIMARY KEY,
      tenant_id text NOT NULL,
      organization_id text NOT NULL,
      payment_id text NOT NULL REFERENCES payments,
      currency char(3) NOT NULL,
      amount_minor bigint NOT NULL CHECK (amount_minor > 0),
      reason text,
      status text NOT NULL CHECK (status IN ('pending', 'succeeded', 'declined')),
      result_code integer NOT NULL,
      status_detail text NOT NULL,
      cause text NOT NULL,
      attempts integer NOT NULL DEFAULT 0,
      submitted_at timestamptz(3),
      unknown_since timestamptz(3),
      settled_at timestamptz(3),
      review_since timestamptz(3),
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3) NOT NULL DEFAULT now()
    );
    CREATE INDEX refunds_by_payment ON refunds (payment_id, id);

    CREATE TABLE disputes (
      id text PRIMARY KEY,
      tenant_id text NOT NULL,
      organization_id text NOT NULL,
      payment_id text NOT NULL REFERENCES payments,
      processor text NOT NULL,
      case_id text NOT NULL,
      currency char(3) NOT NULL,
      amount_minor bigint NOT NULL CHECK (amount_minor > 0),
      reason text,
      status text NOT NULL CHECK (status IN ('open', 'evidence_submitted', 'won', 'lost')),
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3) NOT NULL DEFAULT now(),
      CONSTRAINT disputes_case_once UNIQUE (processor, case_id)
    );
    CREATE INDEX disputes_by_payment ON disputes (payment_id, id);

    CREATE TABLE settlement_batches (
      processor text NOT NULL,
      batch_id text NOT NULL,
      booked_at timestamptz(3) NOT NULL DEFAULT now(),
      line_count integer NOT NULL,
      PRIMARY KEY (processor, batch_id)
    );
    CREATE TABLE settlement_lines (
      processor text NOT NULL,
      line_id text NOT NULL,
      batch_id text NOT NULL,
      tenant_id text,
      kind text NOT NULL,
      reference text NOT NULL,
      payment_reference text NOT NULL,
      currency char(3) NOT NULL,
      amount_minor bigint NOT NULL,
      fee_minor bigint NOT NULL,
      outcome text NOT NULL CHECK (outcome IN ('matched', 'missing_here', 'different_amount')),
      booked_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (processor, line_id)
    );
    CREATE INDEX settlement_lines_by_payment ON settlement_lines (payment_reference);

    GRANT SELECT ON payment_methods_catalogue, production_methods TO tillway_app, tillway_system, tillway_ops;
    GRANT INSERT, UPDATE ON payment_methods_catalogue TO tillway_system;
    GRANT SELECT, INSERT, UPDATE ON payments, payment_operations, refunds, disputes TO tillway_app, tillway_system;
    -- Only an accepted request that was never sent anywhere is ever taken back.
    GRANT DELETE ON payments TO tillway_app;
    GRANT SELECT, INSERT ON payment_events TO tillway_app, tillway_system;
    GRANT SELECT, INSERT ON settlement_batches, settlement_lines TO tillway_system;
    GRANT SELECT ON settlement_batches TO tillway_ops;
  `);
  await installFunctions(knex, { refuse_removal_of_sent_payment: 1 });
  await knex.raw(`
    CREATE TRIGGER payments_stay BEFORE DELETE ON payments
      FOR EACH ROW EXECUTE FUNCTION refuse_removal_of_sent_payment();
  `);
  for (const table of ['payments', 'payment_events', 'payment_operations', 'refunds', 'disputes', 'settlement_lines'])
    await isolateByTenant(knex, table);
  await makeAppendOnly(knex, 'payment_events');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE settlement_lines, settlement_batches, disputes, refunds, payment_operations, payment_events, payments,
      production_methods, payment_methods_catalogue;
    DROP FUNCTION refuse_removal_of_sent_payment();
  `);
}
