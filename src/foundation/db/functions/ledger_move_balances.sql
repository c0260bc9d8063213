-- ledger_move_balances, version 2
--
-- Keeps the balances of guarded accounts. They are liabilities, so a credit raises them and a debit lowers them. A
-- pending transfer does not move the balance: it holds the amount on the debit side until a post or a void ends the
-- hold.
--
-- It also gives the transfer its number and its time while the accounts are locked. Entries of one account therefore
-- become visible in the order of their numbers. The time never runs backwards, even where the clock does. The transfer
-- keeps the balance that it left behind on each guarded side. Amounts and balances are in minor units. It runs with the
-- rights of the owner: the application may not write balances itself.
--
-- Trigger function: BEFORE INSERT for each row of ledger_transfers with a guarded side
--                   (ledger_transfers_move_balances).
-- Errors:           ledger_balances_covered when the debited account would fall below zero.
-- Locks:            the balances of both accounts, lowest account id first, so that two opposite transfers cannot wait
--                   for each other.
CREATE OR REPLACE FUNCTION ledger_move_balances() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public AS $$
DECLARE
  held_amount bigint := 0;
  latest timestamptz;
BEGIN
  IF NEW.phase IN ('post', 'void') THEN
    SELECT amount_minor INTO held_amount FROM ledger_transfers WHERE id = NEW.pending_id;
  END IF;
  SELECT max(locked.moved_at) INTO latest FROM (SELECT moved_at FROM ledger_balances
    WHERE account_id IN (NEW.debit_account_id, NEW.credit_account_id) ORDER BY account_id FOR UPDATE) locked;
  -- This cause was booked before, or this hold was ended before. The unique index refuses the row, and that is the
  -- error the caller must see, whatever is left in the account now.
  IF EXISTS (SELECT 1 FROM ledger_transfers WHERE tenant_id = NEW.tenant_id AND cause = NEW.cause)
    OR EXISTS (SELECT 1 FROM ledger_transfers WHERE pending_id = NEW.pending_id) THEN
    RETURN NEW;
  END IF;
  NEW.id := nextval('ledger_transfers_id_seq');
  NEW.booked_at := greatest(date_trunc('milliseconds', clock_timestamp()), latest);
  IF NEW.debit_guarded THEN
    UPDATE ledger_balances SET moved_at = NEW.booked_at,
      posted_minor = posted_minor - CASE WHEN NEW.phase IN ('posted', 'post') THEN NEW.amount_minor ELSE 0 END,
      held_minor = held_minor + CASE WHEN NEW.phase = 'pending' THEN NEW.amount_minor ELSE -held_amount END
    WHERE account_id = NEW.debit_account_id RETURNING posted_minor INTO NEW.debit_balance_minor;
  END IF;
  IF NEW.credit_guarded THEN
    UPDATE ledger_balances SET moved_at = NEW.booked_at,
      posted_minor = posted_minor + CASE WHEN NEW.phase IN ('posted', 'post') THEN NEW.amount_minor ELSE 0 END
    WHERE account_id = NEW.credit_account_id RETURNING posted_minor INTO NEW.credit_balance_minor;
  END IF;
  RETURN NEW;
END $$;
