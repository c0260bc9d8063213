-- limits_of, version 1
--
-- Every limit that holds for a customer in one operation and currency: the customer's own where there is one, otherwise
-- the tenant's.
--
--   tenant     the tenant
--   customer   the customer
--   what       the operation, a wallet_operation
--   code       the currency, ISO 4217
--
-- Returns: one row; a limit that is NULL does not exist. Amounts are in minor units. A day and a month are those of
--          UTC.
-- Locks:   none.
CREATE OR REPLACE FUNCTION limits_of(tenant text, customer text, what text, code text)
RETURNS TABLE (per_transaction bigint, daily_amount bigint, daily_times integer, monthly_amount bigint,
  monthly_times integer) LANGUAGE sql STABLE AS $$
  SELECT coalesce(own.per_transaction_minor, general.per_transaction_minor),
    coalesce(own.daily_minor, general.daily_minor), coalesce(own.daily_count, general.daily_count),
    coalesce(own.monthly_minor, general.monthly_minor), coalesce(own.monthly_count, general.monthly_count)
  FROM (VALUES (1)) one
  LEFT JOIN limits own ON own.tenant_id = tenant AND own.customer_id = customer AND own.operation = what
    AND own.currency = code
  LEFT JOIN limits general ON general.tenant_id = tenant AND general.customer_id IS NULL
    AND general.operation = what AND general.currency = code
$$;
