import Joi from 'joi';
import { PAYMENT_STATUSES } from '../../domain/states/payment';
import { resultSchema } from '../records/result';
import { instant } from '../server/conventions';

export const eventSchema = Joi.object({
  from: Joi.string().valid(...PAYMENT_STATUSES),
  to: Joi.string()
    .valid(...PAYMENT_STATUSES)
    .required(),
  result: resultSchema.required(),
  cause: Joi.string().required(),
  detail: Joi.string().required(),
  at: instant().required(),
});

/** A payment id in a path. Any text passes here. An unknown id is answered with 404. */
export const paymentParams = Joi.object({ paymentId: Joi.string().max(100).required() });
export interface PaymentParams {
  paymentId: string;
}

export const statusByTransactionBody = Joi.object({ transactionId: Joi.string().min(1).max(64).required() });
