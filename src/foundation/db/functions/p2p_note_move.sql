-- p2p_note_move, version 1
--
-- Writes the timeline of transfers between customers, whoever moves them.
--
-- Trigger function: AFTER INSERT for each row of p2p_transfers (p2p_transfers_begun), and AFTER UPDATE for each row
--                   whose status or status_detail changes (p2p_transfers_moved).
-- Locks:            none of its own; the transfer is locked by the statement.
CREATE OR REPLACE FUNCTION p2p_note_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO p2p_transfer_events (tenant_id, transfer_id, from_status, to_status, detail, actor)
  VALUES (NEW.tenant_id, NEW.id, CASE WHEN TG_OP = 'UPDATE' THEN OLD.status END, NEW.status, NEW.status_detail,
    NEW.moved_by);
  RETURN NULL;
END $$;
