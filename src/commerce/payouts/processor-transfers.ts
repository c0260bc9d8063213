import type { Knex } from 'knex';
import type { ProcessorId } from '../../domain/connector';
import { isOpenPayout } from '../../domain/states/payout';
import type { Finding } from '../../money/books-check/check';
import type { PayoutRow } from './payout';

/** A transfer as the books of its processor have it. The amount is in minor units. */
export interface SentTransfer {
  /** Our id of the payout. */
  reference: string;
  currency: string;
  amountMinor: bigint;
  status: 'accepted' | 'settled' | 'returned' | 'refused';
}

/** What our row says once its outcome is known, by what the processor says. */
const OURS: Record<Exclude<SentTransfer['status'], 'accepted'>, readonly string[]> = {
  settled: ['settled'],
  // A transfer back to a payer that came back has failed.
  returned: ['returned', 'failed'],
  refused: ['failed'],
};

type Ours = Pick<PayoutRow, 'id' | 'amount_minor' | 'currency'> & { status: string; is_open: boolean };

/** All that a processor was asked to send: payouts, and transfers back to payers. */
async function sentThrough(ops: Knex, processor: ProcessorId): Promise<Ours[]> {
  const payouts: PayoutRow[] = await ops('payouts').where({ processor });
  const returns = await ops('bank_returns').where({ processor }).where('sends', '>', 0);
  return [
    ...payouts.map((row) => ({ ...row, is_open: isOpenPayout(row.status) })),
    ...returns.map((row) => ({ ...row, is_open: row.status === 'sent' })),
  ];
}

/**
 * Holds what a processor has sent against our payouts and our transfers back to payers: one transfer for each, of its amount,
 * with its end. Those whose outcome is under way are counted as open, not judged. Runs as the ops role.
 */
export async function auditSentTransfers(
  ops: Knex,
  processor: ProcessorId,
  transfers: readonly SentTransfer[],
): Promise<{ compared: number; open: number; findings: Finding[] }> {
  const rows = await sentThrough(ops, processor);
  const ours = new Map(rows.map((row) => [row.id, row]));
  const findings: Finding[] = [];
  const note = (subject: string, detail: string) =>
    findings.push({ check: `payouts and the transfers of processor ${processor} agree`, subject, detail });
  const seen = new Set<string>();
  let open = 0;
  for (const { reference, currency, amountMinor, status } of transfers) {
    const row = ours.get(reference);
    if (seen.has(reference)) note(reference, 'it was sent twice');
    seen.add(reference);
    if (!row) note(reference, `${amountMinor} ${currency} was sent for no payout of ours`);
    else if (row.amount_minor !== amountMinor || row.currency !== currency)
      note(reference, `${amountMinor} ${currency} there, ${row.amount_minor} ${row.currency} here`);
    else if (row.is_open || status === 'accepted') open += 1;
    else if (!OURS[status].includes(row.status)) note(reference, `${status} there, ${row.status} here`);
  }
  for (const { id, status } of rows)
    if ((status === 'settled' || status === 'returned') && !seen.has(id)) note(id, `${status} here, never sent there`);
  return { compared: transfers.length, open, findings };
}
