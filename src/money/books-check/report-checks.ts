import type { Knex } from 'knex';
import { OWN_BANK, PROCESSORS } from '../../domain/connector';
import { causeInSql, isCauseOfInSql, subjectIdInSql } from '../ledger/causes';
import { IN_NO_REPORT } from '../reconciliation/movements';
import { type Check, type Checked, type CheckResult, runChecks } from './check';
import type { Since } from './since';

/** The sums of what a kind of settlement entries booked, by their last step. */
const booked = (step: 'in' | 'out' | 'fee' | 'fee-returned') =>
  `coalesce(sum(t.amount_minor) FILTER (WHERE t.cause LIKE '%/${step}'), 0)`;

const reported = (amount: string, kinds: string) => `coalesce(sum(${amount}) FILTER (WHERE ${kinds}), 0)`;

const INCOMING = "l.kind IN ('capture', 'chargeback_reversal')";

const OF_ALL_REPORTS: Check[] = [
  {
    name: 'a line of a report stands for an entry of the same amount',
    since: ['settlement_lines'],
    sql: `SELECT s.processor || ' ' || s.line_id AS subject, format('%s: %s %s there, %s %s here', s.movement, s.amount_minor,
        s.currency, coalesce(t.amount_minor, 0), t.currency) AS detail
      FROM settlement_lines s LEFT JOIN ledger_transfers t ON t.tenant_id = s.tenant_id AND t.cause = s.movement
      WHERE s.outcome <> 'waiting' AND s.movement IS NOT NULL
        AND (t.id IS NULL OR (s.outcome = 'matched' AND (t.amount_minor, t.currency) <> (s.amount_minor, s.currency)))`,
  },
  {
    name: 'what is settled has been in a report',
    since: ['payments', 'refunds'],
    sql: `SELECT p.id AS subject, CASE WHEN l.line_id IS NULL THEN 'settled without a line' ELSE 'in a report, and not settled' END AS detail
      FROM payments p LEFT JOIN settlement_lines l
        ON l.tenant_id = p.tenant_id AND l.movement = ${causeInSql('payment', 'p.id', 'capture')}
      WHERE (p.settled_at IS NULL) <> (l.line_id IS NULL) AND p.processor <> '${OWN_BANK}'
      UNION ALL
      SELECT r.id, CASE WHEN l.refund_id IS NULL THEN 'settled without a line' ELSE 'in a report, and not settled' END
      FROM refunds r JOIN payments p ON p.id = r.payment_id AND p.processor <> '${OWN_BANK}'
      LEFT JOIN (SELECT DISTINCT tenant_id, ${subjectIdInSql('refund', 'movement')} AS refund_id FROM settlement_lines
          WHERE ${isCauseOfInSql('refund', 'movement')}) l ON l.tenant_id = r.tenant_id AND l.refund_id = r.id
      WHERE (r.settled_at IS NULL) <> (l.refund_id IS NULL)`,
  },
  {
    name: 'every line of a report is about something of ours',
    sql: `SELECT l.processor || ' ' || l.line_id AS subject, format('%s of %s %s for %s in %s', l.kind, l.amount_minor, l.currency,
        l.payment_reference, l.batch_id) AS detail
      FROM settlement_lines l WHERE l.outcome = 'waiting'
        AND l.booked_at <= clock_timestamp() - :graceMs * interval '1 millisecond'`,
  },
  {
    name: 'a settlement is booked as the sums of its lines',
    sql: `SELECT concat_ws(' ', tenant_id, processor, currency) AS subject, format('came %s booked %s, went %s booked %s, fees %s booked %s',
        l.came, e.came, l.went, e.went, l.fees, e.fees) AS detail
      FROM (SELECT tenant_id, processor, currency, ${reported('l.amount_minor', INCOMING)} AS came,
          ${reported('l.amount_minor', `NOT ${INCOMING}`)} AS went, sum(fee_minor) AS fees
        FROM settlement_lines l WHERE outcome = 'matched' GROUP BY 1, 2, 3) l
      FULL JOIN (SELECT tenant_id, ${subjectIdInSql('settlement', 'cause')} AS processor, currency, ${booked('in')} AS came,
          ${booked('out')} AS went, ${booked('fee')} - ${booked('fee-returned')} AS fees
        FROM ledger_transfers t WHERE ${isCauseOfInSql('settlement', 'cause')} GROUP BY 1, 2, 3) e USING (tenant_id, processor, currency)
      WHERE (l.came, l.went, l.fees) IS DISTINCT FROM (e.came, e.went, e.fees)`,
  },
];

const IN_REPORTS: Check = {
  name: 'what we booked has been in a report of its processor',
  sql: `SELECT m.cause AS subject, m.amount_minor || ' ' || m.currency || ' at processor ' || :processor || ' is in no report' AS detail
    FROM (${IN_NO_REPORT}) m
    WHERE NOT EXISTS (SELECT 1 FROM reconciliation_differences o WHERE o.tenant_id = m.tenant_id AND o.movement = m.cause
      AND o.kind <> 'different_fee' AND o.status = 'resolved')`,
};

/**
 * Holds what was done and booked against the settlement reports of the processors. What is younger than `graceMs`
 * (milliseconds) may still be in no report, and is left out before anything is looked up for it. What operators have resolved
 * is no finding; an open difference is. `since`: what was touched since an audit that found nothing. Runs as the ops role.
 */
export function auditReports(
  ops: Knex,
  graceMs: number,
  each?: (result: CheckResult) => Promise<void>,
  since?: Since,
): Promise<Checked> {
  // What was too young for the last audit is judged by this one.
  const from = new Date(since ? since.at.getTime() - graceMs : 0);
  const ofAll = OF_ALL_REPORTS.map((check) => ({ ...check, bindings: { graceMs } }));
  const ofEach = PROCESSORS.filter((processor) => processor !== OWN_BANK).map((processor) => ({
    ...IN_REPORTS,
    bindings: { graceMs, processor, since: from },
  }));
  return runChecks(ops, [...ofAll, ...ofEach], each, since);
}
