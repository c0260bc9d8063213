-- payment_claim, version 3
--
-- The second step of a payment: marks it as being sent before anything is sent, and hands over what is needed to send
-- it. The attempt at its processor is written down with it. A repeat finds that it was sent before, and has to ask the
-- processor what became of that.
--
--   tenant   the tenant; sets tillway.tenant until the transaction ends
--   wanted   the id of the payment
--
-- Returns: the payment as it stands after the claim, and its sealed card (key_id, wrapped_key, sealed, cvv: NULL when
--          it has none; cvv also when it has expired). No row when the payment is no longer 'initiated'. submitted_at
--          is the time of this claim, not of the first one: "the processor does not know it" counts from the last time
--          it was sent.
-- Locks:   the payment, then its attempt.
CREATE OR REPLACE FUNCTION payment_claim(tenant text, wanted text)
RETURNS TABLE (payment payments, key_id text, wrapped_key bytea, sealed bytea, cvv bytea) LANGUAGE plpgsql AS $$
DECLARE claimed payments;
BEGIN
  PERFORM set_config('tillway.tenant', tenant, true);
  UPDATE payments SET attempts = attempts + 1, version = version + 1, submitted_at = clock_timestamp()
  WHERE id = wanted AND status = 'initiated' RETURNING * INTO claimed;
  IF NOT FOUND THEN RETURN; END IF;
  INSERT INTO payment_attempts AS a (payment_id, processor, tenant_id, number, status, detail, sends, sent_at)
  VALUES (wanted, claimed.processor, tenant, 1, 'pending', 'It is being sent.', 1, claimed.submitted_at)
  ON CONFLICT (payment_id, processor) DO UPDATE SET sends = a.sends + 1, sent_at = excluded.sent_at,
    updated_at = excluded.sent_at;
  RETURN QUERY SELECT claimed, c.key_id, c.wrapped_key, c.sealed, v.sealed
    FROM (SELECT claimed.card_id AS id) wanted_card
    LEFT JOIN vault_cards c ON c.id = wanted_card.id
    LEFT JOIN vault_cvvs v ON v.card_id = c.id AND v.expires_at > now();
END $$;
GRANT EXECUTE ON FUNCTION payment_claim TO tillway_app, tillway_system;
