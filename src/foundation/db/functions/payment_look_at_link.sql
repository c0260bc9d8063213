-- payment_look_at_link, version 1
--
-- Trigger of payments that pay by a link: whatever becomes of one, the workers look at its link.
--
-- Locks:   the link, after the payment.
CREATE OR REPLACE FUNCTION payment_look_at_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE payment_links SET look_at = clock_timestamp() WHERE id = NEW.link_id;
  RETURN NULL;
END $$;
