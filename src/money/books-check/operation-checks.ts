import { type CauseSubject, causeInSql, isCauseOfInSql, subjectIdInSql } from '../ledger/causes';
import type { Check } from './check';

/** Where the row is that a cause is about; null: what settlement books is held against whole reports. */
const TABLES: Record<CauseSubject, string | null> = {
  payment: 'payments',
  refund: 'refunds',
  dispute: 'disputes',
  receipt: 'unapplied_receipts',
  unmatchedTransfer: 'unmatched_transfers',
  transfer: 'p2p_transfers',
  payout: 'payouts',
  bankEntry: 'bank_entries',
  bankAccount: 'bank_accounts',
  bankReturn: 'bank_returns',
  adjustment: 'reconciliation_differences',
  settlement: null,
};

const SUBJECTS = Object.keys(TABLES) as CauseSubject[];

/** Entries whose cause names a row of `table` that is not there. */
const withoutRow = (subject: CauseSubject, table: string) => `
  SELECT t.cause AS subject, t.amount_minor || ' ' || t.currency AS detail FROM ledger_transfers t
  WHERE ${isCauseOfInSql(subject, 't.cause')} AND NOT EXISTS (SELECT 1 FROM ${table} s
    WHERE s.id = ${subjectIdInSql(subject, 't.cause')} AND s.tenant_id = t.tenant_id)`;

/** Entries whose cause is none that anything here books. */
const WITHOUT_CAUSE = `
  SELECT t.cause, t.amount_minor || ' ' || t.currency FROM ledger_transfers t
  WHERE NOT (${SUBJECTS.map((subject) => isCauseOfInSql(subject, 't.cause')).join(' OR ')})`;

/** What must hold between what was done at a processor and what is booked. */
export const OPERATION_CHECKS: Check[] = [
  {
    name: 'a capture or void that succeeded is in the books',
    since: ['payments', 'payment_operations'],
    sql: `SELECT o.id AS subject, format('%s of %s that is %s', o.kind, p.id, p.status) AS detail
      FROM payment_operations o JOIN payments p ON p.id = o.payment_id
      LEFT JOIN ledger_transfers c ON c.tenant_id = p.tenant_id AND c.cause = ${causeInSql('payment', 'p.id', 'capture')}
      WHERE o.status = 'succeeded' AND CASE o.kind WHEN 'capture' THEN c.id IS NULL
        ELSE p.status NOT IN ('cancelled', 'failed', 'expired') END`,
  },
  {
    name: 'a refund is booked as what became of it',
    since: ['refunds'],
    sql: `SELECT r.id AS subject, format('%s with %s of %s booked and %s held', r.status, b.booked, r.amount_minor, b.held) AS detail
      FROM refunds r CROSS JOIN LATERAL (
        SELECT coalesce(sum(s.sign * t.amount_minor), 0) AS booked,
          coalesce(sum(t.amount_minor) FILTER (WHERE s.sign = 0 AND NOT EXISTS (
            SELECT 1 FROM ledger_transfers e WHERE e.pending_id = t.id)), 0) AS held
        FROM (VALUES (${causeInSql('refund', 'r.id', 'hold')}, 0), (${causeInSql('refund', 'r.id', 'post')}, 1),
          (${causeInSql('refund', 'r.id', 'corrected')}, 1), (${causeInSql('refund', 'r.id', 'reversed')}, -1)) AS s(cause, sign)
        JOIN ledger_transfers t ON t.tenant_id = r.tenant_id AND t.cause = s.cause) b
      WHERE b.booked <> CASE r.status WHEN 'succeeded' THEN r.amount_minor ELSE 0 END
        OR b.held <> CASE r.status WHEN 'pending' THEN r.amount_minor ELSE 0 END`,
  },
  {
    name: 'every entry is about something that is there',
    since: ['ledger_transfers'],
    sql: [
      ...SUBJECTS.flatMap((subject) => (TABLES[subject] ? [withoutRow(subject, TABLES[subject])] : [])),
      WITHOUT_CAUSE,
    ].join(' UNION ALL '),
  },
];
