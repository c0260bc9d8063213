-- utc_today, version 1
--
-- Returns: the day it is in UTC by the clock, not by the beginning of the transaction: a transaction that waited for a
--          lock past midnight counts in the new day.
-- Locks:   none.
CREATE OR REPLACE FUNCTION utc_today() RETURNS date LANGUAGE sql VOLATILE
  AS $$ SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date $$;
