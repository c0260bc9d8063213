-- spend_allowance, version 2
--
-- Counts an amount against a customer's limits in the transaction that moves or holds the money, and is rolled back
-- with it. A cause is counted once, however often it is asked; one that was given back is checked and counted anew.
-- Days and months are those of UTC.
--
--   tenant     the tenant
--   customer   the customer
--   what       the operation, a wallet_operation
--   code       the currency, ISO 4217
--   amount     in minor units, above zero
--   reason     the cause, such as the id of a transfer, unique in the tenant
--
-- Returns: no row when the amount was counted, now or before. Otherwise nothing is counted, and one row names the first
--          limit that stands against it, what it allows and how much of it is used: in minor units, or as a count.
-- Locks:   the customer's counter for this operation and currency, until the transaction ends. Take it before any
--          account of the ledger. The clock is read under this lock, so that a counter never goes back to an earlier
--          day.
CREATE OR REPLACE FUNCTION spend_allowance(tenant text, customer text, what text, code text, amount bigint, reason text)
RETURNS TABLE (exceeded text, allowed numeric, used numeric) LANGUAGE plpgsql AS $$
DECLARE
  counter allowance_counters;
  bound record;
  today date;
BEGIN
  LOOP
    SELECT * INTO counter FROM allowance_counters c WHERE c.tenant_id = tenant AND c.customer_id = customer
      AND c.operation = what AND c.currency = code FOR UPDATE;
    EXIT WHEN FOUND;
    INSERT INTO allowance_counters (tenant_id, customer_id, operation, currency, day)
      VALUES (tenant, customer, what, code, utc_today()) ON CONFLICT DO NOTHING;
  END LOOP;
  IF EXISTS (SELECT 1 FROM allowance_spendings s WHERE s.tenant_id = tenant AND s.cause = reason
    AND s.given_back_at IS NULL) THEN
    RETURN;
  END IF;
  today := greatest(utc_today(), counter.day);
  IF date_trunc('month', counter.day) <> date_trunc('month', today) THEN
    counter.month_minor := 0;
    counter.month_count := 0;
  END IF;
  IF counter.day <> today THEN
    counter.day_minor := 0;
    counter.day_count := 0;
  END IF;
  SELECT * INTO bound FROM limits_of(tenant, customer, what, code);
  RETURN QUERY SELECT l.name, l.most, l.gone FROM (VALUES
    (1, 'perTransaction', bound.per_transaction::numeric, 0::numeric, amount::numeric),
    (2, 'dailyAmount', bound.daily_amount, counter.day_minor, amount),
    (3, 'dailyCount', bound.daily_times, counter.day_count, 1),
    (4, 'monthlyAmount', bound.monthly_amount, counter.month_minor, amount),
    (5, 'monthlyCount', bound.monthly_times, counter.month_count, 1)
  ) AS l(place, name, most, gone, more) WHERE l.gone + l.more > l.most ORDER BY l.place LIMIT 1;
  IF FOUND THEN
    RETURN;
  END IF;
  UPDATE allowance_counters c SET day = today, day_minor = counter.day_minor + amount,
    day_count = counter.day_count + 1, month_minor = counter.month_minor + amount,
    month_count = counter.month_count + 1
  WHERE c.tenant_id = tenant AND c.customer_id = customer AND c.operation = what AND c.currency = code;
  INSERT INTO allowance_spendings (tenant_id, cause, customer_id, operation, currency, amount_minor, day)
    VALUES (tenant, reason, customer, what, code, amount, today)
    ON CONFLICT (tenant_id, cause) DO UPDATE SET amount_minor = EXCLUDED.amount_minor, day = EXCLUDED.day,
      given_back_at = NULL;
END $$;
