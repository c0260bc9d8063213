import Joi from 'joi';
import { formatAmount } from '../../domain/money';
import { FREQUENCIES } from '../../money/p2p/occurrences';
import {
  nextDue,
  RUN_STATUSES,
  STANDING_ORDER_STATUSES,
  type StandingOrderRow,
  type StandingOrderRunRow,
  statusOf,
} from '../../money/standing-orders/order';
import { note } from '../p2p/schema';
import { amount, currency, day, id, instant } from '../server/conventions';

export const frequency = () => Joi.string().valid(...FREQUENCIES.filter((each) => each !== 'once'));
export const standingOrderStatus = () => Joi.string().valid(...STANDING_ORDER_STATUSES);

export const standingOrderSchema = Joi.object({
  standingOrderId: id('transferSchedule').required().description('Also the `scheduleId` of its transfers'),
  customerId: id('customer').required(),
  status: standingOrderStatus().required(),
  recipientId: id('customer').required(),
  recipient: Joi.string().required().description('As it was named; an address is shortened'),
  beneficiaryId: id('beneficiary').description('While it is saved'),
  amount: amount().required(),
  currency: currency().required(),
  note: note(),
  frequency: frequency().required(),
  firstDate: day().required(),
  lastDate: day(),
  nextAt: instant().description('When it is due next'),
  pausedAt: instant(),
  createdAt: instant().required(),
  updatedAt: instant().required(),
});

export const runSchema = Joi.object({
  dueAt: instant().required(),
  status: Joi.string()
    .valid(...RUN_STATUSES)
    .required()
    .description('`made`: a transfer, which may still wait to be accepted; `failed`, `skipped`: no money moved'),
  transferId: id('transfer'),
  detail: Joi.string().required(),
  at: instant().required(),
});

export function presentStandingOrder(order: StandingOrderRow): Record<string, unknown> {
  return {
    standingOrderId: order.id,
    customerId: order.sender_id,
    status: statusOf(order),
    recipientId: order.recipient_id,
    recipient: order.recipient_hint ?? order.recipient_id,
    beneficiaryId: order.beneficiary_id ?? undefined,
    amount: formatAmount(order.amount_minor, order.currency),
    currency: order.currency,
    note: order.note ?? undefined,
    frequency: order.frequency,
    firstDate: dayOf(order.starts_at),
    lastDate: order.ends_at ? dayOf(order.ends_at) : undefined,
    nextAt: nextDue(order),
    pausedAt: order.paused_at ?? undefined,
    createdAt: order.created_at,
    updatedAt: order.updated_at,
  };
}

export function presentRun({ due_at, status, transfer_id, detail, at }: StandingOrderRunRow): Record<string, unknown> {
  return { dueAt: due_at, status, transferId: transfer_id ?? undefined, detail, at };
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}
