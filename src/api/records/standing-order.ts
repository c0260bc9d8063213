import Joi from 'joi';
import { formatAmount } from '../../domain/money';
import { FREQUENCIES } from '../../money/p2p/occurrences';
import { nextDue, STANDING_ORDER_STATUSES, type StandingOrderRow, statusOf } from '../../money/standing-orders/order';
import { amount, currency, day, id, instant } from '../server/conventions';
import { note } from './recipient';

export const frequency = () => Joi.string().valid(...FREQUENCIES.filter((each) => each !== 'once'));
export const standingOrderStatus = () => Joi.string().valid(...STANDING_ORDER_STATUSES);

export const standingOrderSchema = Joi.object({
  standingOrderId: id('transferSchedule').required().description('It is also the `scheduleId` of its transfers'),
  customerId: id('customer').required(),
  status: standingOrderStatus().required(),
  recipientId: id('customer').required(),
  recipient: Joi.string().required().description('The recipient as the customer wrote it. An address is shortened'),
  beneficiaryId: id('beneficiary').description('Present while the beneficiary is saved'),
  amount: amount().required(),
  currency: currency().required(),
  note: note(),
  frequency: frequency().required(),
  firstDate: day().required(),
  lastDate: day(),
  nextAt: instant().description('When the next transfer is due'),
  pausedAt: instant(),
  createdAt: instant().required(),
  updatedAt: instant().required(),
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

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}
