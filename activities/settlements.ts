import type { Knex } from 'knex';
import { RESULT } from '../src/domain/result-codes';
import type { Transfer } from '../src/ledger/ledger';
import type { ProcessorId, SettlementLine } from '../src/providers/connector';
import type { SettlementInput, SettlementView } from '../workflows/contract';
import type { Dependencies } from './dependencies';

const CHUNK = 500;
/** Largest value of a bigint column. */
const MOST_MINOR = 9_223_372_036_854_775_807n;

interface BookedLine {
  line_id: string;
  tenant_id: string;
  kind: SettlementLine['kind'];
  reference: string;
  payment_reference: string;
  currency: string;
  amount_minor: bigint;
  fee_minor: bigint;
}

/** Books a provider's settlement batches: thousands of payments in a few statements, each line once. */
export function settlementActivities(deps: Dependencies) {
  const { system } = deps.database;

  /**
   * Books every line of the batch that agrees with what we hold and was not booked before. Lines for payments whose
   * outcome is not known here yet are counted as waiting; with `final` they are recorded as missing here.
   */
  async function bookSettlement({ processor, batchId }: SettlementInput, final: boolean): Promise<SettlementView> {
    const report = await deps.connectors.get(processor as ProcessorId).settlementReport(batchId);
    for (let start = 0; start < report.lines.length; start += CHUNK) {
      const lines = report.lines.slice(start, start + CHUNK);
      await system.transaction((trx) => bookLines(trx, processor, batchId, lines));
    }
    if (final) await system.transaction((trx) => recordMissing(trx, processor, batchId, report.lines));
    await system('settlement_batches')
      .insert({ processor, batch_id: batchId, line_count: report.lines.length })
      .onConflict(['processor', 'batch_id'])
      .ignore();
    const { rows } = await system.raw(
      'SELECT count(*)::integer AS booked FROM settlement_lines WHERE processor = ? AND batch_id = ?',
      [processor, batchId],
    );
    return { lines: report.lines.length, booked: rows[0].booked, waiting: report.lines.length - rows[0].booked };
  }

  async function bookLines(trx: Knex.Transaction, processor: string, batchId: string, lines: SettlementLine[]) {
    const { rows }: { rows: BookedLine[] } = await trx.raw(
      `INSERT INTO settlement_lines (processor, line_id, batch_id, tenant_id, kind, reference, payment_reference,
         currency, amount_minor, fee_minor, outcome)
       SELECT :processor, l.line_id, :batchId, p.tenant_id, l.kind, l.reference, l.payment_reference, l.currency,
         l.amount, l.fee, 'matched'
       FROM jsonb_to_recordset(:lines) AS l(line_id text, kind text, reference text, payment_reference text,
         currency text, amount bigint, fee bigint)
       JOIN payments p ON p.id = l.payment_reference AND p.processor = :processor AND p.currency = l.currency
       LEFT JOIN refunds r ON r.id = l.reference AND r.payment_id = p.id
       WHERE CASE l.kind
         WHEN 'capture' THEN p.captured_minor = l.amount
         WHEN 'refund' THEN r.status = 'succeeded' AND r.amount_minor = l.amount
         ELSE EXISTS (SELECT 1 FROM disputes d WHERE d.payment_id = p.id AND d.amount_minor = l.amount) END
       ON CONFLICT (processor, line_id) DO NOTHING
       RETURNING line_id, tenant_id, kind, reference, payment_reference, currency, amount_minor, fee_minor`,
      { processor, batchId, lines: JSON.stringify(lines.map(columnsOf)) },
    );
    if (rows.length === 0) return;
    await settlePayments(trx, processor, batchId, rows);
    await trx('refunds')
      .whereIn(
        'id',
        rows.filter((row) => row.kind === 'refund').map((row) => row.reference),
      )
      .update({ settled_at: trx.fn.now() });
    for (const group of groupByBook(rows).flatMap(sumsThatFit)) {
      const { tenant_id: tenantId, currency } = group[0]!;
      await deps.ledger.book(trx, tenantId, currency, transfersFor(processor, batchId, group));
    }
  }

  async function settlePayments(trx: Knex.Transaction, processor: string, batchId: string, rows: BookedLine[]) {
    const captured = rows.filter((row) => row.kind === 'capture').map((row) => row.payment_reference);
    await trx.raw(
      `WITH old AS (
         SELECT id, status FROM payments WHERE id = ANY (:captured) AND settled_at IS NULL ORDER BY id FOR UPDATE
       ), moved AS (
         UPDATE payments p SET settled_at = clock_timestamp(), version = p.version + 1,
           status = CASE WHEN old.status = 'captured' THEN 'settled' ELSE old.status END,
           status_detail = CASE WHEN old.status = 'captured' THEN 'Settled.' ELSE p.status_detail END,
           updated_at = CASE WHEN old.status = 'captured' THEN clock_timestamp() ELSE p.updated_at END
         FROM old WHERE p.id = old.id
         RETURNING p.id, p.tenant_id, old.status AS from_status, p.status AS to_status
       )
       INSERT INTO payment_events (payment_id, tenant_id, from_status, to_status, result_code, cause, detail)
       SELECT id, tenant_id, from_status, to_status, :approved, :cause, 'Settled.' FROM moved
       WHERE from_status = 'captured'`,
      { captured, approved: RESULT.approved, cause: `settlement ${processor}/${batchId}` },
    );
  }

  async function recordMissing(trx: Knex.Transaction, processor: string, batchId: string, lines: SettlementLine[]) {
    await trx.raw(
      `INSERT INTO settlement_lines (processor, line_id, batch_id, tenant_id, kind, reference, payment_reference,
         currency, amount_minor, fee_minor, outcome)
       SELECT :processor, l.line_id, :batchId, p.tenant_id, l.kind, l.reference, l.payment_reference, l.currency,
         l.amount, l.fee, CASE WHEN p.captured_minor > 0 THEN 'different_amount' ELSE 'missing_here' END
       FROM jsonb_to_recordset(:lines) AS l(line_id text, kind text, reference text, payment_reference text,
         currency text, amount bigint, fee bigint)
       LEFT JOIN payments p ON p.id = l.payment_reference
       ON CONFLICT (processor, line_id) DO NOTHING`,
      { processor, batchId, lines: JSON.stringify(lines.map(columnsOf)) },
    );
  }

  return { bookSettlement };
}

function columnsOf(line: SettlementLine) {
  return {
    line_id: line.lineId,
    kind: line.kind,
    reference: line.reference,
    payment_reference: line.paymentReference,
    currency: line.money.currency,
    amount: `${line.money.amountMinor}`,
    fee: `${line.feeMinor}`,
  };
}

function groupByBook(rows: BookedLine[]): BookedLine[][] {
  const groups = new Map<string, BookedLine[]>();
  for (const row of rows) {
    const key = `${row.tenant_id}|${row.currency}`;
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()];
}

/** Splits lines where their sum would leave the range of a bigint column. */
function sumsThatFit(rows: BookedLine[]): BookedLine[][] {
  const parts: BookedLine[][] = [];
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
 * A batch reaches the bank as sums, so it is booked as sums: what came in net of fees, the fees, what was taken back.
 * The cause names the first line of the sum, which is booked once.
 */
function transfersFor(processor: string, batchId: string, rows: BookedLine[]): Transfer[] {
  const receivable = { kind: 'provider_receivable' as const, owner: processor };
  const bank = { kind: 'bank_clearing' as const, owner: processor };
  const sum = (of: (row: BookedLine) => bigint) => rows.reduce((total, row) => total + of(row), 0n);
  const incoming = (row: BookedLine) => row.kind === 'capture' || row.kind === 'chargeback_reversal';
  const fees = sum((row) => row.fee_minor);
  const gross = sum((row) => (incoming(row) ? row.amount_minor : 0n));
  const returned = sum((row) => (incoming(row) ? 0n : row.amount_minor));
  const cause = `settlement/${processor}/${batchId}/${rows[0]!.line_id}`;
  const transfers: Transfer[] = [
    { phase: 'posted', debit: bank, credit: receivable, amountMinor: gross, cause: `${cause}/in` },
    { phase: 'posted', debit: receivable, credit: bank, amountMinor: returned, cause: `${cause}/out` },
    {
      phase: 'posted',
      debit: { kind: 'provider_fee', owner: processor },
      credit: bank,
      amountMinor: fees,
      cause: `${cause}/fee`,
    },
  ];
  return transfers.filter((transfer) => transfer.amountMinor > 0n);
}
