import Joi from 'joi';
import { TOPUP_STATUSES } from '../../domain/states/topup';
import { currency, id, instant } from '../server/conventions';
import { actionSchema } from './action';
import { shownCardSchema } from './card';
import { authenticationSchema } from './payment';
import { refundSchema } from './refund';
import { resultSchema } from './result';

const money = () => Joi.string().example('10.00');

const topupRefundSchema = refundSchema.keys({
  feeReturned: money()
    .required()
    .description('The part of the refund that is the fee. It does not come out of the wallet'),
});

export const topupSchema = Joi.object({
  topupId: id('topup').required(),
  customerId: Joi.string().required(),
  status: Joi.string()
    .valid(...TOPUP_STATUSES)
    .required(),
  amount: money().required(),
  currency: currency().required(),
  fee: money().required().description('Fee on the requested amount. After the capture, fee on the captured amount'),
  netAmount: money().required().description('Amount that reaches the wallet'),
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
  authentication: authenticationSchema,
  paymentBrand: Joi.string().required().example('VISA'),
  card: shownCardSchema.required(),
  savedCardId: id('paymentMethod'),
  paymentId: id('payment').required().description('The payment behind the top-up'),
  organizationId: id('organization').required().description('Merchant of record: the tenant’s own organization'),
  linkId: id('paymentLink').description('The payment link that it was paid by'),
  sellerId: id('organization').description('The organization that has sold it by a link'),
  processor: Joi.string().required(),
  createdAt: instant().required(),
  updatedAt: instant().required(),
  settledAt: instant(),
  refund: topupRefundSchema.description('Present in the answer to a refund'),
  refunds: Joi.array().items(topupRefundSchema).description('Present when you read one top-up; newest first'),
});
