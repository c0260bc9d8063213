-- payment_accept, version 1
--
-- As version 2, but every payment is for a merchant: the column `beneficiary` does not exist yet.
CREATE OR REPLACE FUNCTION payment_accept(
  tenant text, accepted jsonb, fingerprint bytea, key_id text, wrapped_key bytea, sealed bytea, cvv bytea,
  cvv_expires_at timestamptz
) RETURNS TABLE (created_at timestamptz(3), updated_at timestamptz(3)) LANGUAGE plpgsql AS $$
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
GRANT EXECUTE ON FUNCTION payment_accept TO tillway_app, tillway_system;
