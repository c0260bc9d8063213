import type { Knex } from 'knex';
import type { ProcessorId, SettlementLine } from '../../domain/connector';
import { RESULT } from '../../domain/result-codes';
import { type CauseStep, causeInSql, causeOf } from '../ledger/causes';
import type { Ledger, Movement } from '../ledger/ledger';
import { moving, posted } from '../ledger/movements';
import { tellOfPayments } from '../payments/notices';
import type { PaymentRow } from '../payments/payment';
import { becauseOf, type TimelineCause } from '../payments/timeline-causes';
import { settleTopups } from '../payments/topup-steps';
import { newDifferenceIds } from './differences';
import {
  bearsFee,
  CAUSES_OF_LINE,
  IS_UNMATCHED,
  MATCHING_LOCK,
  SUBJECT_OF_LINE,
  settledBy,
  TRANSFER_OF_CAUSE,
} from './movements';

/** Lines looked at in one transaction: memory stays constant, however long the report. */
const CHUNK = 1_000;
/** Largest value of a bigint column. */
const MOST_MINOR = 9_223_372_036_854_775_807n;

interface MatchedLine {
  line_id: string;
  batch_id: string;
  tenant_id: string;
  kind: SettlementLine['kind'];
  reference: string;
  payment_reference: string;
  currency: string;
  amount_minor: bigint;
  fee_minor: bigint;
  movement: string;
  /** What the processor's terms say for a capture; null without terms. */
  expected_fee_minor: bigint | null;
}

/**
 * Matches waiting lines of a processor (of one batch, or of all) with the movements of the ledger, settles what matched,
 * and books it as the sums in which it reached the bank. Lines that agree with nothing go on waiting.
 */
export async function matchLines(
  system: Knex,
  ledger: Ledger,
  processor: ProcessorId,
  batchId?: string,
): Promise<void> {
  let after = '';
  for (;;) {
    const last = await system.transaction(async (trx) => {
      await trx.raw(MATCHING_LOCK, [processor]);
      // Tables that have just grown look empty to the planner, which would read them whole for each line.
      await trx.raw('SET LOCAL enable_seqscan = off');
      const { rows: chunk } = await trx.raw(
        `SELECT line_id FROM settlement_lines WHERE processor = :processor AND outcome = 'waiting' AND line_id > :after
         ${batchId === undefined ? '' : 'AND batch_id = :batchId'} ORDER BY line_id LIMIT ${CHUNK}`,
        { processor, after, ...(batchId === undefined ? {} : { batchId }) },
      );
      const ids: string[] = chunk.map(({ line_id }: { line_id: string }) => line_id);
      if (ids.length > 0) await bookMatched(trx, ledger, processor, await match(trx, processor, ids));
      return ids.at(-1);
    });
    if (last === undefined) return;
    after = last;
  }
}

/** Equal lines (a chargeback, and its repetition after a second presentment) are paired with movements in order. */
async function match(trx: Knex.Transaction, processor: ProcessorId, ids: string[]): Promise<MatchedLine[]> {
  const { rows } = await trx.raw(
    `WITH pairs AS MATERIALIZED (SELECT pair.line_id, pair.cause, p.tenant_id
       FROM (SELECT kind, reference, payment_reference, currency, amount_minor,
           array_agg(line_id ORDER BY line_id) AS line_ids
         FROM settlement_lines WHERE processor = :processor AND line_id = ANY (:ids) AND outcome = 'waiting'
         GROUP BY 1, 2, 3, 4, 5) g
       CROSS JOIN LATERAL (${SUBJECT_OF_LINE}) p
       CROSS JOIN LATERAL (
         SELECT array_agg(t.cause ORDER BY t.id) AS causes FROM (${CAUSES_OF_LINE}) c
         CROSS JOIN LATERAL (${TRANSFER_OF_CAUSE}) t
         WHERE t.currency = g.currency AND t.amount_minor = g.amount_minor AND ${IS_UNMATCHED}) m
       CROSS JOIN LATERAL unnest(g.line_ids, m.causes) AS pair(line_id, cause)
       WHERE pair.cause IS NOT NULL)
     UPDATE settlement_lines l SET outcome = 'matched', movement = pairs.cause, tenant_id = pairs.tenant_id, booked_at = now()
     FROM pairs WHERE l.processor = :processor AND l.line_id = pairs.line_id
     RETURNING l.line_id, l.batch_id, l.tenant_id, l.kind, l.reference, l.payment_reference, l.currency,
       l.amount_minor, l.fee_minor, l.movement, CASE WHEN l.kind = 'capture' THEN
         (SELECT expected_fee(l.processor, l.currency, l.amount_minor, b.closed_at) FROM settlement_batches b
          WHERE b.processor = l.processor AND b.batch_id = l.batch_id) END AS expected_fee_minor`,
    { processor, ids },
  );
  return rows;
}

async function bookMatched(
  trx: Knex.Transaction,
  ledger: Ledger,
  processor: ProcessorId,
  rows: MatchedLine[],
): Promise<void> {
  if (rows.length === 0) return;
  const movements = rows.map(({ movement }) => movement);
  await settle(trx, ledger, becauseOf.settlement(processor), movements);
  for (const group of groupByBook(rows).flatMap(sumsThatFit)) {
    const { tenant_id: tenantId, currency } = group[0]!;
    await ledger.book(trx, tenantId, currency, movementsFor(processor, group));
  }
  await closeMatchedLater(trx, processor, rows);
  await disclaim(trx, rows);
  await openFeeDifferences(trx, processor, rows);
}

/**
 * Marks payments and refunds as settled whose capture or refund is among these movements; what was topped up becomes
 * available.
 */
export async function settle(
  trx: Knex.Transaction,
  ledger: Ledger,
  cause: TimelineCause,
  movements: string[],
): Promise<void> {
  const { rows }: { rows: { id: string; is_told: boolean; is_topup: boolean }[] } = await trx.raw(
    `WITH old AS (
       SELECT p.id, p.status, l.batch_id FROM payments p
       LEFT JOIN settlement_lines l ON l.tenant_id = p.tenant_id AND l.movement = ${causeInSql('payment', 'p.id', 'capture')}
       WHERE p.id = ANY (:captured) AND p.settled_at IS NULL ORDER BY p.id FOR UPDATE OF p
     ), moved AS (
       UPDATE payments p SET settled_at = clock_timestamp(), version = p.version + 1,
         status = CASE WHEN old.status = 'captured' THEN 'settled' ELSE old.status END,
         status_detail = CASE WHEN old.status = 'captured' THEN 'Settled.' ELSE p.status_detail END,
         updated_at = CASE WHEN old.status = 'captured' THEN clock_timestamp() ELSE p.updated_at END
       FROM old WHERE p.id = old.id
       RETURNING p.id, p.tenant_id, old.status AS from_status, p.status AS to_status, old.batch_id,
         p.beneficiary, p.request->>'notificationUrl' IS NOT NULL OR EXISTS (SELECT 1 FROM notification_endpoints e
           WHERE e.organization_id = p.organization_id AND e.status = 'enabled') AS has_listener
     ), noted AS (
       INSERT INTO payment_events (payment_id, tenant_id, from_status, to_status, result_code, cause, detail)
       SELECT id, tenant_id, from_status, to_status, :approved, :cause || coalesce('/' || batch_id, ''), 'Settled.'
       FROM moved WHERE from_status = 'captured'
     )
     SELECT id, from_status = 'captured' AND has_listener AS is_told, beneficiary = 'wallet' AS is_topup
     FROM moved WHERE has_listener OR beneficiary = 'wallet'`,
    { captured: settledBy(movements, 'payment'), approved: RESULT.approved, cause },
  );
  const idsOf = (which: 'is_told' | 'is_topup') => rows.filter((row) => row[which]).map(({ id }) => id);
  await settleTopups(trx, ledger, idsOf('is_topup'));
  await tellSettled(trx, idsOf('is_told'));
  await trx('refunds').whereIn('id', settledBy(movements, 'refund')).update({ settled_at: trx.fn.now() });
}

async function tellSettled(trx: Knex.Transaction, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  const settled: PaymentRow[] = await trx('payments').whereIn('id', ids);
  await tellOfPayments(trx, settled);
}

/** Differences that have disappeared by themselves: the line has come, or what it stands for has. */
async function closeMatchedLater(trx: Knex.Transaction, processor: ProcessorId, rows: MatchedLine[]): Promise<void> {
  await trx.raw(
    `UPDATE reconciliation_differences d SET status = 'matched_later', closed_at = clock_timestamp()
     FROM unnest(:lines::text[], :tenants::text[], :movements::text[]) AS m(line_id, tenant_id, movement)
     WHERE d.processor = :processor AND d.status = 'open'
       AND ((d.kind = 'missing_there' AND d.tenant_id = m.tenant_id AND d.movement = m.movement)
         OR (d.kind IN ('missing_here', 'different_amount') AND d.line_id = m.line_id))`,
    {
      processor,
      lines: rows.map(({ line_id }) => line_id),
      tenants: rows.map(({ tenant_id }) => tenant_id),
      movements: rows.map(({ movement }) => movement),
    },
  );
}

/** A line that seemed to be another one's movement with a wrong amount stands for nothing once that movement is matched. */
async function disclaim(trx: Knex.Transaction, rows: MatchedLine[]): Promise<void> {
  await trx.raw(
    `UPDATE reconciliation_differences d SET kind = 'missing_here', movement = NULL, expected_minor = NULL
     FROM unnest(:tenants::text[], :movements::text[]) AS m(tenant_id, movement)
     WHERE d.kind = 'different_amount' AND d.status = 'open' AND d.tenant_id = m.tenant_id AND d.movement = m.movement`,
    { tenants: rows.map(({ tenant_id }) => tenant_id), movements: rows.map(({ movement }) => movement) },
  );
}

/** Captures whose fee is not what the processor's terms say. Without terms nothing is expected. */
async function openFeeDifferences(trx: Knex.Transaction, processor: ProcessorId, rows: MatchedLine[]): Promise<void> {
  const differing = rows.filter(
    ({ movement, fee_minor, expected_fee_minor }) =>
      expected_fee_minor !== null && expected_fee_minor !== fee_minor && bearsFee(movement),
  );
  if (differing.length === 0) return;
  const ids = newDifferenceIds(differing.length);
  const differences = differing.map(({ kind, amount_minor, fee_minor, expected_fee_minor, ...line }, nth) => ({
    ...line,
    id: ids[nth],
    processor,
    kind: 'different_fee',
    line_kind: kind,
    reported_minor: fee_minor,
    expected_minor: expected_fee_minor,
  }));
  await trx('reconciliation_differences').insert(differences).onConflict().ignore();
}

function groupByBook(rows: MatchedLine[]): MatchedLine[][] {
  const groups = new Map<string, MatchedLine[]>();
  for (const row of rows) {
    const key = `${row.batch_id}|${row.tenant_id}|${row.currency}`;
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return [...groups.values()];
}

/** Splits lines where their sum would leave the range of a bigint column. */
function sumsThatFit(rows: MatchedLine[]): MatchedLine[][] {
  const parts: MatchedLine[][] = [];
  let total = MOST_MINOR;
  for (const row of rows) {
    total += row.amount_minor;
    if (total > MOST_MINOR) {
      parts.push([]);
      total = row.amount_minor;
    }
    parts.at(-1)!.push(row);
  }
  return parts;
}

/**
 * A batch reaches the bank as sums, so it is booked as sums: what came in, what was taken back, the fees. The cause names
 * the first line of the sum, which is booked once.
 */
function movementsFor(processor: ProcessorId, rows: MatchedLine[]): Movement[] {
  const receivable = { kind: 'provider_receivable' as const, owner: processor };
  const bank = { kind: 'bank_clearing' as const, owner: processor };
  const sum = (of: (row: MatchedLine) => bigint) => rows.reduce((total, row) => total + of(row), 0n);
  const incoming = ({ kind }: MatchedLine) => kind === 'capture' || kind === 'chargeback_reversal';
  const [first] = rows.map(({ line_id }) => line_id).sort();
  const causeFor = (step: CauseStep<'settlement'>) =>
    causeOf('settlement', `${processor}/${rows[0]!.batch_id}/${first}`, step);
  const fees = { kind: 'provider_fee' as const, owner: processor };
  const feeMinor = sum((row) => row.fee_minor);
  return moving([
    posted(
      bank,
      receivable,
      sum((row) => (incoming(row) ? row.amount_minor : 0n)),
      causeFor('in'),
    ),
    posted(
      receivable,
      bank,
      sum((row) => (incoming(row) ? 0n : row.amount_minor)),
      causeFor('out'),
    ),
    posted(fees, bank, feeMinor, causeFor('fee')),
    posted(bank, fees, -feeMinor, causeFor('fee-returned')),
  ]);
}
