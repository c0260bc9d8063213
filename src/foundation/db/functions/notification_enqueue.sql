-- notification_enqueue, version 1
--
-- Queues what merchants are told, in the transaction of the step that it tells of: one notification for the address that
-- came with the payment, and one for each endpoint of the organization that wants the type.
--
--   tenant   the tenant of all of it; a caller in the role of the application has set tillway.tenant
--   news     an array of JSON objects:
--              id             of the notification; its last character becomes the place of its destination
--              organization   whom it is for
--              terminal       the merchant account, where it is about a payment; else absent
--              payment        the payment that it is about; absent: `subject` is what it is about
--              sequence       the order within the payment; absent: after all that was told of the subject. The caller
--                             has locked it.
--              type, body     as they are sent. In the body each `@<id>` becomes the time of the step, and each other
--                             `<id>` the id of the notification.
--              url, endpoint  the address of the payment, and its scheme, host and port; absent: endpoints only
--              at             the time of the step; absent: now
--
-- Returns: nothing. Each destination is announced once on the channel tillway_notification.
-- Locks:   only the new rows.
CREATE OR REPLACE FUNCTION notification_enqueue(tenant text, news jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE destination text;
BEGIN
  FOR destination IN
    WITH told AS (
      SELECT n.id, n.organization, n.terminal, n.payment, n.subject, n.type, n.url, n.endpoint, n.body,
        coalesce(n.at, clock_timestamp())::timestamptz(3) AS at,
        coalesce(n.sequence, 1 + coalesce((SELECT max(m.sequence) FROM notifications m
          WHERE m.subject_id = n.subject), 0)) AS sequence
      FROM jsonb_to_recordset(news) AS n (id text, organization text, terminal text, payment text, subject text,
        sequence integer, type text, url text, endpoint text, body text, at timestamptz)
    ), addressed AS (
      SELECT t.*, 0 AS place, NULL::text AS endpoint_id, t.url AS to_url, t.endpoint AS to_endpoint
      FROM told t WHERE t.url IS NOT NULL
      UNION ALL
      SELECT t.*, e.place, e.id, e.url, e.origin FROM told t
      JOIN notification_endpoints e ON e.organization_id = t.organization AND e.status = 'enabled'
        AND (e.events IS NULL OR e.events && ARRAY[t.type, split_part(t.type, '.', 1) || '.*'])
    ), written AS (
      INSERT INTO notifications (id, tenant_id, organization_id, terminal_id, payment_id, subject_id, endpoint_id,
        sequence, type, url, endpoint, body, created_at)
      SELECT own.id, tenant, a.organization, a.terminal, a.payment, a.subject, a.endpoint_id, a.sequence, a.type, a.to_url,
        a.to_endpoint, replace(replace(a.body, '@' || a.id, to_char(a.at AT TIME ZONE 'UTC',
          'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')), a.id, own.id), a.at
      FROM addressed a, LATERAL (SELECT left(a.id, -1) || substr('0123456789abcdefg', a.place + 1, 1) AS id) own
      RETURNING organization_id, endpoint
    )
    SELECT DISTINCT w.organization_id || ' ' || w.endpoint FROM written w
  LOOP
    PERFORM pg_notify('tillway_notification', destination);
  END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION notification_enqueue TO tillway_app, tillway_system;
