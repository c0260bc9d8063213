import type { Knex } from 'knex';
import { found } from '../../domain/errors';
import type { ScheduleStatus } from '../../domain/states/schedule';
import { nextOccurrence } from '../p2p/occurrences';
import { recurrenceOf, type ScheduleRow } from '../p2p/schedules';

/** A standing order: a row of `p2p_schedules` of that kind. */
export interface StandingOrderRow extends ScheduleRow {
  kind: 'standing_order';
  paused_at: Date | null;
  beneficiary_id: string | null;
}

export const STANDING_ORDER_STATUSES = ['active', 'paused', 'ended', 'cancelled'] as const;
export type StandingOrderStatus = (typeof STANDING_ORDER_STATUSES)[number];

/** An occurrence that was due. One row of `standing_order_runs`. */
export interface StandingOrderRunRow {
  order_id: string;
  due_at: Date;
  tenant_id: string;
  status: RunStatus;
  transfer_id: string | null;
  detail: string;
  at: Date;
}

export const RUN_STATUSES = ['made', 'failed', 'skipped'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export function statusOf({ status, paused_at }: Pick<StandingOrderRow, 'status' | 'paused_at'>): StandingOrderStatus {
  return status === ('active' satisfies ScheduleStatus) && paused_at ? 'paused' : status;
}

/** When it is due next; undefined once it has ended. */
export function nextDue(order: StandingOrderRow, now = new Date()): Date | undefined {
  return order.status === 'active' ? nextOccurrence(recurrenceOf(order), now) : undefined;
}

/** Throws `not_found`, also for another customer's. `lock`: until the transaction ends. */
export async function findStandingOrder(
  trx: Knex.Transaction,
  customerId: string,
  orderId: string,
  { lock = false } = {},
): Promise<StandingOrderRow> {
  const query = trx('p2p_schedules').where({ id: orderId, sender_id: customerId, kind: 'standing_order' });
  return found(await (lock ? query.forUpdate() : query).first(), 'standing order');
}
