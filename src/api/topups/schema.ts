import Joi from 'joi';
import type { CardData } from '../../domain/connector';
import { TOPUP_STATUSES, type TopupStatus } from '../../domain/states/topup';
import type { PaymentRequestDetails } from '../../money/payments/payment';
import { browserSchema } from '../records/browser';
import { cardSchema } from '../records/card';
import { amount, currency, instant, paging, webUrl } from '../server/conventions';

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
  storeCard: Joi.boolean().default(false).description('Save the card for this customer if the top-up is approved'),
  threeDS: Joi.string().valid('auto', 'required', 'none').default('auto'),
  browser: browserSchema,
  returnUrl: webUrl(),
  notificationUrl: webUrl(),
}).xor('card', 'savedCardId');

export const topupParams = Joi.object({ topupId: Joi.string().max(100).required() });
export interface TopupParams {
  topupId: string;
}

export interface TopupFilterQuery {
  customerId?: string;
  status?: TopupStatus;
  currency?: string;
  linkId?: string;
  sellerId?: string;
  from?: string;
  to?: string;
}
const filters = () => ({
  customerId: Joi.string().max(64),
  status: Joi.string().valid(...TOPUP_STATUSES),
  currency: currency(),
  linkId: Joi.string().max(100).description('Paid by this payment link'),
  sellerId: Joi.string().max(100).description('Sold by this organization by links'),
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
    .description('How long we also sign with the old secret'),
});
export const secretSchema = Joi.object({ value: Joi.string().required(), since: instant().required() });
