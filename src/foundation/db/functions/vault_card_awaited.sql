-- vault_card_awaited, version 1
--
-- Whether an authorization that has not ended may have to be sent with a card: a payment or a card check whose outcome is
-- open.
--
--   wanted   the id of the card
--   since    when it was asked for at the earliest; older ones have had their time
--
-- Returns: true or false. It is as the statement that calls it sees the tables.
CREATE OR REPLACE FUNCTION vault_card_awaited(wanted text, since timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM payments p WHERE p.card_id = wanted AND p.created_at > since
      AND p.status IN ('initiated', 'pending', 'requires_action'))
    OR EXISTS (SELECT FROM card_verifications v WHERE v.card_id = wanted AND v.created_at > since
      AND v.status IN ('initiated', 'pending', 'requires_action'))
$$;
GRANT EXECUTE ON FUNCTION vault_card_awaited TO tillway_app, tillway_system, tillway_ops;
