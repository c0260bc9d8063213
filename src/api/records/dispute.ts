import Joi from 'joi';
import { DISPUTE_STATUSES } from '../../domain/states/dispute';
import { currency, id, instant } from '../server/conventions';

const money = () => Joi.string().example('10.00');

export const disputeSchema = Joi.object({
  disputeId: id('dispute').required(),
  paymentId: id('payment').required(),
  processor: Joi.string().required(),
  caseId: Joi.string().required().description('The case at the processor'),
  kind: Joi.string()
    .valid('chargeback', 'return')
    .required()
    .description('`return`: a direct debit that the payer’s bank sent back; it cannot be contested'),
  amount: money().required(),
  currency: currency().required(),
  reason: Joi.string(),
  status: Joi.string()
    .valid(...DISPUTE_STATUSES)
    .required(),
  detail: Joi.string().allow('').required(),
  secondPresentment: Joi.string().valid('none', 'submitted', 'accepted').required(),
  evidenceDueAt: instant().description('Until when evidence may be submitted'),
  createdAt: instant().required(),
  updatedAt: instant().required(),
  closedAt: instant(),
  pendingOperation: Joi.string()
    .valid('evidence', 'second_presentment', 'acceptance')
    .description('What the processor has not answered yet'),
  evidence: Joi.array()
    .items(
      Joi.object({
        evidenceId: id('disputeOperation').required(),
        status: Joi.string().valid('pending', 'succeeded', 'failed').required(),
        detail: Joi.string().required(),
        documents: Joi.array()
          .items(
            Joi.object({
              name: Joi.string().required(),
              contentType: Joi.string().required(),
              sizeBytes: Joi.number().integer().required(),
            }),
          )
          .required(),
        createdAt: instant().required(),
      }),
    )
    .description('Not in lists'),
});
