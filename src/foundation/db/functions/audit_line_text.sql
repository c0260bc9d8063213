-- audit_line_text, version 1
--
-- A line of the audit log as its seal has it: one JSON array, the same text whenever and wherever it is asked for.
--
--   line    the row
--
-- Returns: [id, tenant, actor, action, target, source, result, detail, time in UTC], as Postgres writes jsonb.
-- Locks:   none.
CREATE OR REPLACE FUNCTION audit_line_text(line audit_log) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_array(line.id, line.tenant_id, line.actor, line.action, line.target, line.source, line.result,
    line.detail, to_char(line.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text
$$;
GRANT EXECUTE ON FUNCTION audit_line_text TO tillway_system, tillway_ops;
