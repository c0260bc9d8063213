-- ledger_trial_balance, version 1
--
-- The debits and the credits that are booked in each currency, of the tenant that the transaction is for. What is summed
-- up is not read again: only the entries after it are, of which the planner knows how few they are, since the statement is
-- planned with their first number.
--
-- Answers: a row for each currency in which something was booked, amounts in minor units.
-- Locks:   none. It reads one state of the books, that of the statement which calls it.
CREATE OR REPLACE FUNCTION ledger_trial_balance() RETURNS TABLE (currency char(3), debit_minor numeric, credit_minor numeric)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  through bigint := (SELECT s.through_id FROM ledger_summed s);
BEGIN
  RETURN QUERY EXECUTE '
    SELECT t.currency, sum(t.debit_minor), sum(t.credit_minor) FROM (
      SELECT currency, debit_minor, credit_minor FROM ledger_totals
      UNION ALL
      SELECT currency, greatest(signed_minor, 0), greatest(-signed_minor, 0) FROM ledger_entries WHERE transfer_id > $1
    ) t GROUP BY t.currency ORDER BY t.currency' USING through;
END $$;
GRANT EXECUTE ON FUNCTION ledger_trial_balance TO tillway_app, tillway_ops;
