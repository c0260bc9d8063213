import type { Knex } from 'knex';
import type { ToldEntry } from '../../commerce/bank-transfers/entry';
import { OWN_BANK } from '../../domain/connector';
import { Inbox } from './inbox';

/**
 * Puts money that a bank statement tells of into the inbox, as a callback of the tenant's own bank: it goes the way of every
 * other to the flow of its payment, once. In the caller's transaction.
 */
export async function reportEntry(
  trx: Knex.Transaction,
  { entry, reference, text, payerName }: ToldEntry,
): Promise<{ callbackId: string }> {
  const event = {
    eventId: entry.id,
    reference,
    type: 'transfer_received' as const,
    processorStatus: 'booked',
    money: { amountMinor: entry.amount_minor, currency: entry.currency },
    transferId: entry.id,
    reason: text,
    payerName,
  };
  const raw = { method: 'POST' as const, path: '', query: '', headers: {}, body: Buffer.from(entry.id) };
  const inbox = new Inbox(trx);
  const row = await inbox.store(OWN_BANK, 'statement', event, raw);
  if (!row) throw new Error(`entry ${entry.id} was reported before`);
  // What no payment is told of is in suspense already; there it waits for an operator.
  if (!reference.startsWith('pay_')) await inbox.mark(row.id, 'applied', 'in suspense');
  return { callbackId: row.id };
}
