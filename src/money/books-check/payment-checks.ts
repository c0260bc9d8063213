import { type CauseStep, causeInSql, DISPUTE_MOVEMENTS } from '../ledger/causes';
import { isTaking } from '../payments/bookings';
import type { Check } from './check';

/*
 * Every check reads whole tables and joins them: that costs the same for each row, however many there are. A look-up for
 * each row would not.
 */

const REFUND_STEPS: [CauseStep<'refund'>, number][] = [
  ['post', 1],
  ['corrected', 1],
  ['reversed', -1],
];

/** What was booked for each payment as refunded, and what is held for its refunds. */
const OF_REFUNDS = `
  SELECT r.payment_id, sum(s.sign * t.amount_minor) AS booked,
    sum(t.amount_minor) FILTER (WHERE s.sign = 0 AND e.id IS NULL) AS held
  FROM refunds r
  CROSS JOIN LATERAL (VALUES (${causeInSql('refund', 'r.id', 'hold')}, 0),
    ${REFUND_STEPS.map(([step, sign]) => `(${causeInSql('refund', 'r.id', step)}, ${sign})`).join(', ')}) AS s(cause, sign)
  JOIN ledger_transfers t ON t.tenant_id = r.tenant_id AND t.cause = s.cause
  LEFT JOIN ledger_transfers e ON e.pending_id = t.id AND s.sign = 0
  GROUP BY r.payment_id`;

/** What disputes took from each payment, and what of it is back for the time being. */
const OF_DISPUTES = `
  SELECT d.payment_id, sum(s.sign * t.amount_minor) AS booked
  FROM disputes d
  CROSS JOIN LATERAL (VALUES ${DISPUTE_MOVEMENTS.map(
    (movement) => `(${causeInSql('dispute', 'd.id', movement)}, ${isTaking(movement) ? 1 : -1})`,
  ).join(', ')}) AS s(cause, sign)
  JOIN ledger_transfers t ON t.tenant_id = d.tenant_id AND t.cause = s.cause
  GROUP BY d.payment_id`;

const CONTESTED = `
  SELECT payment_id, sum(amount_minor) AS minor FROM disputes
  WHERE second_presentment_at IS NOT NULL AND status NOT IN ('won', 'lost') GROUP BY payment_id`;

/** What was booked for a receipt. Versions before it had a row booked it on its payment, once, under another cause. */
const bookedForReceipt = (step: CauseStep<'receipt'>, before: CauseStep<'payment'>) =>
  `coalesce((SELECT sum(l.amount_minor) FROM ledger_transfers l WHERE l.tenant_id = u.tenant_id
    AND l.cause IN (${causeInSql('receipt', 'u.id', step)},
      CASE WHEN u.reference = ${causeInSql('payment', 'u.payment_id', 'late')} THEN ${causeInSql('payment', 'u.payment_id', before)} END)), 0)`;

/** What must hold for payments, refunds, disputes, and money that nobody asked for. */
export const PAYMENT_CHECKS: Check[] = [
  {
    name: 'captures, refunds and disputes are booked as the payment says',
    since: ['payments', 'refunds', 'disputes'],
    sql: `SELECT p.id AS subject, format('captured %s booked %s, refunded %s booked %s, reserved %s held %s, charged back %s booked %s, contested %s disputed %s',
        p.captured_minor, coalesce(c.amount_minor, 0), p.refunded_minor, coalesce(r.booked, 0), p.refund_reserved_minor,
        coalesce(r.held, 0), p.charged_back_minor, coalesce(d.booked, 0), p.contested_minor, coalesce(x.minor, 0)) AS detail
      FROM payments p
      LEFT JOIN ledger_transfers c ON c.tenant_id = p.tenant_id AND c.cause = ${causeInSql('payment', 'p.id', 'capture')}
      LEFT JOIN (${OF_REFUNDS}) r ON r.payment_id = p.id
      LEFT JOIN (${OF_DISPUTES}) d ON d.payment_id = p.id
      LEFT JOIN (${CONTESTED}) x ON x.payment_id = p.id
      WHERE p.captured_minor <> coalesce(c.amount_minor, 0) OR p.refunded_minor <> coalesce(r.booked, 0)
        OR p.refund_reserved_minor <> coalesce(r.held, 0) OR p.charged_back_minor <> coalesce(d.booked, 0)
        OR p.contested_minor <> coalesce(x.minor, 0)`,
  },
  {
    name: 'a hold is open exactly while the payment is authorized',
    since: ['payments'],
    sql: `SELECT p.id AS subject, p.status || CASE WHEN h.id IS NULL THEN ' without' ELSE ' with' END || ' a hold' AS detail
      FROM payments p
      LEFT JOIN (SELECT t.id, t.tenant_id, t.cause FROM ledger_transfers t
          LEFT JOIN ledger_transfers e ON e.pending_id = t.id WHERE t.phase = 'pending' AND e.id IS NULL) h
        ON h.tenant_id = p.tenant_id AND h.cause = ${causeInSql('payment', 'p.id', 'authorize')}
      WHERE (h.id IS NOT NULL) <> (p.status = 'authorized')`,
  },
  {
    name: 'the status follows from the amounts',
    since: ['payments'],
    sql: `SELECT id AS subject, status AS detail FROM payments WHERE
      (captured_minor > 0) <> (status IN ('captured', 'settled', 'partially_refunded', 'refunded', 'charged_back'))
      OR (status = 'charged_back') <> (charged_back_minor > 0)
      OR (status = 'refunded' AND refunded_minor <> captured_minor)`,
  },
  {
    name: 'every step of the timeline follows the one before',
    since: ['payment_events'],
    sql: `SELECT payment_id AS subject, coalesce(before, 'initiated') || ' then from ' || from_status AS detail
      FROM (SELECT payment_id, from_status, lag(to_status) OVER (PARTITION BY payment_id ORDER BY id) AS before
        FROM payment_events) e WHERE from_status <> coalesce(before, 'initiated')`,
  },
  {
    name: 'money that nobody asked for is booked when it was taken, and when it went back',
    sql: `SELECT id AS subject, format('%s, taken: %s, arrived %s, returned %s', status, is_taken, arrived, returned) AS detail
      FROM (SELECT u.id, u.status, u.is_taken, u.amount_minor, ${bookedForReceipt('arrived', 'late')} AS arrived,
          ${bookedForReceipt('returned', 'late-returned')} AS returned FROM unapplied_receipts u) r
      WHERE arrived <> CASE WHEN is_taken THEN amount_minor ELSE 0 END
        OR returned <> CASE WHEN is_taken AND status = 'returned' THEN amount_minor ELSE 0 END`,
  },
];
