import Joi from 'joi';
import { formatAmount } from '../../domain/money';
import type { InterventionFilter, InterventionOrder } from '../../money/interventions/service';
import { possibleActs, type Subject, standingOf, workflowOf } from '../../money/interventions/subject';
import {
  INTERVENTION_ACTS,
  INTERVENTION_OUTCOMES,
  INTERVENTION_STATUSES,
  INTERVENTION_SUBJECTS,
  type InterventionRow,
} from '../../money/payments/intervention';
import { anyId, currency, freeText, id, instant, paging } from '../server/conventions';

const act = () => Joi.string().valid(...INTERVENTION_ACTS);
const outcome = () => Joi.string().valid(...INTERVENTION_OUTCOMES);
const amount = () => Joi.string().example('10.00');

export const interventionSchema = Joi.object({
  interventionId: id('intervention').required(),
  tenantId: Joi.string().required(),
  organizationId: Joi.string().required(),
  objectKind: Joi.string()
    .valid(...INTERVENTION_SUBJECTS)
    .required(),
  objectId: Joi.string().required(),
  act: act().required(),
  outcome: outcome(),
  processorReference: Joi.string(),
  reason: Joi.string().required(),
  amount: amount().required(),
  currency: currency().required(),
  status: Joi.string()
    .valid(...INTERVENTION_STATUSES)
    .required()
    .description(
      '`proposed`: another operator has to confirm it. `ordered`: the flow of the object has not taken it yet. `done`: ' +
        'it is carried out. `refused`: the object did not allow it any more',
    ),
  detail: Joi.string().required(),
  orderedBy: Joi.string().required(),
  confirmedBy: Joi.string(),
  createdAt: instant().required(),
  updatedAt: instant().required(),
});

export function presentIntervention(row: InterventionRow): Record<string, unknown> {
  return {
    interventionId: row.id,
    tenantId: row.tenant_id,
    organizationId: row.organization_id,
    objectKind: row.subject_kind,
    objectId: row.subject_id,
    act: row.act,
    ...(row.outcome && { outcome: row.outcome }),
    ...(row.processor_reference && { processorReference: row.processor_reference }),
    reason: row.reason,
    amount: formatAmount(row.amount_minor, row.currency),
    currency: row.currency,
    status: row.status,
    detail: row.status_detail,
    orderedBy: row.ordered_by,
    ...(row.confirmed_by && { confirmedBy: row.confirmed_by }),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export const interventionsQuery = Joi.object<InterventionFilter>({
  ...paging(),
  objectId: Joi.string().max(100).description('Of a payment, top-up, refund, dispute or receipt'),
  status: Joi.string().valid(...INTERVENTION_STATUSES),
  tenantId: Joi.string().max(100),
});

export type OrderBody = Omit<InterventionOrder, 'interventionId'>;
export const orderBody = Joi.object<OrderBody>({
  objectId: Joi.string()
    .max(100)
    .required()
    .example('pay_01jcxk3v8pe4xaz1w5kq9d2b7m')
    .description('Of a payment, top-up, refund, dispute or receipt'),
  act: act().required().example('ask_again'),
  outcome: outcome()
    .when('act', { is: 'resolve', then: Joi.required(), otherwise: Joi.forbidden() })
    .description('Of `resolve`: what the processor said by another way'),
  processorReference: Joi.string()
    .trim()
    .min(1)
    .max(200)
    .when('act', { is: 'resolve', otherwise: Joi.forbidden() })
    .description('Of `resolve`: what the processor calls the charge or refund'),
  reason: freeText(500).trim().min(1).required().example('The processor told us by telephone, case 4711.'),
});

export interface InterventionParams {
  interventionId: string;
}
export const interventionParams = Joi.object<InterventionParams>({ interventionId: anyId() });

export interface ObjectParams {
  objectId: string;
}
export const objectParams = Joi.object<ObjectParams>({ objectId: anyId() });

export const objectSchema = Joi.object({
  objectId: Joi.string().required(),
  kind: Joi.string()
    .valid(...INTERVENTION_SUBJECTS)
    .required(),
  tenantId: Joi.string().required(),
  organizationId: Joi.string().required(),
  paymentId: Joi.string().required(),
  processor: Joi.string(),
  workflowId: Joi.string().required().example('payment/pay_01jcxk3v8pe4xaz1w5kq9d2b7m'),
  status: Joi.string().required(),
  detail: Joi.string().required(),
  amount: amount().required(),
  currency: currency().required(),
  outcomeUnknown: Joi.boolean().required(),
  review: Joi.string().description('Why an operator should look at it'),
  possibleActs: Joi.array().items(act()).required(),
  createdAt: instant().required(),
  updatedAt: instant().required(),
});

/** Something that operators act on, as it stands. */
export function presentObject(subject: Subject): Record<string, unknown> {
  const { kind, id: objectId, row } = subject;
  const { isUnknown, review } = standingOf(subject);
  return {
    objectId,
    kind,
    tenantId: row.tenant_id,
    organizationId: row.organization_id,
    paymentId: 'payment_id' in row ? row.payment_id : row.id,
    ...(row.processor && { processor: row.processor }),
    workflowId: workflowOf(subject),
    status: row.status,
    detail: row.status_detail,
    amount: formatAmount(row.amount_minor, row.currency),
    currency: row.currency,
    outcomeUnknown: isUnknown,
    ...(review && { review }),
    possibleActs: possibleActs(subject),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
