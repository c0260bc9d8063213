-- callback_end, version 1
--
-- Notes what became of a callback, in the transaction of what it changed (payment_move).
--
--   heard    the id of its row in the inbox
--   became   'applied', 'ignored' or 'flagged'
--   why      in words; NULL: nothing to say
--
-- Locks: the row in the inbox.
CREATE OR REPLACE FUNCTION callback_end(heard text, became text, why text) RETURNS void LANGUAGE sql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
  UPDATE callback_inbox SET state = became, note = why, handled_at = now() WHERE id = heard;
$$;
REVOKE ALL ON FUNCTION callback_end FROM PUBLIC;
GRANT EXECUTE ON FUNCTION callback_end TO tillway_app, tillway_system;
