import type { Knex } from 'knex';
import { isolateByTenant } from '../tenant-policy';

/**
 * What merchants are to be told, written in the transaction of the step it tells about (`payment_move`), and a payment's
 * step that may also change the processor (fail-over). The body is kept as the text that is signed and sent.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE notifications (
      id text PRIMARY KEY,
      tenant_id text NOT NULL,
      organization_id text NOT NULL,
      terminal_id text NOT NULL REFERENCES merchant_accounts (terminal_id),
      -- Absent on a test.
      payment_id text REFERENCES payments,
      -- Order within a payment: its version after the step.
      sequence integer NOT NULL,
      type text NOT NULL,
      url text NOT NULL,
      -- Scheme, host and port of the url: what is down is down as a whole.
      endpoint text NOT NULL,
      body text NOT NULL,
      state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed')),
      attempts integer NOT NULL DEFAULT 0,
      next_attempt_at timestamptz(3) DEFAULT now(),
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      delivered_at timestamptz(3)
    );
    CREATE INDEX notifications_due ON notifications (organization_id, endpoint, next_attempt_at) WHERE state = 'pending';
    CREATE INDEX notifications_by_payment ON notifications (payment_id, sequence) WHERE state = 'pending';
    CREATE INDEX notifications_by_organization ON notifications (organization_id, id DESC);
    GRANT SELECT, INSERT ON notifications TO tillway_app;
    GRANT SELECT, INSERT, UPDATE ON notifications TO tillway_system;
  `);
  await isolateByTenant(knex, 'notifications');
  await knex.raw('DROP FUNCTION payment_move');
  await knex.raw(paymentMove(true));
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP FUNCTION payment_move');
  await knex.raw(paymentMove(false));
  await knex.raw('DROP TABLE notifications');
}

/** One step of a payment: the row, its timeline, its entries, and what the merchant is told. */
function paymentMove(tells: boolean): string {
  return `
    CREATE FUNCTION payment_move(tenant text, wanted text, expected integer, columns jsonb, because text, code text,
      debits bigint[], debits_guarded boolean[], credits bigint[], credits_guarded boolean[], amounts bigint[],
      phases text[], pending_causes text[], causes text[], forget_cvv boolean, announce text${tells ? ', told jsonb' : ''})
    RETURNS TABLE (version integer, updated_at timestamptz(3)) LANGUAGE plpgsql AS $$
    DECLARE
      before payments;
      after payments;
    BEGIN
      PERFORM set_config('tillway.tenant', tenant, true);
      SELECT * INTO before FROM payments p WHERE p.id = wanted AND p.version = expected FOR UPDATE;
      IF NOT FOUND THEN RETURN; END IF;
      after := jsonb_populate_record(before, columns);
      UPDATE payments p SET status = after.status, result_code = after.result_code, status_detail = after.status_detail,
        authorized_minor = after.authorized_minor, captured_minor = after.captured_minor,
        refunded_minor = after.refunded_minor, refund_reserved_minor = after.refund_reserved_minor,
        charged_back_minor = after.charged_back_minor, action = after.action, waits_until = after.waits_until,
        provider_reference = after.provider_reference, unknown_since = after.unknown_since,
        review_reason = after.review_reason, review_since = after.review_since, card_token = after.card_token,
        ${tells ? 'processor = after.processor, submitted_at = after.submitted_at,' : ''}
        version = p.version + 1, updated_at = clock_timestamp()
      WHERE p.id = wanted RETURNING p.version, p.updated_at INTO payment_move.version, payment_move.updated_at;
      INSERT INTO payment_events (payment_id, tenant_id, from_status, to_status, result_code, cause, detail)
      VALUES (wanted, tenant, before.status, after.status, after.result_code, because, after.status_detail);
      IF cardinality(causes) > 0 THEN
        PERFORM ledger_book(tenant, code, debits, debits_guarded, credits, credits_guarded, amounts, phases,
          pending_causes, causes);
      END IF;
      IF forget_cvv THEN DELETE FROM vault_cvvs v WHERE v.card_id = before.card_id; END IF;
      IF announce IS NOT NULL THEN PERFORM pg_notify('tillway_first_answer', announce); END IF;
      ${tells ? TELL : ''}
      RETURN NEXT;
    END $$;
    GRANT EXECUTE ON FUNCTION payment_move TO tillway_app, tillway_system;`;
}

/** The time of the step is the database's: the body carries the notification's own id where it belongs. */
const TELL = `
      IF told IS NOT NULL THEN
        INSERT INTO notifications (id, tenant_id, organization_id, terminal_id, payment_id, sequence, type, url, endpoint,
          body, created_at)
        VALUES (told->>'id', tenant, before.organization_id, before.terminal_id, wanted, payment_move.version,
          told->>'type', told->>'url', told->>'endpoint',
          replace(told->>'body', '@' || (told->>'id'), to_char(payment_move.updated_at AT TIME ZONE 'UTC',
            'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')), payment_move.updated_at);
        PERFORM pg_notify('tillway_notification', before.organization_id || ' ' || (told->>'endpoint'));
      END IF;`;
