-- ledger_open_balance, version 1
--
-- Gives a new guarded account (one that must not fall below zero, such as a wallet) its row in ledger_balances, at
-- zero. It runs with the rights of the owner: the application may not write balances itself.
--
-- Trigger function: AFTER INSERT for each guarded row of ledger_accounts (ledger_accounts_open_balance).
-- Locks:            none; the row is new.
CREATE OR REPLACE FUNCTION ledger_open_balance() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public AS $$
BEGIN
  INSERT INTO ledger_balances (account_id, tenant_id) VALUES (NEW.id, NEW.tenant_id);
  RETURN NULL;
END $$;
