import type { Knex } from 'knex';
import { DomainError } from '../../domain/errors';
import { type CustomerStatus, canCustomerBecome, isBlocked } from '../../domain/states/customer';
import type { CustomerRow } from './customer';
import { wakeKyc } from './kyc-wake';

/** A line of a customer's status history. `from_status` is null on the first. */
export interface CustomerEvent {
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
  const { status } = customer;
  if (!canCustomerBecome(status, to))
    throw new DomainError('invalid_state', `a customer who is ${status} cannot become ${to}`);
  return move(trx, customer, to, { actor, reason });
}

/** Puts a locked customer on hold whatever its status, unless it is blocked already or erased. */
export async function holdByRule(trx: Knex.Transaction, customerId: string, reason: string): Promise<void> {
  const customer: CustomerRow = await trx('customers').where({ id: customerId }).first();
  if (customer.deleted_at || isBlocked(customer.status)) return;
  await move(trx, customer, 'on_hold', { actor: 'rule', reason });
}

/**
 * Puts a locked customer under review again, because of what has changed since it was verified: a person decides. `members`:
 * their names in the record. A customer under investigation stays so, and no document brings it back by itself.
 */
export function reopen(
  trx: Knex.Transaction,
  customer: CustomerRow,
  members: readonly string[],
  actor: string,
): Promise<CustomerRow> {
  const reason = `Changed since it was verified: ${members.join(', ')}.`;
  return move(trx, customer, 'under_investigation', { actor, reason }, { isReopened: true });
}

async function move(
  trx: Knex.Transaction,
  customer: CustomerRow,
  to: CustomerStatus,
  { actor, reason }: { actor: string; reason: string },
  { isReopened = false }: { isReopened?: boolean } = {},
): Promise<CustomerRow> {
  const { id, tenant_id, status } = customer;
  const [moved]: CustomerRow[] = await trx('customers')
    .where({ id, status })
    .update({
      status: to,
      version: customer.version + 1,
      updated_at: trx.fn.now(),
      status_since: trx.raw('clock_timestamp()'),
      reopened_at: isReopened ? trx.raw('clock_timestamp()') : null,
    })
    .returning('*');
  await trx('customer_events').insert({
    customer_id: id,
    tenant_id,
    from_status: status,
    to_status: to,
    actor,
    reason,
  });
  await wakeKyc(trx, [customer]);
  return moved!;
}

/** The history of a customer's status, oldest first. Its row says how it began. */
export async function eventsOf(trx: Knex.Transaction, customer: CustomerRow): Promise<CustomerEvent[]> {
  const moves: CustomerEvent[] = await trx('customer_events').where({ customer_id: customer.id }).orderBy('id');
  const { created_by: actor, created_at: at } = customer;
  if (actor === null) return moves;
  const to_status = moves[0]?.from_status ?? customer.status;
  return [{ from_status: null, to_status, actor, reason: 'created', at }, ...moves];
}
