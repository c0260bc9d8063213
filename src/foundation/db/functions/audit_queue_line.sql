-- audit_queue_line, version 1
--
-- Puts a new line of the audit log among those that wait for their seal.
--
-- Trigger function: AFTER INSERT for each row on audit_log. Runs as its owner: whoever writes a line has no right on the
--                   queue.
-- Locks:            only the new row.
CREATE OR REPLACE FUNCTION audit_queue_line() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO audit_unsealed (line_id) VALUES (NEW.id);
  RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION audit_queue_line FROM PUBLIC;
