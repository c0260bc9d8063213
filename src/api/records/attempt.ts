import Joi from 'joi';
import { ATTEMPT_STATUSES } from '../../domain/states/attempt';
import { OPERATION_KINDS, OPERATION_STATUSES } from '../../money/payments/attempt-list';
import { anyId, currency, instant } from '../server/conventions';
import { authenticationSchema } from './payment';

const operationSchema = Joi.object({
  operationId: anyId().optional().description('Absent for the authorization: there is one in each attempt'),
  kind: Joi.string()
    .valid(...OPERATION_KINDS)
    .required()
    .description('`return`: the processor had money that nobody asked for, and it goes back to the payer'),
  status: Joi.string()
    .valid(...OPERATION_STATUSES)
    .required()
    .description('`pending` until the processor gives a definite answer to this operation'),
  amount: Joi.string().required().example('10.00'),
  currency: currency().required(),
  detail: Joi.string().allow('').description('What is known, in one sentence'),
  sends: Joi.number().integer().required().description('How often it was sent, always under the same key'),
  sentAt: instant().description('When it was sent last'),
  createdAt: instant().required(),
  updatedAt: instant().required(),
});

export const attemptSchema = Joi.object({
  number: Joi.number().integer().required().description('The order in which the processors were tried, from 1'),
  processor: Joi.string().required(),
  status: Joi.string()
    .valid(...ATTEMPT_STATUSES)
    .required()
    .description(
      'How the payment stands at this processor. `nothing_charged`: it did not take the request, so that another one ' +
        'could be tried',
    ),
  detail: Joi.string().allow('').required(),
  processorReference: Joi.string().description('What the processor calls the payment'),
  authentication: authenticationSchema,
  operations: Joi.array().items(operationSchema).required().description('Oldest first'),
  createdAt: instant().required(),
  updatedAt: instant().required(),
});
