-- callback_read, version 1
--
-- Reads a callback that was stored, so that a statement of a tenant may join it: the inbox belongs to no tenant.
--
--   heard   the id of its row in the inbox
--
-- Returns: what the one whom it is about needs of it. No row when it was never stored.
-- Locks:   none.
CREATE OR REPLACE FUNCTION callback_read(heard text)
RETURNS TABLE (id text, processor text, event_id text, reference text, type text, event jsonb, state text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT c.id, c.processor, c.event_id, c.reference, c.type, c.event, c.state FROM callback_inbox c WHERE c.id = heard;
$$;
REVOKE ALL ON FUNCTION callback_read FROM PUBLIC;
GRANT EXECUTE ON FUNCTION callback_read TO tillway_app, tillway_system;
