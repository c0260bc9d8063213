import type { Knex } from 'knex';
import { DomainError, found } from '../../domain/errors';
import type { TenantStatus } from '../../domain/states/tenant';

/** One row of `tenants`. */
export interface TenantRow {
  id: string;
  name: string;
  status: TenantStatus;
  /** ISO 3166-1 alpha-2. Null, as the currency: made by the sandbox. */
  country: string | null;
  /** ISO 4217, of its books in the first place. */
  currency: string | null;
  first_admin_id: string | null;
  /** Operators; null: made by the sandbox. */
  proposed_by: string | null;
  confirmed_by: string | null;
  /** Of the last decision about it. */
  reason: string | null;
  created_at: Date;
  updated_at: Date;
}

/** The states of those that can be looked at and acted for: neither only proposed nor withdrawn. */
export const EXISTING: readonly TenantStatus[] = ['active', 'suspended'];

/** Of a token in its name, and of whatever would move more money in its name. */
export function tenantSuspended(): DomainError {
  return new DomainError('tenant_suspended', 'The tenant is suspended: ask the operator of the platform');
}

/** Throws `tenant_suspended`. Asks the database each time: a suspension holds at once. */
export async function requireActiveTenant(connection: Knex, tenantId: string): Promise<void> {
  if (!(await isActiveTenant(connection, tenantId))) throw tenantSuspended();
}

/** False also for one that is only proposed. */
export async function isActiveTenant(connection: Knex, tenantId: string): Promise<boolean> {
  return (await connection('tenants').where({ id: tenantId, status: 'active' }).first('id')) !== undefined;
}

/** Locked until the transaction ends. Throws `not_found`. */
export async function lockTenant(trx: Knex.Transaction, id: string): Promise<TenantRow> {
  return found<TenantRow>(await trx('tenants').where({ id }).forUpdate().first(), 'tenant');
}
