import type { Knex } from 'knex';
import { notFound } from '../../domain/errors';
import { type Actor, noteDone } from '../../foundation/audit-log/audit-log';
import { findCustomer } from './customer';

/** Whether the organizations of the transaction's tenant may charge each other's customers; they may not unless it was set. */
export async function areCustomersShared(trx: Knex.Transaction): Promise<boolean> {
  return (await trx('customer_sharing').first('shared'))?.shared ?? false;
}

/** Sets it for payments from now on, and writes down who did. */
export async function shareCustomers(
  trx: Knex.Transaction,
  tenantId: string,
  actor: Actor,
  shared: boolean,
): Promise<void> {
  const set = { shared, updated_by: actor.id, updated_at: trx.raw('clock_timestamp()') };
  await trx('customer_sharing')
    .insert({ tenant_id: tenantId, ...set })
    .onConflict('tenant_id')
    .merge(set);
  await noteDone(trx, tenantId, actor, 'customers.share', tenantId, { shared });
}

/**
 * Throws `not_found` for a customer whom this organization may not charge: one of another organization, unless the tenant
 * shares its customers; and alike for one who is not there. A customer of no organization is the tenant's, and so everybody's
 * in it.
 */
export async function requireChargeable(
  trx: Knex.Transaction,
  customerId: string,
  organizationId: string,
): Promise<void> {
  const { organization_id: owner } = await findCustomer(trx, customerId);
  if (owner === null || owner === organizationId || (await areCustomersShared(trx))) return;
  throw notFound('customer');
}
