-- payment_claim, version 1
--
-- As version 2, but submitted_at stays the time of the first claim.
CREATE OR REPLACE FUNCTION payment_claim(tenant text, wanted text)
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
GRANT EXECUTE ON FUNCTION payment_claim TO tillway_app, tillway_system;
