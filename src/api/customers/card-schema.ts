import Joi from 'joi';
import type { CardData } from '../../domain/connector';
import { CARD_VERIFICATION_STATUSES } from '../../domain/states/card-verification';
import type { CardVerificationRequest } from '../../money/saved-cards/card-verification';
import { actionSchema } from '../records/action';
import { browserSchema } from '../records/browser';
import { cardSchema, cvv, shownCardSchema } from '../records/card';
import { resultSchema } from '../records/result';
import { anyId, currency, id, instant, webUrl } from '../server/conventions';
import type { CustomerParams } from '../server/params';

export interface PaymentMethodBody extends CardVerificationRequest {
  card: CardData;
  currency: string;
}
export const paymentMethodBody = Joi.object<PaymentMethodBody>({
  card: cardSchema
    .keys({
      cvv: cvv().description('Used for the verification only; we do not keep it'),
    })
    .required(),
  currency: currency().default('EUR').description('Currency of the zero amount that we authorize'),
  threeDS: Joi.string()
    .valid('auto', 'required')
    .default('auto')
    .description('With `required` the customer always authenticates, even if the issuer does not ask for it'),
  browser: browserSchema,
  returnUrl: webUrl().description('The customer comes back to this page after 3-D Secure'),
});

export interface PaymentMethodParams extends CustomerParams {
  paymentMethodId: string;
}
export interface CardVerificationParams extends CustomerParams {
  cardVerificationId: string;
}
/** Any text passes here. An unknown id is answered with 404. */
export const paymentMethodParams = Joi.object<PaymentMethodParams>({ customerId: anyId(), paymentMethodId: anyId() });
export const cardVerificationParams = Joi.object<CardVerificationParams>({
  customerId: anyId(),
  cardVerificationId: anyId(),
});

export const paymentMethodSchema = Joi.object({
  paymentMethodId: id('paymentMethod')
    .required()
    .description('You can use it as `cardToken` in a payment of this customer'),
  customerId: id('customer').required(),
  type: Joi.string().valid('card').required(),
  paymentBrand: Joi.string().required().example('VISA'),
  card: shownCardSchema.required(),
  isDefault: Joi.boolean().required(),
  createdAt: instant().required(),
});

export const cardVerificationSchema = Joi.object({
  cardVerificationId: id('cardVerification').required(),
  customerId: id('customer').required(),
  status: Joi.string()
    .valid(...CARD_VERIFICATION_STATUSES)
    .required(),
  result: resultSchema.required(),
  detail: Joi.string().required(),
  paymentBrand: Joi.string().required().example('VISA'),
  card: shownCardSchema.required(),
  action: actionSchema.description('What the customer has to do next'),
  paymentMethodId: id('paymentMethod').description('Present when the card is saved'),
  createdAt: instant().required(),
  updatedAt: instant().required(),
});

export const removedMethodSchema = Joi.object({
  paymentMethodId: id('paymentMethod').required(),
  deleted: Joi.boolean().required(),
});
