import type { Knex } from 'knex';
import { DomainError } from '../domain/errors';
import { type CustomerStatus, canBecome } from '../domain/states/customer';
import type { CustomerRow } from './customer';
import { requestLook } from './verification-look';

/** A line of a customer's status history. `from_status` is null on the first. */
export interface CustomerEventRow {
  id: bigint;
  customer_id: string;
  from_status: CustomerStatus | null;
  to_status: CustomerStatus;
  actor: string;
  reason: string;
  at: Date;
}

/**
 * Moves a locked customer and writes down who did it and why; the verification flow is told. Throws `invalid_state` for
 * a move that the transition table does not list.
 */
export async function moveCustomer(
  trx: Knex.Transaction,
  customer: CustomerRow,
  to: CustomerStatus,
  { actor, reason }: { actor: string; reason: string },
): Promise<CustomerRow> {
  const { id, tenant_id, status } = customer;
  if (!canBecome(status, to)) throw new DomainError('invalid_state', `a customer who is ${status} cannot become ${to}`);
  const [moved]: CustomerRow[] = await trx('customers')
    .where({ id, status })
    .update({ status: to, version: customer.version + 1, updated_at: trx.fn.now() })
    .returning('*');
  await trx('customer_events').insert({
    customer_id: id,
    tenant_id,
    from_status: status,
    to_status: to,
    actor,
    reason,
  });
  await requestLook(trx, [customer]);
  return moved!;
}

/** The history of a customer's status, oldest first. */
export function eventsOf(trx: Knex.Transaction, customerId: string): Promise<CustomerEventRow[]> {
  return trx('customer_events').where({ customer_id: customerId }).orderBy('id');
}
