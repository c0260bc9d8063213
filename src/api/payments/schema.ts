import Joi from 'joi';
import { RESULT_DESCRIPTIONS } from '../../domain/result-codes';
import { PAYMENT_STATUSES } from '../../domain/states/payment';
import { REFUND_STATUSES } from '../../domain/states/refund';
import { amount, currency, id, instant, methodId, paging, text } from '../server/conventions';

const money = () => Joi.string().example('10.00');

/** `data.action`: what the payer has to do next. */
export const actionSchema = Joi.object({
  type: Joi.string().valid('redirect', 'qr', 'instructions').required(),
  url: Joi.string(),
  method: Joi.string().valid('GET', 'POST'),
  fields: Joi.object().pattern(Joi.string(), Joi.string()),
  expiresAt: instant().required(),
});

export const resultSchema = Joi.object({
  code: Joi.number()
    .integer()
    .valid(...Object.keys(RESULT_DESCRIPTIONS).map(Number))
    .required(),
  description: Joi.string().required(),
});

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

export const paymentRecordSchema = Joi.object({
  result: resultSchema.required(),
  paymentId: id('payment').required(),
  timestamp: instant().required().description('Time of the last change'),
  paymentBrand: Joi.string().required().example('VISA'),
  paymentMode: Joi.string().required().example('card'),
  firstName: Joi.string(),
  lastName: Joi.string(),
  amount: money().required(),
  descriptor: Joi.string(),
  currency: currency().required(),
  card: Joi.object({
    bin: Joi.string().required(),
    last4Digits: Joi.string().required(),
    holder: text(100).required(),
    expiryMonth: Joi.string().required(),
    expiryYear: Joi.string().required(),
  }),
  transactionStatus: Joi.string()
    .valid(...PAYMENT_STATUSES)
    .required(),
  merchantTransactionId: Joi.string().required(),
  remark: Joi.string(),
  status: Joi.object({ detail: Joi.string().required() }).required(),
  amounts: Joi.object({
    authorized: money().required(),
    captured: money().required(),
    refunded: money().required(),
    chargedBack: money().required(),
  }).required(),
  action: actionSchema,
  mandateId: id('mandate'),
  processor: Joi.string().required().description('Which processor serves the payment'),
  cardToken: id('paymentMethod'),
  methodId: Joi.number().integer().required(),
  terminalId: Joi.string().required(),
  customerId: Joi.string(),
  createdAt: instant().required(),
  refund: refundSchema,
});

export const envelopeSchema = Joi.object({ data: paymentRecordSchema.required() });

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

/** A payment id in a path. Anything may stand there; what is not ours is not found. */
export const paymentParams = Joi.object({ paymentId: Joi.string().max(100).required() });
export interface PaymentParams {
  paymentId: string;
}

export const statusByTransactionBody = Joi.object({ transactionId: Joi.string().min(1).max(64).required() });

export interface AmountBody {
  amount?: string;
  reason?: string;
}
export const captureBody = Joi.object<AmountBody>({ amount: amount() });
export const refundBody = Joi.object<AmountBody>({ amount: amount(), reason: Joi.string().allow('').max(255) });
export const cancelBody = Joi.object({});

export interface PaymentListQuery {
  limit: number;
  cursor?: string;
  status?: string;
  currency?: string;
  from?: string;
  to?: string;
  methodId?: number;
}
export const paymentListQuery = Joi.object<PaymentListQuery>({
  ...paging(),
  status: Joi.string().valid(...PAYMENT_STATUSES),
  currency: currency(),
  from: instant().description('Created at this time or later'),
  to: instant().description('Created before this time'),
  methodId: methodId(),
});
