import type { SettlementLine } from '../../domain/connector';
import { type CauseStep, causeInSql, DISPUTE_MOVEMENTS, type DisputeMovement, parseCause } from '../ledger/causes';

/** A movement of what a processor owes us. */
interface Movement {
  /** The kind of line that stands for it in a settlement report. */
  line: SettlementLine['kind'];
  /** What this line settles. Null: we hold nothing that this line could settle. */
  settles: 'payment' | 'refund' | null;
}

/** What each step of a payment moves of what its processor owes us; null: nothing that a report would show. */
const OF_PAYMENT: Record<CauseStep<'payment'>, Movement | null> = {
  // A hold moves nothing until it is captured.
  authorize: null,
  release: null,
  capture: { line: 'capture', settles: 'payment' },
  late: { line: 'capture', settles: null },
  'late-returned': { line: 'refund', settles: null },
  // Between us and the customer.
  fee: null,
  owed: null,
  settled: null,
  // Between us and the seller.
  'settled/float': null,
};

const OF_REFUND: Record<CauseStep<'refund'>, Movement | null> = {
  hold: null,
  post: { line: 'refund', settles: 'refund' },
  corrected: { line: 'refund', settles: 'refund' },
  unallocated: { line: 'refund', settles: 'refund' },
  // A report shows no line for a refund that came back.
  reversed: null,
  void: null,
  // Between us and the customer.
  fee: null,
  'fee-kept': null,
  settled: null,
  'corrected/incoming': null,
  'corrected/wallet': null,
  'corrected/fee': null,
  'reversed/fee': null,
  // Between us and the seller.
  'hold/float': null,
  'post/float': null,
  'void/float': null,
  'fee/float': null,
  'fee-kept/float': null,
  'settled/float': null,
  'corrected/wallet/float': null,
  'reversed/float': null,
  'reversed/fee/float': null,
};

const OF_RECEIPT: Record<CauseStep<'receipt'>, Movement> = {
  arrived: { line: 'capture', settles: null },
  returned: { line: 'refund', settles: null },
};

/** An incoming transfer that counts towards no payment, under the processor's own id of it. */
const OF_UNMATCHED_TRANSFER: Record<CauseStep<'unmatchedTransfer'>, Movement> = {
  arrived: { line: 'capture', settles: null },
  matched: { line: 'refund', settles: null },
  returned: { line: 'refund', settles: null },
};

/** A payout, under our own id of it. */
const OF_PAYOUT: Record<CauseStep<'payout'>, Movement | null> = {
  paid: { line: 'refund', settles: null },
  returned: { line: 'capture', settles: null },
  // Between us and the organization.
  ordered: null,
  released: null,
  'reserve-held': null,
  'reserve-released': null,
};

const LINES_OF_PAYOUT = (Object.keys(OF_PAYOUT) as CauseStep<'payout'>[])
  .flatMap((step) => {
    const line = OF_PAYOUT[step]?.line;
    return line ? [`(${causeInSql('payout', 'o.id', step)}, '${line}')`] : [];
  })
  .join(', ');

/** A transfer back to a payer of a tenant's own account, under our own id of it. */
const OF_BANK_RETURN: Record<CauseStep<'bankReturn'>, Movement> = {
  paid: { line: 'refund', settles: null },
  returned: { line: 'capture', settles: null },
};

const LINES_OF_BANK_RETURN = (['paid', 'returned'] as const)
  .map((step) => `(${causeInSql('bankReturn', 'b.id', step)}, '${OF_BANK_RETURN[step].line}')`)
  .join(', ');

/** Its parts in a customer's accounts (`…/incoming`, `…/wallet`) are no movements of the processor's. */
const OF_DISPUTE: Record<DisputeMovement, Movement> = {
  'charged-back': { line: 'chargeback', settles: null },
  lost: { line: 'chargeback', settles: null },
  'second-presentment': { line: 'chargeback_reversal', settles: null },
  won: { line: 'chargeback_reversal', settles: null },
};

/** Money that was noted on its payment, by versions before it had a row of its own, went back under this reference. */
const LATE_REFERENCE = causeInSql('payment', 'p.id', 'late');

const stepsOf = <Step extends string>(table: Record<Step, Movement | null>, line: SettlementLine['kind']): Step[] =>
  (Object.keys(table) as Step[]).filter((step) => table[step]?.line === line);

/** The steps of disputes that lines of a kind stand for, as they end a cause. */
const endingsOf = (line: SettlementLine['kind']) => stepsOf(OF_DISPUTE, line).map((movement) => `'/${movement}'`);

/** What the lines of such a transfer `u` refer to, by the movement that each stands for. */
const REFERENCE_OF_LINE: Record<CauseStep<'unmatchedTransfer'>, string> = {
  arrived: 'u.transfer_id',
  matched: 'u.transfer_id',
  returned: 'u.return_reference',
};

const LINES_OF_UNMATCHED_TRANSFER = (['arrived', 'matched', 'returned'] as const)
  .map(
    (step) =>
      `(${causeInSql('unmatchedTransfer', 'u.id', step)}, '${OF_UNMATCHED_TRANSFER[step].line}', ${REFERENCE_OF_LINE[step]})`,
  )
  .join(', ');

/**
 * SQL for what a line `g` is about, and whose it is: a payment, or an incoming transfer or payout that stands in place of
 * one. `p` is its alias; a line has one at most.
 */
export const SUBJECT_OF_LINE = `
  SELECT y.id, y.tenant_id FROM payments y WHERE y.id = g.payment_reference
  UNION ALL SELECT u.transfer_id, u.tenant_id FROM unmatched_transfers u
    WHERE u.processor = :processor AND u.transfer_id = g.payment_reference
  UNION ALL SELECT o.id, o.tenant_id FROM payouts o WHERE o.processor = :processor AND o.id = g.payment_reference
  UNION ALL SELECT b.id, b.tenant_id FROM bank_returns b WHERE b.processor = :processor AND b.id = g.payment_reference`;

/**
 * SQL for the ledger's side of a settlement line: which transfers a line of a kind may stand for. `g` is a line or a group
 * of equal ones (kind, reference, payment_reference, currency, amount_minor), `p` its `SUBJECT_OF_LINE`.
 */
export const CAUSES_OF_LINE = `
  ${stepsOf(OF_PAYMENT, 'capture')
    .map((step) => `SELECT ${causeInSql('payment', 'p.id', step)} AS cause WHERE g.kind = 'capture'`)
    .join(' UNION ALL ')}
  UNION ALL ${stepsOf(OF_REFUND, 'refund')
    .map((step) => `SELECT ${causeInSql('refund', 'g.reference', step)} WHERE g.kind = 'refund'`)
    .join(' UNION ALL ')}
  UNION ALL ${stepsOf(OF_PAYMENT, 'refund')
    .map(
      (step) =>
        `SELECT ${causeInSql('payment', 'p.id', step)} WHERE g.kind = 'refund' AND g.reference = ${LATE_REFERENCE}`,
    )
    .join(' UNION ALL ')}
  UNION ALL SELECT ${causeInSql('receipt', 'u.id', 'arrived')} FROM unapplied_receipts u
    WHERE g.kind = '${OF_RECEIPT.arrived.line}' AND u.payment_id = p.id AND u.is_taken
  UNION ALL SELECT ${causeInSql('receipt', 'u.id', 'returned')} FROM unapplied_receipts u
    WHERE g.kind = '${OF_RECEIPT.returned.line}' AND u.payment_id = p.id AND u.reference = g.reference
  UNION ALL SELECT s.cause FROM unmatched_transfers u, LATERAL (VALUES ${LINES_OF_UNMATCHED_TRANSFER}) AS s(cause, kind, reference)
    WHERE u.processor = :processor AND u.transfer_id = g.payment_reference AND s.kind = g.kind AND s.reference = g.reference
  UNION ALL SELECT s.cause FROM payouts o, LATERAL (VALUES ${LINES_OF_PAYOUT}) AS s(cause, kind)
    WHERE o.processor = :processor AND o.id = g.payment_reference AND o.id = g.reference AND s.kind = g.kind
  UNION ALL SELECT s.cause FROM bank_returns b, LATERAL (VALUES ${LINES_OF_BANK_RETURN}) AS s(cause, kind)
    WHERE b.processor = :processor AND b.id = g.payment_reference AND b.id = g.reference AND s.kind = g.kind
  UNION ALL SELECT d.id || s.step FROM disputes d,
    unnest(CASE g.kind WHEN 'chargeback' THEN ARRAY[${endingsOf('chargeback')}]
      WHEN 'chargeback_reversal' THEN ARRAY[${endingsOf('chargeback_reversal')}] END) AS s(step)
    WHERE d.payment_id = p.id`;

/** Whether a processor takes its fee with a movement. Of a transfer it takes one when that counts towards a payment; of a payout
 * or a transfer back none. */
export function bearsFee(movement: string): boolean {
  const subject = parseCause(movement)?.subject;
  return subject !== 'unmatchedTransfer' && subject !== 'payout' && subject !== 'bankReturn';
}

/** The ids of the payments, or refunds, that are settled once these movements have been in a report. */
export function settledBy(movements: readonly string[], what: 'payment' | 'refund'): string[] {
  return movements.flatMap((movement) => {
    const parsed = parseCause(movement);
    if (parsed?.subject === 'payment') return OF_PAYMENT[parsed.step]?.settles === what ? [parsed.id] : [];
    if (parsed?.subject === 'refund') return OF_REFUND[parsed.step]?.settles === what ? [parsed.id] : [];
    return [];
  });
}

/**
 * The transfer of a cause `c` that moves what `:processor` owes us, looked up by its key and in no other way, whatever the
 * planner believes of the tables.
 */
export const TRANSFER_OF_CAUSE = `
  SELECT id, tenant_id, cause, currency, amount_minor, booked_at FROM ledger_transfers f
  WHERE f.tenant_id = p.tenant_id AND f.cause = c.cause AND EXISTS (SELECT 1 FROM ledger_accounts a
    WHERE a.id IN (f.debit_account_id, f.credit_account_id) AND a.kind = 'provider_receivable'
      AND a.owner = :processor) OFFSET 0`;

/** Holds for a transfer `t` that no line stands for yet, and that ops have not written off or booked otherwise. */
export const IS_UNMATCHED = `
  NOT EXISTS (SELECT 1 FROM settlement_lines s WHERE s.tenant_id = t.tenant_id AND s.movement = t.cause)
  AND NOT EXISTS (SELECT 1 FROM reconciliation_differences w WHERE w.tenant_id = t.tenant_id AND w.movement = t.cause
    AND w.kind = 'missing_there' AND w.resolution IN ('book', 'write_off'))`;

/** Serializes matching per processor: two passes at once would pair one movement twice and fail. */
export const MATCHING_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('settlement ' || ?, 0))";

/** Holds for a row that is `:graceMs` old. What is younger is left out before anything is looked up for it. */
const isPastGrace = (row: string) => `${row}.created_at <= clock_timestamp() - :graceMs * interval '1 millisecond'`;

/**
 * Movements of `:processor` that may be in no report, of rows older than `:graceMs`; those of disputes and receipts where the
 * row changed since `:since`.
 */
export const UNSETTLED_MOVEMENTS = `
  SELECT p.tenant_id, ${causeInSql('payment', 'p.id', 'capture')} AS cause, 'capture' AS kind, p.id AS reference, p.id AS payment_reference
  FROM payments p WHERE p.processor = :processor AND p.settled_at IS NULL AND p.captured_minor > 0 AND ${isPastGrace('p')}
  UNION ALL
  SELECT r.tenant_id, s.cause, 'refund', r.id, r.payment_id FROM refunds r JOIN payments p ON p.id = r.payment_id,
    LATERAL (VALUES (${causeInSql('refund', 'r.id', 'post')}), (${causeInSql('refund', 'r.id', 'corrected')})) AS s(cause)
  WHERE p.processor = :processor AND r.settled_at IS NULL AND r.status = 'succeeded' AND ${isPastGrace('r')}
  UNION ALL
  SELECT u.tenant_id, s.cause, s.kind, s.reference, u.payment_id FROM unapplied_receipts u,
    LATERAL (VALUES (${causeInSql('receipt', 'u.id', 'arrived')}, '${OF_RECEIPT.arrived.line}', u.payment_id),
      (${causeInSql('receipt', 'u.id', 'returned')}, '${OF_RECEIPT.returned.line}', u.reference)) AS s(cause, kind, reference)
  WHERE u.processor = :processor AND u.updated_at >= :since AND ${isPastGrace('u')}
  UNION ALL
  SELECT u.tenant_id, s.cause, s.kind, s.reference, u.transfer_id FROM unmatched_transfers u,
    LATERAL (VALUES ${LINES_OF_UNMATCHED_TRANSFER}) AS s(cause, kind, reference)
  WHERE u.processor = :processor AND u.updated_at >= :since AND ${isPastGrace('u')}
  UNION ALL
  SELECT o.tenant_id, s.cause, s.kind, o.id, o.id FROM payouts o, LATERAL (VALUES ${LINES_OF_PAYOUT}) AS s(cause, kind)
  WHERE o.processor = :processor AND o.updated_at >= :since AND ${isPastGrace('o')}
  UNION ALL
  SELECT b.tenant_id, s.cause, s.kind, b.id, b.id FROM bank_returns b, LATERAL (VALUES ${LINES_OF_BANK_RETURN}) AS s(cause, kind)
  WHERE b.processor = :processor AND b.updated_at >= :since AND ${isPastGrace('b')}
  UNION ALL
  SELECT d.tenant_id, d.id || s.step, s.kind, d.payment_id, d.payment_id FROM disputes d,
    (VALUES ${DISPUTE_MOVEMENTS.map((movement) => `('/${movement}', '${OF_DISPUTE[movement].line}')`)}) AS s(step, kind)
  WHERE d.processor = :processor AND d.updated_at >= :since AND ${isPastGrace('d')}`;

/** Movements that no report of `:processor` has shown `:graceMs` after they were booked; see UNSETTLED_MOVEMENTS. */
export const IN_NO_REPORT = `
  SELECT t.tenant_id, t.cause, p.kind, p.reference, p.payment_reference, t.currency, t.amount_minor
  FROM (${UNSETTLED_MOVEMENTS}) p
  CROSS JOIN LATERAL (SELECT p.cause) c
  CROSS JOIN LATERAL (${TRANSFER_OF_CAUSE}) t
  WHERE t.booked_at <= clock_timestamp() - :graceMs * interval '1 millisecond' AND ${IS_UNMATCHED}
    -- A line of it with another amount is a difference of its own.
    AND NOT EXISTS (SELECT 1 FROM settlement_lines w WHERE w.payment_reference = p.payment_reference
      AND w.processor = :processor AND w.outcome = 'waiting' AND w.kind = p.kind AND w.reference = p.reference)`;
