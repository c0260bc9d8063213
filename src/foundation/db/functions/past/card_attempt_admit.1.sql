-- card_attempt_admit, version 1
--
-- Asks, before a card attempt is sent, whether too many were declined; an attempt that may be sent counts from here on. It
-- counts while its outcome is open and after a decline, and no longer once its row is deleted, by whoever learns that it
-- ended otherwise. So no more than the limit can ever be declined, however many are sent at once. In the caller's
-- transaction, with tillway.tenant set.
--
--   tenant        the tenant, whose limits hold; without any nothing is counted
--   attempt       the id of the payment or card verification; counted once, however often it is asked
--   customer      the customer; NULL where there is none, as below
--   merchant      the organization
--   card          the card in the vault: its fingerprint counts
--   address       the payer's address: IPv4, or IPv6, whose network of 64 bits counts
--
-- Returns: what the limits that stand against it are per; empty when it may be sent. Nothing is counted for one that is
--          refused.
-- Locks:   each thing that is limited, by an advisory lock until the transaction ends, in the order of attempt_subject's
--          words. Take them before the payment.
CREATE OR REPLACE FUNCTION card_attempt_admit(
  tenant text, attempt text, customer text, merchant text, card text, address text
) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  bound record;
  counted integer;
  refused text[] := '{}';
  fingerprint text;
BEGIN
  IF NOT EXISTS (SELECT 1 FROM attempt_limits l WHERE l.tenant_id = tenant)
    OR EXISTS (SELECT 1 FROM card_attempts a WHERE a.tenant_id = tenant AND a.attempt_id = attempt) THEN
    RETURN refused;
  END IF;
  SELECT encode(c.fingerprint, 'hex') INTO fingerprint FROM vault_cards c WHERE c.id = card;
  FOR bound IN
    SELECT l.per, l.declined, l.window_seconds, k.key
    FROM attempt_limits l
    JOIN (VALUES ('customer', customer), ('card', fingerprint), ('address', source_network(address)),
      ('merchant', merchant)) AS k(per, key) ON k.per = l.per
    WHERE l.tenant_id = tenant AND k.key IS NOT NULL ORDER BY l.per
  LOOP
    PERFORM pg_advisory_xact_lock(hashtextextended(concat_ws(' ', 'card attempts', tenant, bound.per, bound.key), 0));
    SELECT count(*) INTO counted FROM card_attempts a
    WHERE a.tenant_id = tenant AND a.per = bound.per AND a.key = bound.key
      AND a.at > clock_timestamp() - bound.window_seconds * interval '1 second';
    IF counted >= bound.declined THEN refused := refused || bound.per::text; END IF;
  END LOOP;
  IF refused = '{}' THEN
    INSERT INTO card_attempts (tenant_id, per, key, attempt_id, at)
    SELECT tenant, k.per, k.key, attempt, clock_timestamp()
    FROM (VALUES ('customer', customer), ('card', fingerprint), ('address', source_network(address)),
      ('merchant', merchant)) AS k(per, key) WHERE k.key IS NOT NULL ON CONFLICT DO NOTHING;
  END IF;
  RETURN refused;
END $$;
GRANT EXECUTE ON FUNCTION card_attempt_admit TO tillway_app, tillway_system;
