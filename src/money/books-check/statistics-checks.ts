import type { Check } from './check';

/** The sums that a row of `payment_sums` has. */
const SUMS = [
  'taken_count',
  'taken_accepted_minor',
  'taken_minor',
  'refused_count',
  'refused_minor',
  'unpaid_count',
  'unpaid_minor',
  'open_count',
  'open_minor',
  'charged_back_count',
  'charged_back_minor',
  'refunded_count',
  'refunded_minor',
];
const KEY = 'organization_id, terminal_id, currency, per, at, kind, code';
const each = (of: (sum: string) => string) => SUMS.map(of).join(', ');

const counted = (stand: string) => `count(*) FILTER (WHERE c.stand = '${stand}') AS ${stand}_count,
  coalesce(sum(c.minor) FILTER (WHERE c.stand = '${stand}'), 0) AS ${stand}_minor`;

/** What `payment_counted` comes to for each hour, kind and reason. */
const OF_HOURS = `SELECT s.organization_id, s.terminal_id, s.currency, date_trunc('hour', s.created_at, 'UTC') AS at, s.kind, c.code,
    bool_or(s.payment_id IS NOT NULL) AS is_of_refunds, ${['taken', 'refused', 'unpaid', 'open', 'refunded'].map(counted).join(', ')},
    coalesce(sum(s.amount_minor) FILTER (WHERE c.stand = 'taken'), 0) AS taken_accepted_minor,
    count(*) FILTER (WHERE c.charged_back_minor > 0) AS charged_back_count, sum(c.charged_back_minor) AS charged_back_minor
  FROM payment_counted c
  JOIN (SELECT * FROM payment_shares UNION ALL SELECT * FROM refund_shares) s ON s.id = c.id
  GROUP BY 1, 2, 3, 4, 5, 6`;

/** What must hold for the sums that statistics are read from. What came after the last event that is counted is added to them. */
export const STATISTICS_CHECKS: Check[] = [
  {
    name: 'statistics count every payment and refund as it stands',
    since: ['payments', 'refunds'],
    sql: `WITH standing AS (
        SELECT id, id AS payment_id, payment_stand(status) AS stand,
          CASE payment_stand(status) WHEN 'refused' THEN result_code ELSE 0 END AS code,
          CASE payment_stand(status) WHEN 'taken' THEN captured_minor ELSE amount_minor END AS minor, charged_back_minor
        FROM payments WHERE status <> 'initiated'
        UNION ALL
        SELECT id, payment_id, CASE status WHEN 'succeeded' THEN 'refunded' ELSE 'none' END, 0,
          CASE status WHEN 'succeeded' THEN amount_minor ELSE 0 END, 0 FROM refunds)
      SELECT s.id AS subject, format('%s %s but counted as %s %s', s.stand, s.minor, coalesce(c.stand, 'none'),
        coalesce(c.minor, 0)) AS detail
      FROM standing s LEFT JOIN payment_counted c ON c.id = s.id
      WHERE (s.stand, s.code, s.minor, s.charged_back_minor) IS DISTINCT FROM
          (coalesce(c.stand, 'none'), coalesce(c.code, 0), coalesce(c.minor, 0), coalesce(c.charged_back_minor, 0))
        AND EXISTS (SELECT FROM payment_events e WHERE e.payment_id = s.payment_id)
        AND NOT EXISTS (SELECT FROM payment_events e WHERE e.payment_id = s.payment_id
          AND e.id > (SELECT through_id FROM payment_counting))`,
  },
  {
    name: 'the sums that statistics are read from are what payments and refunds count as',
    sql: `WITH of_hours AS MATERIALIZED (${OF_HOURS}), compared AS (
        SELECT ${KEY}, ${each((sum) => sum)} FROM payment_sums
        UNION ALL
        SELECT organization_id, terminal_id, currency, 'interval', at, '', 0, ${each((sum) => `-${sum}`)} FROM of_hours
        UNION ALL
        SELECT organization_id, terminal_id, currency, per, date_trunc(per, at, 'UTC'), kind, code, ${each((sum) => `-${sum}`)}
        FROM of_hours, (VALUES ('hour'), ('day')) AS p (per) WHERE NOT is_of_refunds)
      SELECT concat_ws(' ', organization_id, terminal_id, currency, per, at, kind, code) AS subject,
        concat_ws(', ', ${each((sum) => `CASE WHEN sum(${sum}) <> 0 THEN '${sum} ' || sum(${sum}) || ' too many' END`)}) AS detail
      FROM compared GROUP BY ${KEY} HAVING (${each((sum) => `sum(${sum})`)}) <> (${each(() => '0')})`,
  },
];
