-- customer_look_at_consents, version 1
--
-- Trigger of customers: when one is erased, the workers look at the consents that are left, and end them.
--
-- Locks:   the customer's open consents, after the customer.
CREATE OR REPLACE FUNCTION customer_look_at_consents() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE consents SET look_at = clock_timestamp()
  WHERE customer_id = NEW.id AND status IN ('AwaitingAuthorisation', 'Authorised');
  RETURN NULL;
END $$;
