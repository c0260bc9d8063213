import Joi from 'joi';
import { CUSTOMER_STATUSES } from '../../domain/states/customer';
import type { CustomerEvent } from '../../people/customers/status';
import { instant } from '../server/conventions';

const status = () => Joi.string().valid(...CUSTOMER_STATUSES);

export const statusEventSchema = Joi.object({
  from: status().description('Absent in the first event'),
  to: status().required(),
  actor: Joi.string().required().description('Client or customer. `verification` means that the platform did it'),
  reason: Joi.string().allow('').required(),
  at: instant().required(),
});

/** One change of a customer’s status. */
export function presentStatusEvent({
  from_status,
  to_status,
  actor,
  reason,
  at,
}: CustomerEvent): Record<string, unknown> {
  return { from: from_status ?? undefined, to: to_status, actor, reason, at };
}
