-- refuse_removal_of_sent_attempt, version 1
--
-- Keeps every attempt that may have reached a processor. The application deletes one only with its payment, to take back a
-- request that it accepted and never sent, after it has taken the mark off the payment.
--
-- Trigger function: BEFORE DELETE for each row of payment_attempts (payment_attempts_stay).
-- Errors:           integrity_constraint_violation when its payment is marked as sent, or is no longer 'initiated'.
-- Locks:            none of its own; the DELETE has locked the attempt.
CREATE OR REPLACE FUNCTION refuse_removal_of_sent_attempt() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM payments p WHERE p.id = OLD.payment_id AND p.status = 'initiated' AND p.attempts = 0) THEN
    RAISE EXCEPTION 'the attempt of payment % was sent and stays', OLD.payment_id
      USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN OLD;
END $$;
