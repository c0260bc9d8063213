-- audit_seal, version 1
--
-- Seals the lines of the audit log that wait for it: their hash follows from the one of the seal before, so that no line can
-- be changed, added or removed before the newest seal without a trace.
--
--   most    how many lines at most
--
-- Returns: how many lines were sealed.
-- Errors:  audit_seals_pkey when another process seals at the same time: it has sealed them.
-- Locks:   the lines' rows in audit_unsealed, which nobody else waits for.
CREATE OR REPLACE FUNCTION audit_seal(most integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  last audit_seals;
  ids bigint[];
  before bytea;
BEGIN
  WITH taken AS (
    DELETE FROM audit_unsealed WHERE line_id IN (SELECT line_id FROM audit_unsealed ORDER BY line_id LIMIT most)
    RETURNING line_id)
  SELECT array_agg(line_id ORDER BY line_id) INTO ids FROM taken;
  IF ids IS NULL THEN
    RETURN 0;
  END IF;
  SELECT * INTO last FROM audit_seals ORDER BY seal DESC LIMIT 1;
  before := coalesce(last.hash, decode(repeat('00', 32), 'hex'));
  INSERT INTO audit_seals (seal, previous, hash, line_ids)
  VALUES (coalesce(last.seal, 0) + 1, before, audit_seal_hash(before, ids), ids);
  RETURN cardinality(ids);
END $$;
GRANT EXECUTE ON FUNCTION audit_seal TO tillway_system;
