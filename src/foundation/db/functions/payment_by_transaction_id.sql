-- payment_by_transaction_id, version 1
--
-- Reads a payment by the id that its merchant gave it, as payment_by_id does by ours.
--
--   tenant           the tenant; sets tillway.tenant until the transaction ends
--   organization     the organization that asks
--   transaction_id   the merchant's own id of the payment, unique in the organization
--
-- Returns: the row of payments; no row when the payment does not exist or belongs to another organization.
-- Locks:   none.
CREATE OR REPLACE FUNCTION payment_by_transaction_id(tenant text, organization text, transaction_id text)
RETURNS SETOF payments LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('tillway.tenant', tenant, true);
  RETURN QUERY SELECT * FROM payments
    WHERE organization_id = organization AND merchant_transaction_id = transaction_id;
END $$;
GRANT EXECUTE ON FUNCTION payment_by_transaction_id TO tillway_app;
