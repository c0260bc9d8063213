import type { Knex } from 'knex';
import { isolateByTenant, makeAppendOnly } from '../tenant-policy';

/**
 * Disputes with evidence, second presentment and a timeline. What a second presentment brought back for the time being
 * is `contested_minor` of the payment: it is in the books again, and cannot be refunded until the dispute is won.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE payments
      ADD COLUMN contested_minor bigint NOT NULL DEFAULT 0 CHECK (contested_minor >= 0),
      DROP CONSTRAINT payments_refunds_within_capture,
      ADD CONSTRAINT payments_refunds_within_capture
        CHECK (refunded_minor + refund_reserved_minor + charged_back_minor + contested_minor <= captured_minor);

    ALTER TABLE disputes
      ADD COLUMN kind text NOT NULL DEFAULT 'chargeback' CHECK (kind IN ('chargeback', 'return')),
      ADD COLUMN status_detail text NOT NULL DEFAULT '',
      ADD COLUMN evidence_due_at timestamptz(3),
      ADD COLUMN presented_at timestamptz(3),
      ADD COLUMN second_presentment_at timestamptz(3),
      ADD COLUMN closed_at timestamptz(3),
      DROP CONSTRAINT disputes_status_check,
      ADD CONSTRAINT disputes_status_check
        CHECK (status IN ('flagged', 'open', 'evidence_submitted', 'won', 'lost'));
    CREATE INDEX disputes_by_organization ON disputes (organization_id, id DESC);
    CREATE INDEX disputes_not_ended ON disputes (id) WHERE status NOT IN ('won', 'lost');

    CREATE TABLE dispute_events (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      dispute_id text NOT NULL REFERENCES disputes,
      tenant_id text NOT NULL,
      step text NOT NULL,
      from_status text,
      to_status text NOT NULL,
      -- What it moved, as the merchant sees it: negative is money that goes.
      moved_minor bigint NOT NULL,
      cause text NOT NULL,
      detail text NOT NULL,
      at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
    );
    CREATE INDEX dispute_events_by_dispute ON dispute_events (dispute_id, id);

    -- What the merchant wants the processor to be told: written before it is sent, one at a time per dispute.
    CREATE TABLE dispute_operations (
      id text PRIMARY KEY,
      tenant_id text NOT NULL,
      dispute_id text NOT NULL REFERENCES disputes,
      kind text NOT NULL CHECK (kind IN ('evidence', 'second_presentment', 'acceptance')),
      status text NOT NULL CHECK (status IN ('pending', 'succeeded', 'failed')),
      detail text NOT NULL,
      attempts integer NOT NULL DEFAULT 0,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3) NOT NULL DEFAULT now()
    );
    CREATE UNIQUE INDEX dispute_operations_one_pending ON dispute_operations (dispute_id) WHERE status = 'pending';
    CREATE INDEX dispute_operations_by_dispute ON dispute_operations (dispute_id, id);
    CREATE INDEX dispute_operations_pending ON dispute_operations (created_at) WHERE status = 'pending';

    CREATE TABLE dispute_evidence (
      id text PRIMARY KEY REFERENCES dispute_operations,
      tenant_id text NOT NULL,
      -- Name, type and size of each document; their content and the text are sealed.
      documents jsonb NOT NULL,
      sealed bytea NOT NULL
    );

    GRANT SELECT, INSERT ON dispute_events TO tillway_app, tillway_system;
    GRANT SELECT, INSERT, UPDATE ON dispute_operations TO tillway_app, tillway_system;
    GRANT SELECT, INSERT ON dispute_evidence TO tillway_app;
    GRANT SELECT, UPDATE ON dispute_evidence TO tillway_system;
  `);
  for (const table of ['dispute_events', 'dispute_operations', 'dispute_evidence']) await isolateByTenant(knex, table);
  await knex.raw('REVOKE ALL ON dispute_evidence FROM tillway_ops');
  await makeAppendOnly(knex, 'dispute_events');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE dispute_evidence, dispute_operations, dispute_events;
    DROP INDEX disputes_not_ended, disputes_by_organization;
    ALTER TABLE disputes
      DROP CONSTRAINT disputes_status_check,
      ADD CONSTRAINT disputes_status_check CHECK (status IN ('open', 'evidence_submitted', 'won', 'lost')) NOT VALID,
      DROP COLUMN closed_at, DROP COLUMN second_presentment_at, DROP COLUMN presented_at,
      DROP COLUMN evidence_due_at, DROP COLUMN status_detail, DROP COLUMN kind;
    ALTER TABLE payments DROP CONSTRAINT payments_refunds_within_capture;
    ALTER TABLE payments DROP COLUMN contested_minor,
      ADD CONSTRAINT payments_refunds_within_capture
        CHECK (refunded_minor + refund_reserved_minor + charged_back_minor <= captured_minor);
  `);
}
