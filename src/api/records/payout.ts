import Joi from 'joi';
import { ORIGINS } from '../../commerce/payouts/payout';
import { PAYOUT_STATUSES } from '../../domain/states/payout';
import { amount, currency, id, instant } from '../server/conventions';

export const payoutStatus = () => Joi.string().valid(...PAYOUT_STATUSES);
export const payoutOrigin = () => Joi.string().valid(...ORIGINS);

export const payoutSchema = Joi.object({
  payoutId: id('payout').required(),
  organizationId: id('organization').required(),
  number: Joi.number().integer().required().description('Counts the payouts of the seller in the currency'),
  origin: payoutOrigin().required(),
  status: payoutStatus()
    .required()
    .description(
      '`sent`: the processor has yet to say how it ended. `returned`, `failed` and `cancelled`: the money is back in the ' +
        'balance',
    ),
  detail: Joi.string().required().description('What is known, in one sentence'),
  amount: amount().required(),
  currency: currency().required(),
  sendAt: instant().required(),
  sentAt: instant(),
  processorReference: Joi.string(),
  createdAt: instant().required(),
  updatedAt: instant().required(),
});
