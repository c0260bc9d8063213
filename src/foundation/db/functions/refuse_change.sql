-- refuse_change, version 1
--
-- Makes a table append-only. Its triggers run for everybody, the owner of the table included.
--
-- Trigger function: BEFORE UPDATE OR DELETE for each row and BEFORE TRUNCATE for each statement, on every table that
--                   `makeAppendOnly` names.
-- Errors:           integrity_constraint_violation, always; the message names the table.
-- Locks:            none.
CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;
