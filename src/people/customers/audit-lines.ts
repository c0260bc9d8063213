import type { Knex } from 'knex';
import { type Actor, noteDone } from '../../foundation/audit-log/audit-log';

/** Notes that staff read profiles: one row, however many there were. Nothing is noted where nothing was shown. */
export async function noteRead(
  trx: Knex.Transaction,
  tenantId: string,
  actor: Actor,
  action: 'customer.read' | 'customer.list' | 'customer.export',
  customerIds: string[],
): Promise<void> {
  if (customerIds.length === 0) return;
  await noteCustomer(trx, tenantId, actor, action, action === 'customer.list' ? null : customerIds[0]!, {
    ...(action === 'customer.list' && { customerIds }),
  });
}

/** A line of the audit log about a customer. */
export const noteCustomer = noteDone;
