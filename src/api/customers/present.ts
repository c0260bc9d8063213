import type { Customer } from '../../customers/register';

/** The customer record as it was sent, secrets apart, with what is ours. */
export function presentCustomer({ row, profile }: Customer): Record<string, unknown> {
  return {
    customerId: row.id,
    tenantId: row.tenant_id,
    organizationId: row.organization_id ?? undefined,
    ...profile,
    customerStatus: row.status,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
