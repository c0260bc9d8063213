import Joi from 'joi';
import { REFUND_STATUSES } from '../../domain/states/refund';
import { currency, id, instant } from '../server/conventions';
import { resultSchema } from './result';

const money = () => Joi.string().example('10.00');

export const refundSchema = Joi.object({
  refundId: id('refund').required(),
  paymentId: id('payment').required(),
  amount: money().required(),
  currency: currency().required(),
  status: Joi.string()
    .valid(...REFUND_STATUSES)
    .required(),
  result: resultSchema.required(),
  detail: Joi.string().required(),
  reason: Joi.string(),
  createdAt: instant().required(),
  updatedAt: instant().required(),
});
