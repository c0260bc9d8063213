import type { Knex } from 'knex';
import { refuse } from '../../domain/errors';
import type { UserRole } from './users/user';

/** Whose users and clients somebody may see: those of a tenant, of one organization, or (neither) the operators. */
export interface IdentityScope {
  tenantId?: string;
  organizationId?: string;
}

/** The rows of `users` or `clients` that a scope has. */
export function inScope(rows: Knex.QueryBuilder, { tenantId, organizationId }: IdentityScope): Knex.QueryBuilder {
  if (tenantId === undefined) return rows.whereNull('tenant_id');
  rows.where({ tenant_id: tenantId });
  return organizationId ? rows.where({ organization_id: organizationId }) : rows;
}

/** Where somebody of a role belongs. Throws `invalid_request` for a role or an organization that the scope does not have. */
export async function placeOf(
  trx: Knex.Transaction,
  scope: IdentityScope,
  role: UserRole,
  asked: string | undefined,
): Promise<{ tenantId?: string; organizationId?: string }> {
  const { tenantId } = scope;
  if ((role === 'ops') !== (tenantId === undefined)) refuse('role', 'is not one of this tenant');
  if (role !== 'merchant') {
    if (scope.organizationId) refuse('role', 'must be merchant');
    if (asked) refuse('organizationId', 'is for the role merchant');
    return { tenantId };
  }
  const organizationId = asked ?? scope.organizationId;
  if (!organizationId) refuse('organizationId', 'is required for the role merchant');
  if (scope.organizationId && organizationId !== scope.organizationId) refuse('organizationId', 'is not yours');
  const known = await trx('organizations').where({ id: organizationId, tenant_id: tenantId }).first('id');
  if (!known) refuse('organizationId', 'is no organization of this tenant');
  return { tenantId, organizationId };
}
