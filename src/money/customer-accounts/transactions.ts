import type { Knex } from 'knex';
import type { TransferRow } from '../p2p/transfer';
import type { PaymentRow } from '../payments/payment';

/** One movement of a customer's money. */
export type Transaction = { id: string } & ({ payment: PaymentRow } | { transfer: TransferRow });

/**
 * Payments, top-ups and transfers of a customer in the order of their creation: up to `limit + 1`, newest first. `cursor`:
 * the id of the one after which the page starts. The part of an id that tells the time is the same in all kinds.
 */
export async function transactionsOf(
  trx: Knex.Transaction,
  customerId: string,
  { limit, cursor }: { limit: number; cursor?: string },
): Promise<Transaction[]> {
  const page = (table: string, prefix: string, owner: string) => {
    const query = trx(table)
      .where({ [owner]: customerId })
      .orderBy('id', 'desc')
      .limit(limit + 1);
    if (cursor) query.where('id', '<', `${prefix}_${timeOf(cursor)}`);
    return query;
  };
  const payments: PaymentRow[] = await page('payments', 'pay', 'customer_id');
  const sent: TransferRow[] = await page('p2p_transfers', 'trf', 'sender_id');
  const received: TransferRow[] = await page('p2p_transfers', 'trf', 'recipient_id');
  const all: Transaction[] = [
    ...payments.map((payment) => ({ id: payment.id, payment })),
    ...[...sent, ...received].map((transfer) => ({ id: transfer.id, transfer })),
  ];
  return all.sort((one, other) => (timeOf(one.id) < timeOf(other.id) ? 1 : -1)).slice(0, limit + 1);
}

function timeOf(id: string): string {
  return id.slice(id.indexOf('_') + 1);
}
