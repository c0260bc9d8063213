import type { Knex } from 'knex';
import { DomainError } from '../../domain/errors';
import { endedWithoutMoney, hasTakenMoney, type PaymentStatus } from '../../domain/states/payment';
import { isOutage } from '../../foundation/log/failures';
import type { OrderRow } from './order';
import { markOrderPaid, paymentsOf, releaseOrder } from './steps';

/** How many are looked at in one round. */
export const ORDER_BATCH = 100;
/** Stock may come back for an order that was paid too late. */
const AGAIN_MS = 60_000;

/** What else is due when a payment has paid for an order, in the same transaction. Safe to repeat. */
export type OnPaid = (trx: Knex.Transaction, paymentId: string) => Promise<void>;

/**
 * Does what is due of orders: paid by a payment that has the money, or expired. Each in a transaction of its own, so that
 * one that fails does not stop the others, and a process that dies leaves nothing half done. Answers how many were looked
 * at; throws the first failure at the end. Runs as the system role.
 */
export async function lookAtDueOrders(system: Knex, onPaid: OnPaid = async () => {}): Promise<number> {
  const due: string[] = await dueOrders(system).pluck('id');
  let looked = 0;
  const failures: unknown[] = [];
  for (const id of due) {
    try {
      if (await system.transaction((trx) => lookAt(trx, id, onPaid))) looked += 1;
    } catch (error) {
      if (isOutage(error)) throw error;
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return looked;
}

/** The orders that are due, those that have waited longest first. */
export function dueOrders(system: Knex): Knex.QueryBuilder {
  return system('orders').where('look_at', '<=', system.fn.now()).orderBy('look_at').limit(ORDER_BATCH);
}

/** False: another worker has it, or has looked already. */
async function lookAt(trx: Knex.Transaction, id: string, onPaid: OnPaid): Promise<boolean> {
  const order: (OrderRow & { is_over: boolean }) | undefined = await trx('orders')
    .where({ id })
    .where('look_at', '<=', trx.raw('clock_timestamp()'))
    .select('*', trx.raw('reserved_until <= clock_timestamp() AS is_over'))
    .forUpdate()
    .skipLocked()
    .first();
  if (!order) return false;
  const next = await act(trx, order, onPaid);
  await trx('orders').where({ id }).update({ look_at: next });
  return true;
}

/** Answers when to look next. Null: when a payment of it moves, which the database sees to. */
async function act(
  trx: Knex.Transaction,
  { id, status, reserved_until, is_over }: OrderRow & { is_over: boolean },
  onPaid: OnPaid,
): Promise<Date | null> {
  const payments = await paymentsOf(trx, id);
  const taken = payments.find((payment) => hasTakenMoney(payment.status));
  if (taken) return pay(trx, id, taken, onPaid);
  if (status !== 'open' || payments.some((payment) => !endedWithoutMoney(payment.status))) return null;
  if (!is_over) return reserved_until;
  await releaseOrder(trx, id, 'expired', 'Its time was up.');
  return null;
}

async function pay(
  trx: Knex.Transaction,
  orderId: string,
  payment: { id: string; status: PaymentStatus },
  onPaid: OnPaid,
): Promise<Date | null> {
  try {
    await markOrderPaid(trx, orderId, payment.id);
  } catch (error) {
    // It refuses before it writes, so the transaction is as it was.
    if (!(error instanceof DomainError)) throw error;
    const isGivenBack = payment.status === 'refunded';
    await trx('orders')
      .where({ id: orderId })
      .update({
        review_since: isGivenBack ? null : trx.raw('coalesce(review_since, clock_timestamp())'),
        review_reason: isGivenBack ? null : `It was paid by ${payment.id}, but: ${error.message}`,
      });
    return isGivenBack ? null : new Date(Date.now() + AGAIN_MS);
  }
  await onPaid(trx, payment.id);
  return null;
}
