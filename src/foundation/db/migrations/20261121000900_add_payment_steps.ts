import type { Knex } from 'knex';

/**
 * The three steps every payment takes, each one round trip and one transaction: accept, claim, move. What a step means
 * is decided by the program; these functions only write it down, all of it or nothing.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- An accepted request: the sealed card, if it came along, and the payment.
    CREATE FUNCTION payment_accept(tenant text, accepted jsonb, fingerprint bytea, key_id text, wrapped_key bytea,
      sealed bytea, cvv bytea, cvv_expires_at timestamptz)
    RETURNS TABLE (created_at timestamptz(3), updated_at timestamptz(3)) LANGUAGE plpgsql AS $$
    DECLARE fresh payments := jsonb_populate_record(NULL::payments, accepted);
    BEGIN
      PERFORM set_config('tillway.tenant', tenant, true);
      IF sealed IS NOT NULL THEN
        INSERT INTO vault_cards (id, tenant_id, fingerprint, key_id, wrapped_key, sealed)
        VALUES (fresh.card_id, tenant, fingerprint, key_id, wrapped_key, sealed);
        IF cvv IS NOT NULL THEN
          INSERT INTO vault_cvvs (card_id, tenant_id, sealed, expires_at)
          VALUES (fresh.card_id, tenant, cvv, cvv_expires_at);
        END IF;
      END IF;
      RETURN QUERY INSERT INTO payments (id, tenant_id, organization_id, terminal_id, merchant_transaction_id, method_id,
        kind, brand, processor, currency, amount_minor, capture_mode, status, result_code, status_detail, request,
        customer_id, card_id, card_bin, card_last4, card_holder, card_expiry_month, card_expiry_year, card_token,
        request_id)
      VALUES (fresh.id, tenant, fresh.organization_id, fresh.terminal_id, fresh.merchant_transaction_id, fresh.method_id,
        fresh.kind, fresh.brand, fresh.processor, fresh.currency, fresh.amount_minor, fresh.capture_mode, fresh.status,
        fresh.result_code, fresh.status_detail, fresh.request, fresh.customer_id, fresh.card_id, fresh.card_bin,
        fresh.card_last4, fresh.card_holder, fresh.card_expiry_month, fresh.card_expiry_year, fresh.card_token,
        fresh.request_id)
      RETURNING payments.created_at, payments.updated_at;
    END $$;

    -- Marks a fresh payment as being sent, before anything is sent, and hands over its sealed card.
    CREATE FUNCTION payment_claim(tenant text, wanted text)
    RETURNS TABLE (payment payments, key_id text, wrapped_key bytea, sealed bytea, cvv bytea) LANGUAGE plpgsql AS $$
    DECLARE claimed payments;
    BEGIN
      PERFORM set_config('tillway.tenant', tenant, true);
      UPDATE payments SET attempts = attempts + 1, version = version + 1,
        submitted_at = coalesce(submitted_at, clock_timestamp())
      WHERE id = wanted AND status = 'initiated' RETURNING * INTO claimed;
      IF NOT FOUND THEN RETURN; END IF;
      RETURN QUERY SELECT claimed, c.key_id, c.wrapped_key, c.sealed, v.sealed
        FROM (SELECT claimed.card_id AS id) wanted_card
        LEFT JOIN vault_cards c ON c.id = wanted_card.id
        LEFT JOIN vault_cvvs v ON v.card_id = c.id AND v.expires_at > now();
    END $$;

    -- A payment as its flow sees it, with the capture or void that is under way.
    CREATE FUNCTION payment_read(tenant text, wanted text)
    RETURNS TABLE (payment payments, operation payment_operations) LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM set_config('tillway.tenant', tenant, true);
      RETURN QUERY SELECT p, o FROM payments p
        LEFT JOIN payment_operations o ON o.payment_id = p.id AND o.status = 'pending' WHERE p.id = wanted;
    END $$;

    -- One step of a payment: the row, its timeline and its entries. No row comes back when somebody else was faster.
    CREATE FUNCTION payment_move(tenant text, wanted text, expected integer, columns jsonb, because text, code text,
      debits bigint[], debits_guarded boolean[], credits bigint[], credits_guarded boolean[], amounts bigint[],
      phases text[], pending_causes text[], causes text[], forget_cvv boolean, announce text)
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
      RETURN NEXT;
    END $$;
    GRANT EXECUTE ON FUNCTION payment_accept, payment_claim, payment_read, payment_move TO tillway_app, tillway_system;
    GRANT SELECT, DELETE ON vault_cvvs TO tillway_system;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP FUNCTION payment_accept, payment_claim, payment_read, payment_move');
}
