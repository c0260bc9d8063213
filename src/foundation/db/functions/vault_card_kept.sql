-- vault_card_kept, version 1
--
-- Whether a card in the vault is kept for payments to come: somebody has saved it, or it began a series of payments that
-- was approved (recurring).
--
--   wanted   the id of the card
--
-- Returns: true or false. It is as the statement that calls it sees the tables.
CREATE OR REPLACE FUNCTION vault_card_kept(wanted text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM payment_methods m WHERE m.card_id = wanted AND m.deleted_at IS NULL)
    OR EXISTS (SELECT FROM payments p WHERE p.card_id = wanted AND p.request->'recurring'->>'initial' = 'true'
      AND p.authorized_minor > 0)
$$;
GRANT EXECUTE ON FUNCTION vault_card_kept TO tillway_app, tillway_system, tillway_ops;
