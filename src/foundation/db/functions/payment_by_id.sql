-- payment_by_id, version 1
--
-- Reads a payment of one organization in one round trip. It sets the tenant for its own statement, so that row-level
-- security holds without a transaction around every read.
--
--   tenant         the tenant; sets tillway.tenant until the transaction ends
--   organization   the organization that asks
--   payment        the id of the payment
--
-- Returns: the row of payments; no row when the payment does not exist or belongs to another organization.
-- Locks:   none.
CREATE OR REPLACE FUNCTION payment_by_id(tenant text, organization text, payment text) RETURNS SETOF payments
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('tillway.tenant', tenant, true);
  RETURN QUERY SELECT * FROM payments WHERE id = payment AND organization_id = organization;
END $$;
GRANT EXECUTE ON FUNCTION payment_by_id TO tillway_app;
