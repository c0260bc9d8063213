-- vault_let_card_go, version 1
--
-- Trigger after an update of payment_methods: a saved card that was removed, or has another card in its place, leaves the
-- vault unless something else needs it (vault_forget_card).
--
-- Locks:   as vault_forget_card.
CREATE OR REPLACE FUNCTION vault_let_card_go() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM vault_forget_card(OLD.card_id);
  RETURN NULL;
END $$;
