import type { Knex } from 'knex';

/**
 * Makes the verification flow look at these customers. The caller wakes it after the transaction. If that fails, the
 * workers' rounds wake it.
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
