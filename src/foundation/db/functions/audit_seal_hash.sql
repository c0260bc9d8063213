-- audit_seal_hash, version 1
--
-- The hash of a seal over lines of the audit log: SHA-256 of the hash before it and the SHA-256 of each line's text, one
-- after the other.
--
--   previous    the hash of the seal before; 32 zero bytes for the first one
--   line_ids    the lines, in order
--
-- Returns: 32 bytes. A line that is gone is left out, so the hash is another one.
-- Locks:   none.
CREATE OR REPLACE FUNCTION audit_seal_hash(previous bytea, line_ids bigint[]) RETURNS bytea LANGUAGE sql STABLE AS $$
  SELECT sha256(previous || coalesce(string_agg(sha256(convert_to(audit_line_text(l), 'UTF8')), ''::bytea
    ORDER BY i.place), ''::bytea))
  FROM unnest(line_ids) WITH ORDINALITY i (id, place) JOIN audit_log l ON l.id = i.id
$$;
GRANT EXECUTE ON FUNCTION audit_seal_hash TO tillway_system, tillway_ops;
