import Joi from 'joi';
import { EXEMPTIONS } from '../../domain/exemption';
import { PAYMENT_STATUSES } from '../../domain/states/payment';
import { currency, id, instant } from '../server/conventions';
import { actionSchema } from './action';
import { shownCardSchema } from './card';
import { refundSchema } from './refund';
import { resultSchema } from './result';

const money = () => Joi.string().example('10.00');

const threeDS = () => Joi.string().valid('auto', 'required', 'none');

/** Where the tenant has a policy on 3-D Secure. */
export const authenticationSchema = Joi.object({
  asked: threeDS().required().description('What the request asked for'),
  applied: threeDS().required().description('What the tenant’s policy made of it'),
  exemption: Joi.string()
    .valid(...EXEMPTIONS)
    .description('Why the payer need not authenticate'),
  softDeclined: Joi.boolean()
    .valid(true)
    .description('The issuer declined the payment without 3-D Secure: it was sent again with it'),
  refusedExemption: Joi.string()
    .valid(...EXEMPTIONS)
    .description('The exemption that the issuer did not accept'),
}).description('Only where the tenant has a policy on 3-D Secure, or the issuer wanted it');

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
  card: shownCardSchema,
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
  authentication: authenticationSchema,
  mandateId: id('mandate'),
  processor: Joi.string().required().description('The processor of the payment'),
  cardToken: id('paymentMethod'),
  methodId: Joi.number().integer().required(),
  terminalId: Joi.string().required(),
  customerId: Joi.string(),
  linkId: id('paymentLink').description('The payment link that the buyer paid by'),
  orderId: id('order').description('The order that the payment is for'),
  createdAt: instant().required(),
  refund: refundSchema,
});

export const envelopeSchema = Joi.object({ data: paymentRecordSchema.required() });
