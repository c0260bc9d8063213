-- payment_look_at_order, version 1
--
-- Has the workers look at the order that a payment is for: it has begun, or its status was written. Nothing can begin to
-- pay for an order that is not open, whatever its caller has checked.
--
-- Trigger function: AFTER INSERT and AFTER UPDATE OF status for each row of payments that has an order.
-- Errors:           check_violation `payments_order_open`.
-- Locks:            the order, with the payment locked already. Whoever has locked an order locks no payment after it.
CREATE OR REPLACE FUNCTION payment_look_at_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    UPDATE orders SET look_at = now() WHERE id = NEW.order_id;
    RETURN NULL;
  END IF;
  UPDATE orders SET look_at = now() WHERE id = NEW.order_id AND status = 'open';
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the order is not open'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'payments_order_open', TABLE = 'payments';
  END IF;
  RETURN NULL;
END $$;
