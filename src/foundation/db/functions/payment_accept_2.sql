-- payment_accept_2, version 2
--
-- The first step of a payment: writes down a request that was accepted. If a card came with it, the sealed card is kept
-- with it. Where the process that accepts it sends it too, it is marked as sent with it, as payment_claim_2 marks one that
-- its flow sends. One round trip; inside a transaction or as a transaction of its own.
--
--   tenant           the tenant; sets tillway.tenant until the transaction ends
--   accepted         the new row of payments as JSON, by its column names; amounts in minor units. Only the columns
--                    that the INSERT below names are read; the others begin with their defaults. Its member `audit`,
--                    where it is there, is the actor, source and detail of the line that the audit log gets, 
--                    `otherFingerprints` the card's fingerprints under other keys, in hex, and `idempotency` the key of the
--                    request, claimed with it: clientId, path, key, mac (hex), seed, owner.
--   fingerprint      keyed hash of the card number under the newest key; NULL when no card came with the request, as are
--                    all that follow up to cvv_expires_at
--   key_id           which key wraps the card's own key
--   wrapped_key      the card's own key, wrapped
--   sealed           the card, encrypted with its own key
--   cvv              the card's security code, encrypted; NULL when none was given
--   cvv_expires_at   when the security code is to be forgotten at the latest
--   lease_ms         how long the caller may take to send it and to hand it over to a flow, in milliseconds: after that the
--                    workers start its flow. NULL: its flow sends it
--
-- Returns: when the payment was created and updated; attempts, submitted_at and flow_due_at of its row; refused_by: what
--          the limits that stand against it are per (card_attempt_admit). It is marked as sent where attempts is 1.
-- Errors:  idempotency_keys_pkey when another request has claimed the key; payments_transaction_once when the merchant has
--          used its transaction id before; payments_wallet_token_once when another payment has used its device-wallet
--          token; payments_one_per_order when another payment of its order can still take money, or has. At the end of the transaction payments_link,
--          payments_order and payments_order_open, where link or order are not there, or do not fit: whoever pays by a
--          link may write its order down after the payment.
-- Locks:   as card_attempt_admit, then the new rows. A request with the same transaction id waits until this transaction
--          has ended.
CREATE OR REPLACE FUNCTION payment_accept_2(
  tenant text, accepted jsonb, fingerprint bytea, key_id text, wrapped_key bytea, sealed bytea, cvv bytea,
  cvv_expires_at timestamptz, lease_ms integer
) RETURNS TABLE (
  created_at timestamptz(3), updated_at timestamptz(3), attempts integer, submitted_at timestamptz,
  flow_due_at timestamptz, refused_by text[]
) LANGUAGE plpgsql AS $$
DECLARE
  fresh payments := jsonb_populate_record(NULL::payments, accepted);
  accepted_row payments;
  refused text[] := '{}';
BEGIN
  PERFORM set_config('tillway.tenant', tenant, true);
  IF accepted ? 'idempotency' THEN
    INSERT INTO idempotency_keys (client_id, path, key, request_mac, resource_seed, owner)
    SELECT k->>'clientId', k->>'path', k->>'key', decode(k->>'mac', 'hex'), k->>'seed', (k->>'owner')::bigint
    FROM (SELECT accepted->'idempotency' AS k) claim;
  END IF;
  IF sealed IS NOT NULL THEN
    INSERT INTO vault_cards (id, tenant_id, fingerprint, other_fingerprints, key_id, wrapped_key, sealed)
    VALUES (fresh.card_id, tenant, fingerprint, CASE WHEN accepted ? 'otherFingerprints' THEN
      ARRAY(SELECT decode(f, 'hex') FROM jsonb_array_elements_text(accepted->'otherFingerprints') f) ELSE '{}' END,
      key_id, wrapped_key, sealed);
    IF cvv IS NOT NULL THEN
      INSERT INTO vault_cvvs (card_id, tenant_id, sealed, expires_at)
      VALUES (fresh.card_id, tenant, cvv, cvv_expires_at);
    END IF;
  END IF;
  IF accepted ? 'audit' THEN
    INSERT INTO audit_log (tenant_id, actor, action, target, source, result, detail)
    VALUES (tenant, accepted->'audit'->>'actor', 'payment.create', fresh.id, accepted->'audit'->>'source', 'done',
      accepted->'audit'->'detail');
  END IF;
  fresh.attempts := 0;
  -- Processes of the version before do not say.
  fresh.has_flow := coalesce(fresh.has_flow, true);
  IF lease_ms IS NOT NULL THEN
    fresh.flow_due_at := clock_timestamp() + lease_ms * interval '1 millisecond';
    IF fresh.card_id IS NOT NULL THEN
      refused := card_attempt_admit(tenant, fresh.id, fresh.customer_id, fresh.organization_id, fresh.card_id,
        coalesce(fresh.request->'customer'->>'ipAddress', fresh.request->'browser'->>'ipAddress'));
    END IF;
    IF refused = '{}' THEN
      fresh.attempts := 1;
      fresh.submitted_at := clock_timestamp();
    END IF;
  END IF;
  INSERT INTO payments AS p (id, tenant_id, organization_id, terminal_id, merchant_transaction_id, method_id,
    kind, brand, processor, currency, amount_minor, capture_mode, status, result_code, status_detail, request,
    customer_id, card_id, card_bin, card_last4, card_holder, card_expiry_month, card_expiry_year, card_token,
    request_id, beneficiary, link_id, order_id, wallet_token, attempts, submitted_at, flow_due_at,
    has_flow)
  VALUES (fresh.id, tenant, fresh.organization_id, fresh.terminal_id, fresh.merchant_transaction_id, fresh.method_id,
    fresh.kind, fresh.brand, fresh.processor, fresh.currency, fresh.amount_minor, fresh.capture_mode, fresh.status,
    fresh.result_code, fresh.status_detail, fresh.request, fresh.customer_id, fresh.card_id, fresh.card_bin,
    fresh.card_last4, fresh.card_holder, fresh.card_expiry_month, fresh.card_expiry_year, fresh.card_token,
    fresh.request_id, fresh.beneficiary, fresh.link_id, fresh.order_id, fresh.wallet_token, fresh.attempts,
    fresh.submitted_at, fresh.flow_due_at, fresh.has_flow)
  RETURNING p.* INTO accepted_row;
  IF fresh.attempts = 1 THEN
    INSERT INTO payment_attempts (payment_id, processor, tenant_id, number, status, detail, sends, sent_at)
    VALUES (fresh.id, fresh.processor, tenant, 1, 'pending', 'It is being sent.', 1, fresh.submitted_at);
  END IF;
  RETURN QUERY SELECT accepted_row.created_at, accepted_row.updated_at, accepted_row.attempts,
    accepted_row.submitted_at, accepted_row.flow_due_at, refused;
END $$;
GRANT EXECUTE ON FUNCTION payment_accept_2 TO tillway_app, tillway_system;
