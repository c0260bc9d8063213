import type { AttemptStatus } from '../../domain/states/attempt';
import type { PaymentStatus } from '../../domain/states/payment';
import type { Check } from './check';

/** How a payment may stand at the processor that serves it, where that has no money which nobody asked for. */
const SERVED: Record<PaymentStatus, AttemptStatus[]> = {
  initiated: ['pending'],
  pending: ['pending'],
  requires_action: ['requires_action'],
  authorized: ['authorized'],
  captured: ['captured'],
  settled: ['captured'],
  partially_refunded: ['captured'],
  refunded: ['captured'],
  charged_back: ['captured'],
  failed: ['declined', 'nothing_charged'],
  // A hold that turns out to be gone is cancelled, whatever the processor calls it.
  cancelled: ['voided', 'declined', 'nothing_charged'],
  expired: ['voided'],
};
/** How a payment may stand at a processor that was tried before another one. */
const REPLACED: AttemptStatus[] = ['voided', 'declined', 'nothing_charged'];

const listOf = (statuses: readonly string[]) => statuses.map((status) => `'${status}'`).join(', ');
const fits = Object.entries(SERVED)
  .map(([status, attempts]) => `WHEN '${status}' THEN a.status IN (${listOf(attempts)})`)
  .join(' ');

/** What must hold between payments and their attempts. */
export const ATTEMPT_CHECKS: Check[] = [
  {
    name: 'every payment that was sent has the attempt that serves it',
    since: ['payments', 'payment_attempts'],
    sql: `SELECT p.id AS subject, p.status || ', sent ' || p.attempts || ' times' AS detail FROM payments p
      WHERE p.attempts > 0 AND NOT EXISTS (SELECT 1 FROM payment_attempts a
        WHERE a.payment_id = p.id AND a.processor = p.processor)`,
  },
  {
    name: 'payments stand as their attempts do, and what an attempt has beyond that has a receipt',
    since: ['payments', 'payment_attempts'],
    sql: `SELECT p.id AS subject, format('%s, and %s at processor %s', p.status, a.status, a.processor) AS detail
      FROM payment_attempts a JOIN payments p ON p.id = a.payment_id
      WHERE NOT (CASE WHEN a.processor = p.processor THEN CASE p.status ${fits} END
          ELSE a.status IN (${listOf(REPLACED)}) END)
        AND NOT EXISTS (SELECT 1 FROM unapplied_receipts u WHERE u.payment_id = a.payment_id AND u.processor = a.processor)`,
  },
];
