-- vault_forget_card, version 1
--
-- Erases number and security code of a card that nothing needs any more: nobody has saved it, it is of no series, and no
-- authorization with it is open. Brand, first and last digits stay with what was paid, and the fingerprint stays in the vault.
--
--   wanted   the id of the card; one that is not there, or was erased, is left as it is
--
-- Locks:   the card, last of all. Does not wait for whoever is writing down a payment with it: then it stays, and the sweep
--          of the vault looks at it within a minute.
CREATE OR REPLACE FUNCTION vault_forget_card(wanted text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF vault_card_kept(wanted) THEN RETURN; END IF;
  -- A new payment with the card holds a lock on it until it is written down, because it refers to it.
  PERFORM FROM vault_cards c WHERE c.id = wanted AND c.erased_at IS NULL FOR UPDATE SKIP LOCKED;
  IF FOUND THEN
    UPDATE vault_cards c SET sealed = '', wrapped_key = '', kept = false, erased_at = now()
    WHERE c.id = wanted AND NOT vault_card_kept(wanted) AND NOT vault_card_awaited(wanted, '-infinity');
    IF FOUND THEN
      DELETE FROM vault_cvvs v WHERE v.card_id = wanted;
      RETURN;
    END IF;
  END IF;
  -- Also where it is not marked yet: the sweep may be about to mark it.
  UPDATE vault_cards c SET kept = false WHERE c.id = wanted AND c.erased_at IS NULL;
END $$;
GRANT EXECUTE ON FUNCTION vault_forget_card TO tillway_app, tillway_system;
