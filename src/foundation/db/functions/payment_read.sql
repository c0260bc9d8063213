-- payment_read, version 1
--
-- Reads a payment as its workflow sees it: with the capture or void that is under way, in one round trip.
--
--   tenant   the tenant; sets tillway.tenant until the transaction ends
--   wanted   the id of the payment
--
-- Returns: the row of payments, and the pending row of payment_operations (NULL when there is none). No row when the
--          payment does not exist.
-- Locks:   none.
CREATE OR REPLACE FUNCTION payment_read(tenant text, wanted text)
RETURNS TABLE (payment payments, operation payment_operations) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('tillway.tenant', tenant, true);
  RETURN QUERY SELECT p, o FROM payments p
    LEFT JOIN payment_operations o ON o.payment_id = p.id AND o.status = 'pending' WHERE p.id = wanted;
END $$;
GRANT EXECUTE ON FUNCTION payment_read TO tillway_app, tillway_system;
