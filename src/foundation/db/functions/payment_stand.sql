-- payment_stand, version 1
--
-- What statistics count a payment as, by its status: taken, refused, unpaid or open. src/domain/states/payment.ts says the
-- same of each status, and a test compares the two. A version that says otherwise of a status has to count everything anew.
--
-- Returns: NULL for a status that is not there.
-- Locks:   none.
CREATE OR REPLACE FUNCTION payment_stand(status text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN status IN ('captured', 'settled', 'partially_refunded', 'refunded', 'charged_back') THEN 'taken'
    WHEN status = 'failed' THEN 'refused' WHEN status IN ('cancelled', 'expired') THEN 'unpaid'
    WHEN status IN ('initiated', 'pending', 'requires_action', 'authorized') THEN 'open' END
$$;
