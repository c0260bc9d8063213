import type { Knex } from 'knex';
import type { ProcessorId } from '../../domain/connector';
import { type CauseStep, causeInSql, isCauseOfInSql } from '../ledger/causes';
import type { UnmatchedTransferRow } from '../suspense/unmatched-transfer';
import type { Check, Finding } from './check';

const booked = (step: CauseStep<'unmatchedTransfer'>) =>
  `coalesce((SELECT t.amount_minor FROM ledger_transfers t WHERE t.tenant_id = u.tenant_id
    AND t.cause = ${causeInSql('unmatchedTransfer', 'u.id', step)}), 0)`;

/** What is in suspense by the rows of its owners, in minor units. */
const BY_ROWS = `
  SELECT tenant_id, currency, processor, amount_minor FROM unmatched_transfers
    WHERE status IN ('open', 'proposed', 'matching', 'returning')
  UNION ALL SELECT tenant_id, currency, processor, amount_minor FROM unapplied_receipts
    WHERE is_taken AND status <> 'returned'`;

/** The same by the ledger: without what operators booked there, and without what a processor paid out unasked. */
const BY_LEDGER = `
  SELECT t.tenant_id, t.currency, a.owner AS processor,
    CASE WHEN t.credit_account_id = a.id THEN t.amount_minor ELSE -t.amount_minor END AS amount_minor
  FROM ledger_accounts a JOIN ledger_transfers t ON a.id IN (t.debit_account_id, t.credit_account_id)
  WHERE a.kind = 'suspense' AND a.owner <> 'p2p'
    AND NOT ${isCauseOfInSql('adjustment', 't.cause')} AND NOT ${isCauseOfInSql('refund', 't.cause')}`;

/** Money that belongs to nobody yet. */
export const SUSPENSE_CHECKS: Check[] = [
  {
    name: 'an incoming transfer that matched nothing is booked when it came, and when it went on',
    sql: `SELECT id AS subject, format('%s: arrived %s, matched %s, returned %s', status, arrived, matched, returned) AS detail
      FROM (SELECT u.id, u.status, u.amount_minor, ${booked('arrived')} AS arrived, ${booked('matched')} AS matched,
          ${booked('returned')} AS returned FROM unmatched_transfers u) r
      WHERE arrived <> amount_minor OR matched <> CASE status WHEN 'matched' THEN amount_minor ELSE 0 END
        OR returned <> CASE status WHEN 'returned' THEN amount_minor ELSE 0 END`,
  },
  {
    name: 'suspense holds what waits in it, per tenant, processor and currency',
    sql: `SELECT concat_ws(' ', tenant_id, processor, currency) AS subject,
        format('rows say %s, the ledger says %s', rows_minor, ledger_minor) AS detail
      FROM (SELECT tenant_id, processor, currency, coalesce(sum(amount_minor) FILTER (WHERE is_row), 0) AS rows_minor,
          coalesce(sum(amount_minor) FILTER (WHERE NOT is_row), 0) AS ledger_minor
        FROM (SELECT true AS is_row, r.* FROM (${BY_ROWS}) r
          UNION ALL SELECT false, l.tenant_id, l.currency, l.processor, l.amount_minor FROM (${BY_LEDGER}) l) all_of_it
        GROUP BY 1, 2, 3) s WHERE rows_minor <> ledger_minor`,
  },
];

/** An incoming transfer as the books of a processor have it. The amount is in minor units. */
export interface ProcessorTransfer {
  transferId: string;
  currency: string;
  amountMinor: bigint;
  /** It counts towards no payment there, and was not returned. */
  isHeld: boolean;
}

/**
 * Holds the incoming transfers of a processor against suspense: of them, what it keeps for nobody lies there, and no other.
 * Transfers whose report or decision is under way are counted as open, not judged.
 */
export async function auditTransfers(
  ops: Knex,
  processor: ProcessorId,
  transfers: readonly ProcessorTransfer[],
): Promise<{ compared: number; open: number; findings: Finding[] }> {
  const rows: UnmatchedTransferRow[] = await ops('unmatched_transfers')
    .where({ processor })
    .whereIn(
      'transfer_id',
      transfers.map(({ transferId }) => transferId),
    );
  const ours = new Map(rows.map((row) => [row.transfer_id, row]));
  const waiting: { event: { transferId?: string } }[] = await ops('callback_inbox')
    .where({ processor, type: 'transfer_received' })
    .whereIn('state', ['stored', 'unmatched'])
    .select('event');
  const underWay = new Set(waiting.map(({ event }) => event.transferId));
  const findings: Finding[] = [];
  let open = 0;
  for (const { transferId, isHeld, amountMinor, currency } of transfers) {
    const row = ours.get(transferId);
    if (underWay.has(transferId) || row?.status === 'matching' || row?.status === 'returning') open += 1;
    else {
      const heldHere = row && (row.status === 'open' || row.status === 'proposed') ? row.amount_minor : 0n;
      const heldThere = isHeld ? amountMinor : 0n;
      if (heldHere !== heldThere || (row && row.currency !== currency))
        findings.push({
          check: `suspense and the incoming transfers of processor ${processor} agree`,
          subject: transferId,
          detail: `held there ${heldThere} ${currency}, in suspense ${heldHere} ${row?.currency ?? currency}`,
        });
    }
  }
  return { compared: transfers.length, open, findings };
}
