-- refuse_removal_of_sent_payment, version 1
--
-- Keeps every payment that may have reached a processor. The application deletes a payment only to take back a request
-- that it accepted and never sent.
--
-- Trigger function: BEFORE DELETE for each row of payments (payments_stay).
-- Errors:           integrity_constraint_violation when the payment has been sent, or is no longer 'initiated'.
-- Locks:            none of its own; the DELETE has locked the payment.
CREATE OR REPLACE FUNCTION refuse_removal_of_sent_payment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.attempts > 0 OR OLD.status <> 'initiated' THEN
    RAISE EXCEPTION 'payment % was sent and stays', OLD.id USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN OLD;
END $$;
