-- ledger_move_balances, version 1
--
-- As version 2, but AFTER INSERT: transfers keep neither the balance that they left behind nor a time taken under the
-- lock.
CREATE OR REPLACE FUNCTION ledger_move_balances() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public AS $$
DECLARE held_amount bigint := 0;
BEGIN
  IF NEW.phase IN ('post', 'void') THEN
    SELECT amount_minor INTO held_amount FROM ledger_transfers WHERE id = NEW.pending_id;
  END IF;
  PERFORM 1 FROM ledger_balances WHERE account_id IN (NEW.debit_account_id, NEW.credit_account_id)
    ORDER BY account_id FOR UPDATE;
  IF NEW.debit_guarded THEN
    UPDATE ledger_balances SET
      posted_minor = posted_minor - CASE WHEN NEW.phase IN ('posted', 'post') THEN NEW.amount_minor ELSE 0 END,
      held_minor = held_minor + CASE WHEN NEW.phase = 'pending' THEN NEW.amount_minor ELSE -held_amount END
    WHERE account_id = NEW.debit_account_id;
  END IF;
  IF NEW.credit_guarded AND NEW.phase IN ('posted', 'post') THEN
    UPDATE ledger_balances SET posted_minor = posted_minor + NEW.amount_minor
    WHERE account_id = NEW.credit_account_id;
  END IF;
  RETURN NULL;
END $$;
