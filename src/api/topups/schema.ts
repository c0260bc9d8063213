import Joi from 'joi';
import type { CardData } from '../../domain/connector';
import { TOPUP_STATUSES, type TopupStatus } from '../../domain/states/topup';
import type { PaymentRequestDetails } from '../../money/payments/payment';
import { browserSchema, cardSchema } from '../h2h/schema';
import { actionSchema, refundSchema, resultSchema } from '../payments/schema';
import { amount, currency, id, instant, paging, text, webUrl } from '../server/conventions';

const money = () => Joi.string().example('10.00');

export interface TopupBody extends Pick<PaymentRequestDetails, 'returnUrl' | 'notificationUrl' | 'browser'> {
  customerId: string;
  amount: string;
  currency: string;
  card?: CardData;
  savedCardId?: string;
  capture: 'automatic' | 'manual';
  storeCard: boolean;
  threeDS: PaymentRequestDetails['threeDS'];
}

export const topupBody = Joi.object<TopupBody>({
  customerId: Joi.string().max(64).required(),
  amount: amount().required(),
  currency: currency().required(),
  card: cardSchema,
  savedCardId: Joi.string().max(64).description('A saved card of this customer'),
  capture: Joi.string().valid('automatic', 'manual').default('automatic'),
  storeCard: Joi.boolean().default(false).description('Keep the card for this customer once it was approved'),
  threeDS: Joi.string().valid('auto', 'required', 'none').default('auto'),
  browser: browserSchema,
  returnUrl: webUrl(),
  notificationUrl: webUrl(),
}).xor('card', 'savedCardId');

export const topupRefundSchema = refundSchema.keys({
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
  card: Joi.object({
    bin: Joi.string().required(),
    last4Digits: Joi.string().required(),
    holder: text(100).required(),
    expiryMonth: Joi.string().required(),
    expiryYear: Joi.string().required(),
  }).required(),
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

export const topupParams = Joi.object({ topupId: Joi.string().max(100).required() });
export interface TopupParams {
  topupId: string;
}

export interface TopupFilterQuery {
  customerId?: string;
  status?: TopupStatus;
  currency?: string;
  from?: string;
  to?: string;
}
const filters = () => ({
  customerId: Joi.string().max(64),
  status: Joi.string().valid(...TOPUP_STATUSES),
  currency: currency(),
  from: instant().description('Created at this time or later'),
  to: instant().description('Created before this time'),
});
export const topupExportQuery = Joi.object<TopupFilterQuery>(filters());

export interface TopupListQuery extends TopupFilterQuery {
  limit: number;
  cursor?: string;
}
export const topupListQuery = Joi.object<TopupListQuery>({ ...paging(), ...filters() });

export interface SecretBody {
  overlapSeconds?: number;
}
export const secretBody = Joi.object<SecretBody>({
  overlapSeconds: Joi.number()
    .integer()
    .min(0)
    .max(604_800)
    .default(86_400)
    .description('How long the old secret signs as well'),
});
export const secretSchema = Joi.object({ value: Joi.string().required(), since: instant().required() });
