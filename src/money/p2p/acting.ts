import type { Knex } from 'knex';
import type { Actor } from '../../foundation/audit-log/audit-log';
import { noteCustomer } from '../../people/customers/audit-lines';

/** The actor in the timeline when the flow moves a transfer. */
export const FLOW_ACTOR = 'flow';

/** Who acts for a customer: the customer, or staff. */
export interface Acting {
  actor: Actor;
  isStaff: boolean;
}

/** Notes what somebody did with a customer's money or membership: the customer, or staff. A flow is nobody. */
export async function noteActing(
  trx: Knex.Transaction,
  tenantId: string,
  { actor }: Acting,
  action: string,
  customerId: string,
  detail: Record<string, unknown>,
): Promise<void> {
  if (actor.id === FLOW_ACTOR) return;
  await noteCustomer(trx, tenantId, actor, `customer.${action}`, customerId, detail);
}
