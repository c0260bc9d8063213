import type { Knex } from 'knex';
import type { Actor } from '../../foundation/audit-log/audit-log';
import { noteCustomer } from '../../people/customers/audit-lines';

/** Who acts for a customer: the customer, or staff, whose act is noted in the audit log. */
export interface Acting {
  actor: Actor;
  isStaff: boolean;
}

/** Notes what staff did for a customer; what customers do for themselves stands in the timeline of what they did. */
export async function noteActing(
  trx: Knex.Transaction,
  tenantId: string,
  { actor, isStaff }: Acting,
  action: string,
  customerId: string,
  detail: Record<string, unknown>,
): Promise<void> {
  if (isStaff) await noteCustomer(trx, tenantId, actor, `customer.${action}`, customerId, detail);
}
