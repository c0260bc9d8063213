-- payment_claim_2, version 1
--
-- The second step of a payment: marks it as being sent before anything is sent, and hands over what is needed to send
-- it, unless too many card attempts were declined before it (card_attempt_admit). The attempt at its processor is written
-- down with it. A repeat finds that it was sent before, and has to ask the processor what became of that.
--
--   tenant   the tenant; sets tillway.tenant until the transaction ends
--   wanted   the id of the payment
--
-- Returns: the payment as it stands after the claim, and its sealed card (key_id, wrapped_key, sealed, cvv: NULL when
--          it has none; cvv also when it has expired). No row when the payment is no longer 'initiated'. submitted_at
--          is the time of this claim, not of the first one: "the processor does not know it" counts from the last time
--          it was sent. refused_by: what the limits that stand against it are per, empty when it is claimed; otherwise
--          nothing is changed, and the payment is as it stands.
-- Locks:   as card_attempt_admit, then the payment, then its attempt.
CREATE OR REPLACE FUNCTION payment_claim_2(tenant text, wanted text)
RETURNS TABLE (payment payments, key_id text, wrapped_key bytea, sealed bytea, cvv bytea, refused_by text[])
LANGUAGE plpgsql AS $$
DECLARE
  claimed payments;
  refused text[] := '{}';
BEGIN
  PERFORM set_config('tillway.tenant', tenant, true);
  SELECT * INTO claimed FROM payments WHERE id = wanted AND status = 'initiated';
  IF NOT FOUND THEN RETURN; END IF;
  IF claimed.card_id IS NOT NULL AND claimed.attempts = 0 THEN
    refused := card_attempt_admit(tenant, wanted, claimed.customer_id, claimed.organization_id, claimed.card_id,
      coalesce(claimed.request->'customer'->>'ipAddress', claimed.request->'browser'->>'ipAddress'));
  END IF;
  IF refused <> '{}' THEN
    RETURN QUERY SELECT claimed, NULL::text, NULL::bytea, NULL::bytea, NULL::bytea, refused;
    RETURN;
  END IF;
  UPDATE payments SET attempts = attempts + 1, version = version + 1, submitted_at = clock_timestamp()
  WHERE id = wanted AND status = 'initiated' RETURNING * INTO claimed;
  IF NOT FOUND THEN RETURN; END IF;
  INSERT INTO payment_attempts AS a (payment_id, processor, tenant_id, number, status, detail, sends, sent_at)
  VALUES (wanted, claimed.processor, tenant, 1, 'pending', 'It is being sent.', 1, claimed.submitted_at)
  ON CONFLICT (payment_id, processor) DO UPDATE SET sends = a.sends + 1, sent_at = excluded.sent_at,
    updated_at = excluded.sent_at;
  RETURN QUERY SELECT claimed, c.key_id, c.wrapped_key, c.sealed, v.sealed, refused
    FROM (SELECT claimed.card_id AS id) wanted_card
    LEFT JOIN vault_cards c ON c.id = wanted_card.id
    LEFT JOIN vault_cvvs v ON v.card_id = c.id AND v.expires_at > now();
END $$;
GRANT EXECUTE ON FUNCTION payment_claim_2 TO tillway_app, tillway_system;
