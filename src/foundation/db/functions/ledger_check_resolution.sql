-- ledger_check_resolution, version 1
--
-- Checks that a transfer which ends a hold fits the hold it names. The two must have the same tenant and the same
-- accounts. A post may be smaller than its hold, and what it leaves over is released. A void must be exactly as large.
--
-- Trigger function: BEFORE INSERT for each row of ledger_transfers whose phase is 'post' or 'void'
--                   (ledger_transfers_check_resolution).
-- Errors:           integrity_constraint_violation when the two do not fit. That a hold ends once is not checked here:
--                   the unique index ledger_transfers_resolved_once sees to it.
-- Locks:            none; a hold never changes once it is booked.
CREATE OR REPLACE FUNCTION ledger_check_resolution() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE held ledger_transfers;
BEGIN
  SELECT * INTO held FROM ledger_transfers WHERE id = NEW.pending_id AND tenant_id = NEW.tenant_id;
  IF held.id IS NULL OR held.phase <> 'pending' OR held.debit_account_id <> NEW.debit_account_id
    OR held.credit_account_id <> NEW.credit_account_id OR NEW.amount_minor > held.amount_minor
    OR (NEW.phase = 'void' AND NEW.amount_minor <> held.amount_minor) THEN
    RAISE EXCEPTION 'transfer % does not fit pending transfer %', NEW.cause, NEW.pending_id
      USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END $$;
