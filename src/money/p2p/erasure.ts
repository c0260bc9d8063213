import type { Knex } from 'knex';

/**
 * Removes what is personal about a locked customer's transfers: aliases and notes. The transfers stay, because the books
 * need them. Open requests and schedules are cancelled, because one side is gone. No money may be held.
 */
export async function eraseP2p(trx: Knex.Transaction, customerId: string): Promise<void> {
  const now = trx.raw('clock_timestamp()');
  const either = (one: string, other: string) => (query: Knex.QueryBuilder) =>
    query.where({ [one]: customerId }).orWhere({ [other]: customerId });
  await trx('p2p_aliases').where({ customer_id: customerId }).delete();
  await trx('p2p_members').where({ customer_id: customerId }).delete();
  await trx('p2p_requests')
    .where(either('requester_id', 'payer_id'))
    .where({ status: 'pending' })
    .update({ status: 'cancelled', look_at: now, updated_at: now });
  await trx('p2p_schedules')
    .where(either('sender_id', 'recipient_id'))
    .where({ status: 'active' })
    .update({ status: 'cancelled', untold_since: now, updated_at: now });
  await trx('p2p_requests').where({ requester_id: customerId }).update({ note: null });
  await trx('p2p_schedules').where({ sender_id: customerId }).update({ note: null });
  await trx('p2p_transfers').where({ sender_id: customerId }).update({ note: null });
}

/** Whether money is on its way to the customer. */
export async function isAwaitingTransfer(trx: Knex.Transaction, customerId: string): Promise<boolean> {
  return Boolean(await trx('p2p_transfers').where({ recipient_id: customerId, status: 'held' }).first('id'));
}
