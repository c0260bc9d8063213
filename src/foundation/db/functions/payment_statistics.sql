-- payment_statistics, version 1
--
-- What became of an organization's payments of a part of time, by intervals, and by kind and reason of refusal. It reads the
-- sums of whole hours and days (payment_count_up), adds what changed since they were made, and reads the payments of the
-- hours that the part of time cuts, or that an interval cuts where a time zone is not a whole number of hours from UTC. For
-- these it looks at all ids that are up to the lag older. Until everything has been counted once, it reads every payment.
--
--   organization, terminal   whose; the terminal may be NULL: all of the organization
--   since, till              the payments accepted from the one on and before the other, and the refunds asked for meanwhile
--   every, zone              hour or day, and the IANA name of the time zone in which they begin
--   wanted                   one currency; NULL: all
--   lag                      how much older than its row an id may be
--   skew                     how much the clock that makes ids may go ahead of this one
--
-- Returns: for each currency and interval, where `at` is its begin, the sums of it; and for each currency, kind and result
--          code (0 unless refused) the sums of all intervals, where `at` is NULL. What is taken counts with what was captured,
--          and `taken_accepted_minor` is what was asked for. Refunds are in the intervals only. Nothing where nothing is.
-- Errors:  invalid_parameter_value for a time zone that the database does not know.
-- Locks:   none. It reads one state of the database, that of the statement which calls it.
CREATE OR REPLACE FUNCTION payment_statistics(
  organization text, terminal text, since timestamptz, till timestamptz, every text, zone text, wanted char(3), lag interval,
  skew interval
) RETURNS TABLE (
  currency char(3), at timestamptz, kind text, code integer, taken_count numeric, taken_accepted_minor numeric,
  taken_minor numeric, refused_count numeric, refused_minor numeric, unpaid_count numeric, unpaid_minor numeric,
  open_count numeric, open_minor numeric, charged_back_count numeric, charged_back_minor numeric, refunded_count numeric,
  refunded_minor numeric
) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE
  state payment_counting;
  hour CONSTANT interval := '1 hour';
  almost_hour CONSTANT interval := '59 minutes 59.999999 seconds';
  -- Whole hours, and the whole days in them, by UTC.
  hours_since timestamptz := since;
  hours_till timestamptz := since;
  days_since timestamptz;
  days_till timestamptz;
BEGIN
  SELECT * INTO state FROM payment_counting;
  IF state.is_complete THEN
    hours_since := date_trunc('hour', since + almost_hour, 'UTC');
    -- What is not over yet has no payments after its end.
    hours_till := greatest(hours_since, date_trunc('hour',
      CASE WHEN till > clock_timestamp() + interval '1 second' THEN till + almost_hour ELSE till END, 'UTC'));
  END IF;
  days_since := date_trunc('day', hours_since + interval '23 hours' + almost_hour, 'UTC');
  days_till := date_trunc('day', hours_till, 'UTC');
  IF days_till <= days_since THEN
    days_since := hours_till;
    days_till := hours_till;
  END IF;
  RETURN QUERY WITH hours AS MATERIALIZED (
    SELECT h, t.at, CASE WHEN lead(t.at) OVER (ORDER BY h) = t.at THEN false
      ELSE date_trunc(every, h + almost_hour, zone) <> t.at END AS is_cut
    FROM generate_series(hours_since, hours_till - hour, hour) h
    CROSS JOIN LATERAL (SELECT date_trunc(every, h, zone) AS at) t
  ), spans AS (
    SELECT at, min(h) AS low, max(h) + hour AS high FROM hours WHERE NOT is_cut GROUP BY at
  ), summed AS (
    SELECT s.at, l.* FROM spans s CROSS JOIN LATERAL (
      SELECT m.currency, NULL::text AS kind, NULL::integer AS code, sum(m.taken_count) AS taken_count,
        sum(m.taken_accepted_minor) AS taken_accepted_minor, sum(m.taken_minor) AS taken_minor,
        sum(m.refused_count) AS refused_count, sum(m.refused_minor) AS refused_minor,
        sum(m.unpaid_count) AS unpaid_count, sum(m.unpaid_minor) AS unpaid_minor, sum(m.open_count) AS open_count,
        sum(m.open_minor) AS open_minor, sum(m.charged_back_count) AS charged_back_count,
        sum(m.charged_back_minor) AS charged_back_minor, sum(m.refunded_count) AS refunded_count,
        sum(m.refunded_minor) AS refunded_minor
      FROM payment_sums m WHERE m.organization_id = organization AND m.per = 'interval' AND m.at >= s.low AND m.at < s.high
        AND (terminal IS NULL OR m.terminal_id = terminal) AND (wanted IS NULL OR m.currency = wanted)
      GROUP BY m.currency) l
    UNION ALL
    SELECT NULL, m.currency, m.kind, m.code, sum(m.taken_count), sum(m.taken_accepted_minor), sum(m.taken_minor),
      sum(m.refused_count), sum(m.refused_minor), sum(m.unpaid_count), sum(m.unpaid_minor), sum(m.open_count),
      sum(m.open_minor), sum(m.charged_back_count), sum(m.charged_back_minor), 0, 0
    FROM (VALUES ('day', days_since, days_till), ('hour', hours_since, days_since), ('hour', days_till, hours_till)) AS w (per, low, high)
    JOIN payment_sums m ON m.organization_id = organization AND m.per = w.per AND m.at >= w.low AND m.at < w.high
      AND (terminal IS NULL OR m.terminal_id = terminal) AND (wanted IS NULL OR m.currency = wanted)
    GROUP BY m.currency, m.kind, m.code
  ), parts AS MATERIALIZED (
    SELECT w.*, id_made_at('pay', w.low - lag - skew) AS low_payment, id_made_at('pay', w.high + skew) AS high_payment,
      id_made_at('ref', w.low - lag - skew) AS low_refund, id_made_at('ref', w.high + skew) AS high_refund
    FROM (SELECT * FROM (VALUES (true, since, least(hours_since, till)), (true, hours_till, till)) AS e (is_edge, low, high)
      WHERE e.low < e.high
      UNION ALL SELECT false, h, h + hour FROM hours WHERE is_cut) w
  ), read AS (
    -- Each part by itself: joined to all of them at once, the planner reads the whole table.
    SELECT 1 AS sign, w.is_edge, true AS is_of_interval, s.* FROM parts w CROSS JOIN LATERAL (
      SELECT * FROM payment_shares p WHERE p.organization_id = organization AND p.created_at >= w.low AND p.created_at < w.high
        AND p.id >= w.low_payment AND p.id < w.high_payment OFFSET 0) s
    UNION ALL
    SELECT 1, w.is_edge, true, s.* FROM parts w CROSS JOIN LATERAL (
      SELECT * FROM refund_shares r WHERE r.organization_id = organization AND r.created_at >= w.low AND r.created_at < w.high
        AND r.id >= w.low_refund AND r.id < w.high_refund OFFSET 0) s
  ), touched AS MATERIALIZED (
    SELECT e.payment_id AS id FROM payment_events e WHERE e.id > state.through_id AND hours_since < hours_till
    UNION
    SELECT p.id FROM payments p
    WHERE p.organization_id = organization AND p.status = 'initiated' AND hours_since < hours_till
  ), now AS MATERIALIZED (
    SELECT s.* FROM touched t JOIN payment_shares s ON s.id = t.id WHERE s.organization_id = organization
    UNION ALL
    SELECT s.* FROM touched t JOIN refund_shares s ON s.payment_id = t.id WHERE s.organization_id = organization
  ), changed AS (
    SELECT c.sign, true AS is_edge, NOT EXISTS (SELECT FROM hours h WHERE h.is_cut
      AND h.h = date_trunc('hour', c.created_at, 'UTC')) AS is_of_interval,
      c.id, c.payment_id, c.tenant_id, c.organization_id, c.terminal_id, c.currency, c.kind, c.created_at, c.amount_minor,
      c.stand, c.code, c.minor, c.charged_back_minor
    FROM (SELECT 1 AS sign, n.* FROM now n
      UNION ALL
      SELECT -1, n.id, n.payment_id, n.tenant_id, n.organization_id, n.terminal_id, n.currency, n.kind, n.created_at,
        n.amount_minor, o.stand, o.code, o.minor, o.charged_back_minor
      FROM now n JOIN payment_counted o ON o.id = n.id) c
    WHERE c.created_at >= hours_since AND c.created_at < hours_till
  ), live AS (
    SELECT CASE w.per WHEN 'interval' THEN date_trunc(every, c.created_at, zone) END AS at, c.currency,
      CASE w.per WHEN 'whole' THEN c.kind END AS kind, CASE w.per WHEN 'whole' THEN c.code END AS code,
      sum(sign) FILTER (WHERE stand = 'taken') AS taken_count,
      sum(sign * amount_minor) FILTER (WHERE stand = 'taken') AS taken_accepted_minor,
      sum(sign * minor) FILTER (WHERE stand = 'taken') AS taken_minor,
      sum(sign) FILTER (WHERE stand = 'refused') AS refused_count,
      sum(sign * minor) FILTER (WHERE stand = 'refused') AS refused_minor,
      sum(sign) FILTER (WHERE stand = 'unpaid') AS unpaid_count,
      sum(sign * minor) FILTER (WHERE stand = 'unpaid') AS unpaid_minor,
      sum(sign) FILTER (WHERE stand = 'open') AS open_count,
      sum(sign * minor) FILTER (WHERE stand = 'open') AS open_minor,
      sum(sign) FILTER (WHERE charged_back_minor > 0) AS charged_back_count,
      sum(sign * charged_back_minor) AS charged_back_minor,
      sum(sign) FILTER (WHERE stand = 'refunded') AS refunded_count,
      sum(sign * minor) FILTER (WHERE stand = 'refunded') AS refunded_minor
    FROM (SELECT * FROM read UNION ALL SELECT * FROM changed) c
    JOIN (VALUES ('interval'), ('whole')) AS w (per)
      ON CASE w.per WHEN 'interval' THEN c.is_of_interval ELSE c.is_edge AND c.payment_id IS NULL END
    WHERE (terminal IS NULL OR c.terminal_id = terminal) AND (wanted IS NULL OR c.currency = wanted)
    GROUP BY 1, 2, 3, 4
  ), sums AS (
    SELECT t.currency, t.at, t.kind, t.code, coalesce(sum(t.taken_count), 0) AS taken,
      coalesce(sum(t.taken_accepted_minor), 0) AS taken_accepted_minor, coalesce(sum(t.taken_minor), 0) AS taken_minor,
      coalesce(sum(t.refused_count), 0) AS refused, coalesce(sum(t.refused_minor), 0) AS refused_minor,
      coalesce(sum(t.unpaid_count), 0) AS unpaid, coalesce(sum(t.unpaid_minor), 0) AS unpaid_minor,
      coalesce(sum(t.open_count), 0) AS open, coalesce(sum(t.open_minor), 0) AS open_minor,
      coalesce(sum(t.charged_back_count), 0) AS charged_back, coalesce(sum(t.charged_back_minor), 0) AS charged_back_minor,
      coalesce(sum(t.refunded_count), 0) AS refunded, coalesce(sum(t.refunded_minor), 0) AS refunded_minor
    FROM (SELECT at, currency, kind, code, taken_count, taken_accepted_minor, taken_minor, refused_count, refused_minor,
        unpaid_count, unpaid_minor, open_count, open_minor, charged_back_count, charged_back_minor, refunded_count,
        refunded_minor FROM summed
      UNION ALL SELECT * FROM live) t
    GROUP BY 1, 2, 3, 4
  )
  SELECT * FROM sums WHERE taken + refused + unpaid + open + refunded > 0;
END $$;
GRANT EXECUTE ON FUNCTION payment_statistics TO tillway_app;
