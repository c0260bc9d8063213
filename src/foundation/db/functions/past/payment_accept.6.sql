-- payment_accept, version 6
--
-- The first step of a payment: writes down a request that was accepted. If a card came with it, the sealed card is kept
-- with it. One round trip; inside a transaction or as a transaction of its own.
--
--   tenant           the tenant; sets tillway.tenant until the transaction ends
--   accepted         the new row of payments as JSON, by its column names; amounts in minor units. Only the columns
--                    that the INSERT below names are read; the others begin with their defaults. Its member `audit`,
--                    where it is there, is the actor, source and detail of the line that the audit log gets, and
--                    `otherFingerprints` the card's fingerprints under other keys, in hex.
--   fingerprint      keyed hash of the card number under the newest key; NULL when no card came with the request, as are all that follow
--   key_id           which key wraps the card's own key
--   wrapped_key      the card's own key, wrapped
--   sealed           the card, encrypted with its own key
--   cvv              the card's security code, encrypted; NULL when none was given
--   cvv_expires_at   when the security code is to be forgotten at the latest
--
-- Returns: when the payment was created and updated.
-- Errors:  payments_transaction_once when the merchant has used its transaction id before; payments_wallet_token_once when
--          another payment has used its device-wallet token; payments_one_per_order when another payment of its order can
--          still take money, or has. At the end of the transaction payments_link,
--          payments_order and payments_order_open, where link or order are not there, or do not fit: whoever pays by a
--          link may write its order down after the payment.
-- Locks:   only the new rows. A request with the same transaction id waits until this transaction has ended.
CREATE OR REPLACE FUNCTION payment_accept(
  tenant text, accepted jsonb, fingerprint bytea, key_id text, wrapped_key bytea, sealed bytea, cvv bytea,
  cvv_expires_at timestamptz
) RETURNS TABLE (created_at timestamptz(3), updated_at timestamptz(3)) LANGUAGE plpgsql AS $$
DECLARE fresh payments := jsonb_populate_record(NULL::payments, accepted);
BEGIN
  PERFORM set_config('tillway.tenant', tenant, true);
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
  RETURN QUERY INSERT INTO payments (id, tenant_id, organization_id, terminal_id, merchant_transaction_id, method_id,
    kind, brand, processor, currency, amount_minor, capture_mode, status, result_code, status_detail, request,
    customer_id, card_id, card_bin, card_last4, card_holder, card_expiry_month, card_expiry_year, card_token,
    request_id, beneficiary, link_id, order_id, wallet_token)
  VALUES (fresh.id, tenant, fresh.organization_id, fresh.terminal_id, fresh.merchant_transaction_id, fresh.method_id,
    fresh.kind, fresh.brand, fresh.processor, fresh.currency, fresh.amount_minor, fresh.capture_mode, fresh.status,
    fresh.result_code, fresh.status_detail, fresh.request, fresh.customer_id, fresh.card_id, fresh.card_bin,
    fresh.card_last4, fresh.card_holder, fresh.card_expiry_month, fresh.card_expiry_year, fresh.card_token,
    fresh.request_id, fresh.beneficiary, fresh.link_id, fresh.order_id, fresh.wallet_token)
  RETURNING payments.created_at, payments.updated_at;
END $$;
GRANT EXECUTE ON FUNCTION payment_accept TO tillway_app, tillway_system;
