import type { Knex } from 'knex';
import type { ProcessorId, SettlementLine, SettlementReport } from '../../domain/connector';

const CHUNK = 500;

/** True when every line of the batch is kept here. */
export async function isKept(system: Knex, processor: ProcessorId, batchId: string): Promise<boolean> {
  const { rows } = await system.raw(
    `SELECT b.line_count = (SELECT count(*) FROM settlement_lines l WHERE l.processor = b.processor
       AND l.batch_id = b.batch_id) AS kept FROM settlement_batches b WHERE processor = ? AND batch_id = ?`,
    [processor, batchId],
  );
  return rows[0]?.kept === true;
}

/** Keeps a report, each line once, to be matched with the ledger. Safe to cut off and repeat. */
export async function keepReport(system: Knex, processor: ProcessorId, report: SettlementReport): Promise<void> {
  const { batchId, lines, closedAt } = report;
  for (let start = 0; start < lines.length; start += CHUNK)
    await system.raw(
      `INSERT INTO settlement_lines (processor, line_id, batch_id, tenant_id, kind, reference, payment_reference,
         currency, amount_minor, fee_minor, outcome)
       SELECT :processor, l.line_id, :batchId, p.tenant_id, l.kind, l.reference, l.payment_reference, l.currency,
         l.amount, l.fee, 'waiting'
       FROM jsonb_to_recordset(:lines) AS l(line_id text, kind text, reference text, payment_reference text,
         currency text, amount bigint, fee bigint)
       LEFT JOIN payments p ON p.id = l.payment_reference
       ON CONFLICT (processor, line_id) DO NOTHING`,
      { processor, batchId, lines: JSON.stringify(lines.slice(start, start + CHUNK).map(columnsOf)) },
    );
  await system('settlement_batches')
    .insert({ processor, batch_id: batchId, line_count: lines.length, closed_at: closedAt })
    .onConflict(['processor', 'batch_id'])
    .merge(['line_count', 'closed_at']);
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
