-- ledger_sum_up, version 1
--
-- Adds entries to the sums of their accounts (ledger_sums), and to those of tenant and currency (ledger_totals), up to a
-- number that ledger_summed keeps. Who wants a balance adds the entries after that number, so it is exact at any moment.
--
-- Entries get their numbers before they become visible, so one with a lower number may still be under way when one with a
-- higher number is there. Whoever books holds ROW EXCLUSIVE on ledger_transfers from before its entries get their numbers
-- until its transaction ends. So the function reads the newest number first, notes after that who holds this lock, and sums
-- up to the number once all of those have ended: in the same call where nobody holds it, otherwise in one of the next.
-- It needs a sequence without a cache, as an identity column has. It runs with the rights of the owner: the application
-- may not write sums itself.
--
--   most   how many numbers to go on at most
--
-- Answers: true when there is more to sum up at once.
-- Errors:  invalid_transaction_state unless the transaction is READ COMMITTED; others would not see what has ended.
-- Locks:   the row of ledger_summed; answers false where another holds it.
CREATE OR REPLACE FUNCTION ledger_sum_up(most bigint) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public AS $$
DECLARE
  state ledger_summed;
  upper bigint;
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'the ledger is summed up in READ COMMITTED' USING ERRCODE = 'invalid_transaction_state';
  END IF;
  SELECT * INTO state FROM ledger_summed FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  IF state.next_id = state.through_id THEN
    SELECT last_value INTO state.next_id FROM ledger_transfers_id_seq WHERE is_called;
    IF coalesce(state.next_id, 0) <= state.through_id THEN
      RETURN false;
    END IF;
    state.waits_for := ARRAY (SELECT virtualtransaction FROM pg_locks WHERE locktype = 'relation' AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND relation = 'ledger_transfers'::regclass AND mode = 'RowExclusiveLock');
  END IF;
  IF EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'relation' AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND relation = 'ledger_transfers'::regclass AND mode = 'RowExclusiveLock'
    AND virtualtransaction = ANY (state.waits_for)) THEN
    UPDATE ledger_summed SET next_id = state.next_id, waits_for = state.waits_for;
    RETURN false;
  END IF;
  upper := least(state.next_id, state.through_id + most);
  WITH moved AS MATERIALIZED (
    SELECT * FROM ledger_transfers WHERE id > state.through_id AND id <= upper AND phase IN ('posted', 'post')
  ), sides AS MATERIALIZED (
    SELECT tenant_id, currency, debit_account_id AS account_id, debit_guarded AS guarded, sum(amount_minor) AS debit,
      0 AS credit FROM moved GROUP BY 1, 2, 3, 4
    UNION ALL
    SELECT tenant_id, currency, credit_account_id, credit_guarded, 0, sum(amount_minor) FROM moved GROUP BY 1, 2, 3, 4
  ), totals AS (
    INSERT INTO ledger_totals AS t (tenant_id, currency, debit_minor, credit_minor)
    SELECT tenant_id, currency, sum(debit), sum(credit) FROM sides GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (tenant_id, currency) DO UPDATE
      SET debit_minor = t.debit_minor + EXCLUDED.debit_minor, credit_minor = t.credit_minor + EXCLUDED.credit_minor
  )
  INSERT INTO ledger_sums AS s (account_id, tenant_id, debit_minor, credit_minor)
  SELECT account_id, tenant_id, sum(debit), sum(credit) FROM sides WHERE NOT guarded GROUP BY 1, 2 ORDER BY 1
  ON CONFLICT (account_id) DO UPDATE
    SET debit_minor = s.debit_minor + EXCLUDED.debit_minor, credit_minor = s.credit_minor + EXCLUDED.credit_minor;
  UPDATE ledger_summed SET through_id = upper, next_id = state.next_id,
    waits_for = CASE WHEN upper < state.next_id THEN state.waits_for ELSE '{}' END;
  RETURN upper < state.next_id;
END $$;
REVOKE EXECUTE ON FUNCTION ledger_sum_up FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ledger_sum_up TO tillway_system;
