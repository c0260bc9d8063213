-- payment_move, version 7
--
-- Every further step of a payment, all of it or nothing: the row, its timeline, its transfers in the ledger, and the
-- notification of the merchant. A card attempt that ends otherwise than by a decline counts no longer
-- (card_attempt_admit). One that has ended needs no flow any more. The program decides what a step means; this function writes it down. One round trip; inside a
-- transaction or as a transaction of its own.
--
--   tenant         the tenant; sets tillway.tenant until the transaction ends
--   wanted         the id of the payment
--   expected       the version that the caller has read and decided on
--   columns        the columns to change as JSON, by their names; amounts in minor units. Only the columns that the
--                  UPDATE below names can change. `attempt`: what became of the attempt that serves the payment, with
--                  `status`, where the processor gave one `reference`, and `askAgainMs` where it is asked again after its
--                  end; absent: nothing. A step to another `processor` ends the attempt, which charged nothing, and opens
--                  one there, sent now.
--   because        the cause of the step, for the timeline
--   code to causes the transfers to book, as in ledger_book; the arrays are empty when nothing is booked
--   forget_cvv     whether the authorization has ended: the security code of the payment's card is deleted, and the card is
--                  erased unless something else needs it (vault_forget_card)
--   announce       what to say on the channel tillway_first_answer, where the API waits for the first answer; NULL:
--                  nothing
--   told           what merchants are told as JSON: id, type and body, and where the payment has an address of its own,
--                  url and endpoint. It goes there, and to the endpoints of the organization that want the type
--                  (notification_enqueue); NULL: nothing is told. The database chooses the time of the step.
--
-- Returns: the new version and the time of the step. No row when the payment has another version by now: somebody else
--          was faster, and nothing was changed.
-- Errors:  as in ledger_book; payments_refunds_within_capture and the table's other checks on amounts.
-- Locks:   the payment first, then its attempt, then the balances of guarded accounts (ledger_book), then its card. A caller
--          that locks more rows of its own keeps the order payment, top-up, customer, accounts, card.
CREATE OR REPLACE FUNCTION payment_move(
  tenant text, wanted text, expected integer, columns jsonb, because text,
  code text, debits bigint[], debits_guarded boolean[], credits bigint[], credits_guarded boolean[], amounts bigint[],
  phases text[], pending_causes text[], causes text[],
  forget_cvv boolean, announce text, told jsonb
) RETURNS TABLE (version integer, updated_at timestamptz(3)) LANGUAGE plpgsql AS $$
DECLARE
  before payments;
  after payments;
  became text := columns->'attempt'->>'status';
BEGIN
  PERFORM set_config('tillway.tenant', tenant, true);
  SELECT * INTO before FROM payments p WHERE p.id = wanted AND p.version = expected FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  after := jsonb_populate_record(before, columns);
  after.provider_reference := coalesce(nullif(columns->'attempt'->>'reference', ''), after.provider_reference);
  IF after.processor <> before.processor THEN
    after.provider_reference := NULL;
    after.submitted_at := clock_timestamp();
    became := 'nothing_charged';
  END IF;
  -- Processes of the version before say nothing of the attempt.
  IF became IS NULL AND after.status <> before.status
    AND before.status IN ('initiated', 'pending', 'requires_action', 'authorized') THEN
    became := CASE WHEN after.status IN ('pending', 'requires_action', 'authorized') THEN after.status
      WHEN after.status IN ('cancelled', 'expired') THEN 'voided'
      WHEN after.status = 'failed' THEN CASE after.result_code WHEN 501 THEN 'nothing_charged' ELSE 'declined' END
      ELSE 'captured' END;
  END IF;
  UPDATE payments p SET status = after.status, result_code = after.result_code, status_detail = after.status_detail,
    authorized_minor = after.authorized_minor, captured_minor = after.captured_minor,
    refunded_minor = after.refunded_minor, refund_reserved_minor = after.refund_reserved_minor,
    charged_back_minor = after.charged_back_minor, action = after.action, waits_until = after.waits_until,
    provider_reference = after.provider_reference, unknown_since = after.unknown_since,
    review_reason = after.review_reason, review_since = after.review_since, card_token = after.card_token,
    processor = after.processor, submitted_at = after.submitted_at,
    flow_due_at = CASE WHEN after.status IN ('initiated', 'pending', 'requires_action', 'authorized')
      THEN p.flow_due_at END,
    version = p.version + 1, updated_at = clock_timestamp()
  WHERE p.id = wanted RETURNING p.version, p.updated_at INTO payment_move.version, payment_move.updated_at;
  IF became IS NOT NULL AND before.attempts > 0 THEN
    UPDATE payment_attempts a SET status = became, detail = after.status_detail, updated_at = payment_move.updated_at,
      ask_again_at = payment_move.updated_at + (columns->'attempt'->>'askAgainMs')::float * interval '1 millisecond',
      processor_reference = CASE after.processor WHEN before.processor
        THEN coalesce(after.provider_reference, a.processor_reference) ELSE a.processor_reference END
    WHERE a.payment_id = wanted AND a.processor = before.processor;
    -- A process of the version before claimed it while the table of attempts was being made.
    IF NOT FOUND THEN
      INSERT INTO payment_attempts (payment_id, processor, tenant_id, number, status, detail, processor_reference, sends,
        sent_at)
      VALUES (wanted, before.processor, tenant, 1, became, after.status_detail, after.provider_reference,
        before.attempts, coalesce(before.submitted_at, before.created_at));
    END IF;
  END IF;
  IF after.processor <> before.processor THEN
    INSERT INTO payment_attempts (payment_id, processor, tenant_id, number, status, detail, sends, sent_at)
    SELECT wanted, after.processor, tenant, 1 + count(*), 'pending', 'It is being sent.', 1, after.submitted_at
    FROM payment_attempts a WHERE a.payment_id = wanted
    ON CONFLICT (payment_id, processor) DO UPDATE SET status = 'pending', sends = payment_attempts.sends + 1,
      sent_at = excluded.sent_at, updated_at = excluded.sent_at;
  END IF;
  INSERT INTO payment_events (payment_id, tenant_id, from_status, to_status, result_code, cause, detail)
  VALUES (wanted, tenant, before.status, after.status, after.result_code, because, after.status_detail);
  IF cardinality(causes) > 0 THEN
    PERFORM ledger_book(tenant, code, debits, debits_guarded, credits, credits_guarded, amounts, phases,
      pending_causes, causes);
  END IF;
  IF before.status IN ('initiated', 'pending', 'requires_action')
    AND after.status NOT IN ('initiated', 'pending', 'requires_action')
    AND NOT (after.status = 'failed' AND after.result_code <> 501) THEN
    DELETE FROM card_attempts a WHERE a.tenant_id = tenant AND a.attempt_id = wanted;
  END IF;
  IF forget_cvv AND before.card_id IS NOT NULL THEN
    DELETE FROM vault_cvvs v WHERE v.card_id = before.card_id;
    PERFORM vault_forget_card(before.card_id);
  END IF;
  IF announce IS NOT NULL THEN PERFORM pg_notify('tillway_first_answer', announce); END IF;
  IF told IS NOT NULL THEN
    PERFORM notification_enqueue(tenant, jsonb_build_array(told || jsonb_build_object(
      'organization', before.organization_id, 'terminal', before.terminal_id, 'payment', wanted,
      'sequence', payment_move.version, 'at', payment_move.updated_at)));
  END IF;
  RETURN NEXT;
END $$;
GRANT EXECUTE ON FUNCTION payment_move TO tillway_app, tillway_system;
