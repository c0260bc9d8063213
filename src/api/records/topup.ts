import Joi from 'joi';
import { TOPUP_STATUSES } from '../../domain/states/topup';
import { currency, id, instant } from '../server/conventions';
import { actionSchema } from './action';
import { shownCardSchema } from './card';
import { refundSchema } from './refund';
import { resultSchema } from './result';

const money = () => Joi.string().example('10.00');

const topupRefundSchema = refundSchema.keys({
  feeReturned: money().required().description('What of the refund was the fee, and did not come out of the wallet'),
});

export const topupSchema = Joi.object({
  topupId: id('topup').required(),
  customerId: Joi.string().required(),
  status: Joi.string()
    .valid(...TOPUP_STATUSES)
    .required(),
  amount: money().required(),
  currency: currency().required(),
  fee: money().required().description('Of the amount asked for; from the capture on, of what was captured'),
  netAmount: money().required().description('What reaches the wallet'),
  result: resultSchema.required(),
  detail: Joi.string().required(),
  amounts: Joi.object({
    authorized: money().required(),
    captured: money().required(),
    refunded: money().required(),
    chargedBack: money().required(),
    feeReturned: money().required(),
  }).required(),
  action: actionSchema,
  paymentBrand: Joi.string().required().example('VISA'),
  card: shownCardSchema.required(),
  savedCardId: id('paymentMethod'),
  paymentId: id('payment').required().description('The same top-up where it is seen as a payment'),
  organizationId: id('organization').required().description('Merchant of record: the house of the tenant'),
  processor: Joi.string().required(),
  createdAt: instant().required(),
  updatedAt: instant().required(),
  settledAt: instant(),
  refund: topupRefundSchema.description('Of the answer to a refund'),
  refunds: Joi.array().items(topupRefundSchema).description('Of a single top-up: newest first'),
});
