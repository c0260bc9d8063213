import type { Knex } from 'knex';
import { refuse } from '../../domain/errors';
import { type Actor, noteDone } from '../../foundation/audit-log/audit-log';
import { type CustomerRow, NOT_YOURS } from './customer';

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
 * Throws `invalid_request` naming `field` for a customer of another organization, unless the tenant shares its customers. The
 * words are those of `holdCustomer` for a customer who is not there. A customer of no organization is everybody's.
 */
export async function requireChargeable(
  trx: Knex.Transaction,
  { organization_id: owner }: Pick<CustomerRow, 'organization_id'>,
  organizationId: string,
  field: string,
): Promise<void> {
  if (owner !== null && owner !== organizationId && !(await areCustomersShared(trx))) refuse(field, NOT_YOURS);
}
