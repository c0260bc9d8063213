import Joi from 'joi';
import { DISPUTE_STATUSES } from '../../domain/states/dispute';
import { currency, id, instant } from '../server/conventions';

const money = () => Joi.string().example('10.00');

export const disputeSchema = Joi.object({
  disputeId: id('dispute').required(),
  paymentId: id('payment').required(),
  processor: Joi.string().required(),
  caseId: Joi.string().required().description('The processor’s id of the case'),
  kind: Joi.string()
    .valid('chargeback', 'return')
    .required()
    .description('`return` is a direct debit that the payer’s bank sent back. You cannot contest it'),
  amount: money().required(),
  currency: currency().required(),
  reason: Joi.string(),
  status: Joi.string()
    .valid(...DISPUTE_STATUSES)
    .required(),
  detail: Joi.string().allow('').required(),
  secondPresentment: Joi.string().valid('none', 'submitted', 'accepted').required(),
  evidenceDueAt: instant().description('You can submit evidence until this time'),
  createdAt: instant().required(),
  updatedAt: instant().required(),
  closedAt: instant(),
  pendingOperation: Joi.string()
    .valid('evidence', 'second_presentment', 'acceptance')
    .description('The operation that the processor has not answered yet'),
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
    .description('Absent in lists'),
});
