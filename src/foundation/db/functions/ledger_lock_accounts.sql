-- ledger_lock_accounts, version 1
--
-- Locks guarded accounts before a movement that takes several transfers, or before a balance is read that must not
-- change until the transaction ends. It runs with the rights of the owner: the application may not lock balances
-- itself.
--
--   account_ids   ids of ledger accounts; those that are not guarded have no balance and are passed over
--
-- Locks: the balances of these accounts until the transaction ends, lowest account id first. Ask for all that are
--        booked together in one call. Lock allowance counters, payments, top-ups and customers before accounts, never
--        after.
CREATE OR REPLACE FUNCTION ledger_lock_accounts(account_ids bigint[]) RETURNS void LANGUAGE sql SECURITY DEFINER
SET search_path = public AS $$
  SELECT 1 FROM ledger_balances WHERE account_id = ANY (account_ids) ORDER BY account_id FOR UPDATE;
$$;
