-- payment_count_up, version 1
--
-- Counts payments and refunds for statistics (payment_sums), up to an event that payment_counting keeps. Every change of
-- what a payment or one of its refunds counts as has an event of the payment in the same transaction; a payment without one
-- is 'initiated'. payment_counted holds what each counts as in the sums, so a change adds the difference: its price does not
-- depend on how many there are, and nothing is added to a payment. payment_statistics adds what came after, so it is exact
-- at any moment.
--
-- Events get their numbers before they become visible, so one with a lower number may still be under way when one with a
-- higher number is there. As ledger_sum_up does, the function reads the newest number, notes after that who holds ROW
-- EXCLUSIVE on payment_events, and goes up to the number once all of those have ended.
--
--   most   how many numbers to go on at most
--
-- Answers: true when there is more to count at once.
-- Errors:  invalid_transaction_state unless the transaction is READ COMMITTED; others would not see what has ended.
-- Locks:   the row of payment_counting; answers false where another holds it.
CREATE OR REPLACE FUNCTION payment_count_up(most bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  state payment_counting;
  upper bigint;
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'payments are counted in READ COMMITTED' USING ERRCODE = 'invalid_transaction_state';
  END IF;
  SELECT * INTO state FROM payment_counting FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  IF state.next_id = state.through_id THEN
    SELECT last_value INTO state.next_id FROM payment_events_id_seq WHERE is_called;
    IF coalesce(state.next_id, 0) <= state.through_id THEN
      UPDATE payment_counting SET is_complete = true WHERE NOT is_complete;
      RETURN false;
    END IF;
    state.waits_for := ARRAY (SELECT virtualtransaction FROM pg_locks WHERE locktype = 'relation' AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND relation = 'payment_events'::regclass AND mode = 'RowExclusiveLock');
  END IF;
  IF EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'relation' AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND relation = 'payment_events'::regclass AND mode = 'RowExclusiveLock'
    AND virtualtransaction = ANY (state.waits_for)) THEN
    UPDATE payment_counting SET next_id = state.next_id, waits_for = state.waits_for;
    RETURN false;
  END IF;
  upper := least(state.next_id, state.through_id + most);
  WITH touched AS MATERIALIZED (
    SELECT DISTINCT payment_id AS id FROM payment_events WHERE id > state.through_id AND id <= upper
  ), fresh AS MATERIALIZED (
    SELECT n.*, c.stand AS old_stand, c.code AS old_code, c.minor AS old_minor, c.charged_back_minor AS old_charged_back
    FROM (SELECT s.* FROM touched JOIN payment_shares s USING (id)
      UNION ALL SELECT s.* FROM touched t JOIN refund_shares s ON s.payment_id = t.id) n
    LEFT JOIN payment_counted c ON c.id = n.id
    WHERE (n.stand, n.code, n.minor, n.charged_back_minor)
      IS DISTINCT FROM (coalesce(c.stand, 'none'), coalesce(c.code, 0), coalesce(c.minor, 0), coalesce(c.charged_back_minor, 0))
  ), kept AS (
    INSERT INTO payment_counted AS c (id, tenant_id, stand, code, minor, charged_back_minor)
    SELECT id, tenant_id, stand, code, minor, charged_back_minor FROM fresh
    ON CONFLICT (id) DO UPDATE SET stand = EXCLUDED.stand, code = EXCLUDED.code, minor = EXCLUDED.minor,
      charged_back_minor = EXCLUDED.charged_back_minor
  ), changed AS (
    SELECT 1 AS sign, f.* FROM fresh f
    UNION ALL
    SELECT -1, id, payment_id, tenant_id, organization_id, terminal_id, currency, kind, created_at, amount_minor, old_stand,
      old_code, old_minor, old_charged_back, NULL, NULL, NULL, NULL
    FROM fresh WHERE old_stand IS NOT NULL
  )
  INSERT INTO payment_sums AS s (organization_id, tenant_id, terminal_id, currency, per, at, kind, code, taken_count,
    taken_accepted_minor, taken_minor, refused_count, refused_minor, unpaid_count, unpaid_minor, open_count, open_minor,
    charged_back_count, charged_back_minor, refunded_count, refunded_minor)
  SELECT c.organization_id, c.tenant_id, c.terminal_id, c.currency, l.per, l.at, l.kind, l.code,
    coalesce(sum(sign) FILTER (WHERE stand = 'taken'), 0), coalesce(sum(sign * amount_minor) FILTER (WHERE stand = 'taken'), 0),
    coalesce(sum(sign * minor) FILTER (WHERE stand = 'taken'), 0),
    coalesce(sum(sign) FILTER (WHERE stand = 'refused'), 0), coalesce(sum(sign * minor) FILTER (WHERE stand = 'refused'), 0),
    coalesce(sum(sign) FILTER (WHERE stand = 'unpaid'), 0), coalesce(sum(sign * minor) FILTER (WHERE stand = 'unpaid'), 0),
    coalesce(sum(sign) FILTER (WHERE stand = 'open'), 0), coalesce(sum(sign * minor) FILTER (WHERE stand = 'open'), 0),
    coalesce(sum(sign) FILTER (WHERE c.charged_back_minor > 0), 0), coalesce(sum(sign * c.charged_back_minor), 0),
    coalesce(sum(sign) FILTER (WHERE stand = 'refunded'), 0), coalesce(sum(sign * minor) FILTER (WHERE stand = 'refunded'), 0)
  FROM changed c CROSS JOIN LATERAL (VALUES
    ('interval', date_trunc('hour', c.created_at, 'UTC'), '', 0),
    ('hour', date_trunc('hour', c.created_at, 'UTC'), c.kind, c.code),
    ('day', date_trunc('day', c.created_at, 'UTC'), c.kind, c.code)) AS l (per, at, kind, code)
  WHERE l.per = 'interval' OR c.payment_id IS NULL
  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 ORDER BY 1, 5, 6, 4, 3, 7, 8
  ON CONFLICT (organization_id, per, at, currency, terminal_id, kind, code) DO UPDATE SET
    taken_count = s.taken_count + EXCLUDED.taken_count,
    taken_accepted_minor = s.taken_accepted_minor + EXCLUDED.taken_accepted_minor,
    taken_minor = s.taken_minor + EXCLUDED.taken_minor,
    refused_count = s.refused_count + EXCLUDED.refused_count, refused_minor = s.refused_minor + EXCLUDED.refused_minor,
    unpaid_count = s.unpaid_count + EXCLUDED.unpaid_count, unpaid_minor = s.unpaid_minor + EXCLUDED.unpaid_minor,
    open_count = s.open_count + EXCLUDED.open_count, open_minor = s.open_minor + EXCLUDED.open_minor,
    charged_back_count = s.charged_back_count + EXCLUDED.charged_back_count,
    charged_back_minor = s.charged_back_minor + EXCLUDED.charged_back_minor,
    refunded_count = s.refunded_count + EXCLUDED.refunded_count,
    refunded_minor = s.refunded_minor + EXCLUDED.refunded_minor;
  UPDATE payment_counting SET through_id = upper, next_id = state.next_id, is_complete = is_complete OR upper = state.next_id,
    waits_for = CASE WHEN upper < state.next_id THEN state.waits_for ELSE '{}' END;
  RETURN upper < state.next_id;
END $$;
REVOKE EXECUTE ON FUNCTION payment_count_up FROM PUBLIC;
GRANT EXECUTE ON FUNCTION payment_count_up TO tillway_system;
