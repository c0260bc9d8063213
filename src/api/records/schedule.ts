import Joi from 'joi';
import { formatAmount } from '../../domain/money';
import { SCHEDULE_STATUSES } from '../../domain/states/schedule';
import { FREQUENCIES, nextOccurrence } from '../../money/p2p/occurrences';
import { recurrenceOf, type ScheduleRow } from '../../money/p2p/schedules';
import { amount, currency, id, instant, text } from '../server/conventions';

export const scheduleStatus = () => Joi.string().valid(...SCHEDULE_STATUSES);

export const frequency = () =>
  Joi.string()
    .valid(...FREQUENCIES)
    .description(
      'Each transfer is made at the time of day of `startsAt` in UTC. If a month does not have the day, on its last day',
    );

export const scheduleSchema = Joi.object({
  scheduleId: id('transferSchedule').required(),
  tenantId: Joi.string().required(),
  status: scheduleStatus().required(),
  senderId: id('customer').required(),
  recipientId: id('customer').required(),
  recipient: Joi.string().required(),
  amount: amount().required(),
  currency: currency().required(),
  note: text(140),
  frequency: frequency().required(),
  startsAt: instant().required(),
  endsAt: instant(),
  nextAt: instant().description('When the next transfer is due'),
  createdAt: instant().required(),
  updatedAt: instant().required(),
});

export function presentSchedule(row: ScheduleRow): Record<string, unknown> {
  return {
    scheduleId: row.id,
    tenantId: row.tenant_id,
    status: row.status,
    senderId: row.sender_id,
    recipientId: row.recipient_id,
    recipient: row.recipient_hint ?? row.recipient_id,
    amount: formatAmount(row.amount_minor, row.currency),
    currency: row.currency,
    note: row.note ?? undefined,
    frequency: row.frequency,
    startsAt: row.starts_at,
    endsAt: row.ends_at ?? undefined,
    nextAt: row.status === 'active' ? nextOccurrence(recurrenceOf(row), new Date()) : undefined,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
