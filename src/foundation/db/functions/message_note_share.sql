-- message_note_share, version 1
--
-- Trigger of messages: what became of one stays with the share of a payment link that it was sent for, since messages are
-- removed after a while.
--
-- Locks:   the share, after the message.
CREATE OR REPLACE FUNCTION message_note_share() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE payment_link_shares SET delivery = NEW.state, updated_at = clock_timestamp()
    WHERE message_id = NEW.id AND delivery = 'queued';
  RETURN NULL;
END $$;
