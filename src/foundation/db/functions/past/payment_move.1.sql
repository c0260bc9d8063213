-- payment_move, version 1
--
-- As version 2, but it notifies nobody, and a step cannot change the processor or the time of sending.
CREATE OR REPLACE FUNCTION payment_move(
  tenant text, wanted text, expected integer, columns jsonb, because text,
  code text, debits bigint[], debits_guarded boolean[], credits bigint[], credits_guarded boolean[], amounts bigint[],
  phases text[], pending_causes text[], causes text[],
  forget_cvv boolean, announce text
) RETURNS TABLE (version integer, updated_at timestamptz(3)) LANGUAGE plpgsql AS $$
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
GRANT EXECUTE ON FUNCTION payment_move TO tillway_app, tillway_system;
