-- give_back_allowance, version 1
--
-- Takes what was spent for a cause out of the day and the month that it was counted in, once. A cause that spent
-- nothing, or was given back before, changes nothing.
--
--   tenant   the tenant
--   reason   the cause that spend_allowance was given
--
-- Locks: the customer's counter first, then the spending. Take it before any account of the ledger.
CREATE OR REPLACE FUNCTION give_back_allowance(tenant text, reason text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE spent allowance_spendings;
BEGIN
  -- The counter first, as spend_allowance does.
  PERFORM 1 FROM allowance_counters c JOIN allowance_spendings s USING (tenant_id, customer_id, operation, currency)
    WHERE s.tenant_id = tenant AND s.cause = reason FOR UPDATE OF c;
  UPDATE allowance_spendings s SET given_back_at = clock_timestamp()
    WHERE s.tenant_id = tenant AND s.cause = reason AND s.given_back_at IS NULL RETURNING * INTO spent;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  UPDATE allowance_counters c SET
    day_minor = c.day_minor - CASE WHEN c.day = spent.day THEN spent.amount_minor ELSE 0 END,
    day_count = c.day_count - CASE WHEN c.day = spent.day THEN 1 ELSE 0 END,
    month_minor = c.month_minor - spent.amount_minor,
    month_count = c.month_count - 1
  WHERE c.tenant_id = tenant AND c.customer_id = spent.customer_id AND c.operation = spent.operation
    AND c.currency = spent.currency AND date_trunc('month', c.day) = date_trunc('month', spent.day);
END $$;
