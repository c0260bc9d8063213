import type { Knex } from 'knex';
import { installFunctions } from '../install-functions';
import { isolateByTenant } from '../tenant-policy';

/**
 * One row for each processor that a payment was sent to. Each capture, void, refund and receipt belongs to one of them.
 * Until now a payment remembered the last of them only. Its columns that say so stay in step for the processes of the
 * version before; the next version drops them.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    LOCK TABLE payments IN SHARE ROW EXCLUSIVE MODE;
    CREATE TABLE payment_attempts (
      payment_id text NOT NULL REFERENCES payments,
      processor text NOT NULL,
      tenant_id text NOT NULL,
      -- The order in which the processors of a payment were tried, from 1.
      number integer NOT NULL,
      status text NOT NULL CHECK (status IN
        ('pending', 'requires_action', 'authorized', 'captured', 'voided', 'declined', 'nothing_charged')),
      detail text NOT NULL,
      processor_reference text,
      -- How often the authorization was sent, and when last. Never: the processor moved money without our asking.
      sends integer NOT NULL,
      sent_at timestamptz(3),
      -- The processor did not know it when the time of the request was over. It is asked again: the request may come late.
      ask_again_at timestamptz(3),
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      PRIMARY KEY (payment_id, processor),
      CHECK ((sends = 0) = (sent_at IS NULL))
    );

    -- The processors of the route before the one that serves a payment are known to have charged nothing.
    INSERT INTO payment_attempts (payment_id, processor, tenant_id, number, status, detail, sends, sent_at, created_at,
      updated_at)
    SELECT p.id, tried.processor, p.tenant_id, tried.number, 'nothing_charged', 'It charged nothing.', 1, p.created_at,
      p.created_at, p.created_at
    FROM payments p
    CROSS JOIN LATERAL jsonb_array_elements_text(p.request->'route'->'processors') WITH ORDINALITY
      AS tried(processor, number)
    JOIN LATERAL (SELECT number FROM jsonb_array_elements_text(p.request->'route'->'processors') WITH ORDINALITY
      AS named(processor, number) WHERE named.processor = p.processor) AS serving ON tried.number < serving.number
    WHERE p.attempts > 0;

    INSERT INTO payment_attempts (payment_id, processor, tenant_id, number, status, detail, processor_reference, sends,
      sent_at, created_at, updated_at)
    SELECT p.id, p.processor, p.tenant_id,
      1 + (SELECT count(*) FROM payment_attempts earlier WHERE earlier.payment_id = p.id),
      CASE WHEN p.status IN ('pending', 'requires_action', 'authorized') THEN p.status
        WHEN p.status = 'initiated' THEN 'pending'
        WHEN p.status IN ('cancelled', 'expired') THEN 'voided'
        WHEN p.status = 'failed' THEN CASE p.result_code WHEN 501 THEN 'nothing_charged' ELSE 'declined' END
        ELSE 'captured' END,
      p.status_detail, p.provider_reference, p.attempts, coalesce(p.submitted_at, p.created_at), p.created_at, p.updated_at
    FROM payments p WHERE p.attempts > 0;

    -- What a processor had for a payment that had ended, or that it was never asked for.
    INSERT INTO payment_attempts (payment_id, processor, tenant_id, number, status, detail, processor_reference, sends,
      created_at, updated_at)
    SELECT DISTINCT ON (r.payment_id, r.processor) r.payment_id, r.processor, r.tenant_id,
      1 + (SELECT count(*) FROM payment_attempts earlier WHERE earlier.payment_id = r.payment_id), 
      CASE WHEN r.is_taken THEN 'captured' WHEN r.status = 'returned' THEN 'voided' ELSE 'authorized' END,
      r.status_detail, r.processor_reference, 0, r.created_at, r.updated_at
    FROM unapplied_receipts r ORDER BY r.payment_id, r.processor, r.is_taken DESC, r.created_at
    ON CONFLICT (payment_id, processor) DO UPDATE SET status = excluded.status, detail = excluded.detail;

    CREATE INDEX payment_attempts_reference ON payment_attempts (processor, processor_reference)
      WHERE processor_reference IS NOT NULL;
    CREATE INDEX payment_attempts_to_ask ON payment_attempts (ask_again_at) WHERE ask_again_at IS NOT NULL;
    GRANT SELECT, INSERT, UPDATE ON payment_attempts TO tillway_app, tillway_system;

    -- NULL: written by a process of the version before, for the processor that serves the payment; or never sent anywhere.
    ALTER TABLE payment_operations ADD COLUMN processor text;
    ALTER TABLE refunds ADD COLUMN processor text;
    UPDATE payment_operations o SET processor = p.processor FROM payments p WHERE p.id = o.payment_id AND p.attempts > 0;
    UPDATE refunds r SET processor = p.processor FROM payments p WHERE p.id = r.payment_id AND p.attempts > 0;
    ALTER TABLE payment_operations ADD CONSTRAINT payment_operations_of_attempt
      FOREIGN KEY (payment_id, processor) REFERENCES payment_attempts;
    ALTER TABLE refunds ADD CONSTRAINT refunds_of_attempt
      FOREIGN KEY (payment_id, processor) REFERENCES payment_attempts;
    ALTER TABLE unapplied_receipts ADD CONSTRAINT unapplied_receipts_of_attempt
      FOREIGN KEY (payment_id, processor) REFERENCES payment_attempts;
  `);
  await isolateByTenant(knex, 'payment_attempts');
  await installFunctions(knex, { payment_claim: 3, payment_move: 3, payment_read_2: 1 });
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP FUNCTION payment_read_2;
    ALTER TABLE unapplied_receipts DROP CONSTRAINT unapplied_receipts_of_attempt;
    ALTER TABLE refunds DROP COLUMN processor;
    ALTER TABLE payment_operations DROP COLUMN processor;
  `);
  await installFunctions(knex, { payment_claim: 2, payment_move: 2 });
  await knex.raw('DROP TABLE payment_attempts');
}
