import type { Knex } from 'knex';

/**
 * Has the verification flow of these customers look at them: it is woken after the transaction, or by the workers' rounds
 * should that not come to pass.
 */
export async function wakeKyc(
  trx: Knex.Transaction,
  customers: readonly { id: string; tenant_id: string }[],
): Promise<void> {
  if (customers.length === 0) return;
  await trx('customer_verifications')
    .insert(customers.map(({ id, tenant_id }) => ({ customer_id: id, tenant_id, look_at: trx.fn.now() })))
    .onConflict('customer_id')
    .merge(['look_at']);
}

/** What is announced when the flow has looked at a customer. */
export function kycSubject(customerId: string): string {
  return `verification/${customerId}`;
}
