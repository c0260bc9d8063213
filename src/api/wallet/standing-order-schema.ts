import Joi from 'joi';
import { RUN_STATUSES, type StandingOrderRunRow } from '../../money/standing-orders/order';
import { id, instant } from '../server/conventions';

export const runSchema = Joi.object({
  dueAt: instant().required(),
  status: Joi.string()
    .valid(...RUN_STATUSES)
    .required()
    .description(
      '`made`: a transfer was made, but it may still wait for the recipient. `failed` and `skipped`: no money moved',
    ),
  transferId: id('transfer'),
  detail: Joi.string().required(),
  at: instant().required(),
});

export function presentRun({ due_at, status, transfer_id, detail, at }: StandingOrderRunRow): Record<string, unknown> {
  return { dueAt: due_at, status, transferId: transfer_id ?? undefined, detail, at };
}
