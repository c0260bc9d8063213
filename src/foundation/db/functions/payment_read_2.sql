-- payment_read_2, version 1
--
-- Reads a payment as its workflow sees it, in one round trip: with the attempt that serves it, and with the capture or
-- void that is under way.
--
--   tenant   the tenant; sets tillway.tenant until the transaction ends
--   wanted   the id of the payment
--
-- Returns: the row of payments, the row of payment_attempts (NULL when the payment was never sent), and the pending row
--          of payment_operations (NULL when there is none). No row when the payment does not exist.
-- Locks:   none.
CREATE OR REPLACE FUNCTION payment_read_2(tenant text, wanted text)
RETURNS TABLE (payment payments, attempt payment_attempts, operation payment_operations) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('tillway.tenant', tenant, true);
  RETURN QUERY SELECT p, a, o FROM payments p
    LEFT JOIN payment_attempts a ON a.payment_id = p.id AND a.processor = p.processor
    LEFT JOIN payment_operations o ON o.payment_id = p.id AND o.status = 'pending' WHERE p.id = wanted;
END $$;
GRANT EXECUTE ON FUNCTION payment_read_2 TO tillway_app, tillway_system;
