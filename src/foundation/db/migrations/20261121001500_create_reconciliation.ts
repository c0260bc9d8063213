import type { Knex } from 'knex';
import { installFunctions } from '../install-functions';
import { isolateByTenant } from '../tenant-policy';

/**
 * Reports of processors held against the ledger, line by line. Every line of a report is kept from the start; `movement`
 * is the cause of the ledger transfer it was matched with, each movement by one line.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE settlement_batches ADD COLUMN closed_at timestamptz(3) NOT NULL DEFAULT now();
    -- The owner of the tables is under their row-level security as well.
    ALTER TABLE settlement_lines NO FORCE ROW LEVEL SECURITY;
    ALTER TABLE settlement_lines
      ADD COLUMN movement text,
      DROP CONSTRAINT settlement_lines_outcome_check;
    UPDATE settlement_lines SET movement = payment_reference || '/capture'
      WHERE outcome = 'matched' AND kind = 'capture';
    UPDATE settlement_lines SET movement = reference || '/post' WHERE outcome = 'matched' AND kind = 'refund';
    UPDATE settlement_lines SET outcome = 'waiting' WHERE outcome <> 'matched';
    ALTER TABLE settlement_lines
      ADD CONSTRAINT settlement_lines_outcome_check CHECK (outcome IN ('waiting', 'matched', 'adjusted'));
    ALTER TABLE settlement_lines FORCE ROW LEVEL SECURITY;
    CREATE UNIQUE INDEX settlement_lines_movement_once ON settlement_lines (tenant_id, movement)
      WHERE movement IS NOT NULL;
    CREATE INDEX settlement_lines_by_batch ON settlement_lines (processor, batch_id, line_id);
    CREATE INDEX settlement_lines_waiting ON settlement_lines (processor, line_id) WHERE outcome = 'waiting';
    CREATE INDEX settlement_lines_by_time ON settlement_lines (processor, booked_at);
    CREATE INDEX payments_unsettled ON payments (processor, id) WHERE settled_at IS NULL AND captured_minor > 0;
    CREATE INDEX refunds_unsettled ON refunds (payment_id) WHERE settled_at IS NULL AND status = 'succeeded';

    -- What a processor is to keep of a capture.
    CREATE TABLE processor_fee_terms (
      processor text NOT NULL,
      -- NULL: every currency that has no terms of its own.
      currency char(3),
      basis_points integer NOT NULL CHECK (basis_points BETWEEN 0 AND 10000),
      fixed_minor bigint NOT NULL CHECK (fixed_minor >= 0),
      valid_from timestamptz(3) NOT NULL,
      UNIQUE NULLS NOT DISTINCT (processor, currency, valid_from)
    );
    CREATE TABLE reconciliation_runs (
      id text PRIMARY KEY,
      processor text NOT NULL,
      status text NOT NULL CHECK (status IN ('running', 'done', 'failed')),
      started_by text NOT NULL,
      grace_ms bigint NOT NULL,
      counts jsonb,
      started_at timestamptz(3) NOT NULL DEFAULT now(),
      finished_at timestamptz(3)
    );
    CREATE INDEX reconciliation_runs_by_processor ON reconciliation_runs (processor, started_at DESC);

    CREATE TABLE reconciliation_differences (
      id text PRIMARY KEY,
      -- NULL: the line names nothing of ours.
      tenant_id text,
      processor text NOT NULL,
      kind text NOT NULL CHECK (kind IN ('missing_here', 'missing_there', 'different_amount', 'different_fee')),
      line_kind text NOT NULL CHECK (line_kind IN ('capture', 'refund', 'chargeback', 'chargeback_reversal')),
      line_id text,
      batch_id text,
      movement text,
      reference text NOT NULL,
      payment_reference text NOT NULL,
      currency char(3) NOT NULL,
      -- Theirs and ours: amounts, or for different_fee the fees.
      reported_minor bigint,
      expected_minor bigint,
      fee_minor bigint NOT NULL DEFAULT 0,
      status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'resolved', 'matched_later')),
      resolution text CHECK (resolution IN ('book', 'write_off', 'provider_corrects')),
      reason text,
      resolved_by text,
      found_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      closed_at timestamptz(3),
      CHECK ((status = 'open') = (closed_at IS NULL)),
      CHECK ((status = 'resolved') = (resolution IS NOT NULL)),
      CHECK (kind <> 'missing_there' OR (movement IS NOT NULL AND tenant_id IS NOT NULL)),
      CHECK (kind = 'missing_there' OR line_id IS NOT NULL)
    );
    CREATE UNIQUE INDEX reconciliation_differences_line_once ON reconciliation_differences (processor, line_id)
      WHERE line_id IS NOT NULL AND kind IN ('missing_here', 'different_amount') AND status <> 'matched_later';
    CREATE UNIQUE INDEX reconciliation_differences_fee_once ON reconciliation_differences (processor, line_id)
      WHERE kind = 'different_fee';
    CREATE UNIQUE INDEX reconciliation_differences_movement_once ON reconciliation_differences (tenant_id, movement)
      WHERE kind = 'missing_there' AND status <> 'matched_later';
    CREATE INDEX reconciliation_differences_by_movement ON reconciliation_differences (tenant_id, movement)
      WHERE movement IS NOT NULL;
    CREATE INDEX reconciliation_differences_open ON reconciliation_differences (processor, kind) WHERE status = 'open';
    CREATE INDEX reconciliation_differences_by_tenant ON reconciliation_differences (tenant_id, id DESC);
    CREATE INDEX reconciliation_differences_by_payment ON reconciliation_differences (payment_reference);

    GRANT UPDATE ON settlement_lines, settlement_batches TO tillway_system;
    GRANT SELECT, INSERT, UPDATE ON processor_fee_terms, reconciliation_runs, reconciliation_differences
      TO tillway_system;
    GRANT SELECT ON reconciliation_differences TO tillway_app;
    GRANT SELECT ON processor_fee_terms, reconciliation_runs TO tillway_ops;
  `);
  await installFunctions(knex, { expected_fee: 1 });
  await isolateByTenant(knex, 'reconciliation_differences');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE reconciliation_differences, reconciliation_runs;
    DROP FUNCTION expected_fee(text, text, bigint, timestamptz);
    DROP TABLE processor_fee_terms;
    DROP INDEX refunds_unsettled, payments_unsettled, settlement_lines_by_time, settlement_lines_waiting,
      settlement_lines_by_batch, settlement_lines_movement_once;
    ALTER TABLE settlement_lines NO FORCE ROW LEVEL SECURITY;
    ALTER TABLE settlement_lines DROP CONSTRAINT settlement_lines_outcome_check, DROP COLUMN movement;
    UPDATE settlement_lines SET outcome = 'missing_here' WHERE outcome = 'waiting';
    UPDATE settlement_lines SET outcome = 'different_amount' WHERE outcome = 'adjusted';
    ALTER TABLE settlement_lines ADD CONSTRAINT settlement_lines_outcome_check
      CHECK (outcome IN ('matched', 'missing_here', 'different_amount'));
    ALTER TABLE settlement_lines FORCE ROW LEVEL SECURITY;
    ALTER TABLE settlement_batches DROP COLUMN closed_at;
    REVOKE UPDATE ON settlement_lines, settlement_batches FROM tillway_system;
  `);
}
