import Joi from 'joi';
import type { PaymentRequestDetails } from '../../payments/payment';
import type { CardData } from '../../providers/connector';
import { amount, currency, text } from '../conventions';

/** Path segments of the card methods of the catalogue. */
const CARD_PATH = /^[1-9]$/;

export interface H2hBody extends Partial<PaymentRequestDetails> {
  merchantTransactionId: string;
  amount: string;
  currency: string;
  capture: 'automatic' | 'manual';
  terminalId?: string;
  methodId?: number;
  card?: CardData;
  cardToken?: string;
}

const card = Joi.object<CardData>({
  number: Joi.string()
    .pattern(/^\d{12,19}$/)
    .creditCard()
    .required()
    .messages({ 'string.creditCard': 'is not a card number' })
    .example('4111111111111111'),
  holder: Joi.string().min(1).max(100).required(),
  expiryMonth: Joi.string()
    .pattern(/^(0[1-9]|1[0-2])$/)
    .required()
    .example('12'),
  expiryYear: Joi.string()
    .pattern(/^\d{4}$/)
    .required()
    .example('2030'),
  cvv: Joi.string()
    .pattern(/^\d{3,4}$/)
    .required()
    .example('123'),
});

const customer = Joi.object({
  customerId: Joi.string().max(64),
  firstName: text(100),
  lastName: text(100),
  email: Joi.string().email({ tlds: false }).max(254),
  phone: Joi.string().max(32),
  ipAddress: Joi.string().ip({ cidr: 'forbidden' }),
  country: Joi.string()
    .pattern(/^[A-Z]{2}$/)
    .description('ISO 3166-1 alpha-2'),
});

/** The fields EMV 3-D Secure takes from the payer's browser. */
const browser = Joi.object({
  acceptHeader: Joi.string().max(2048),
  userAgent: Joi.string().max(2048),
  language: Joi.string().max(8),
  colorDepth: Joi.number().integer().min(1).max(64),
  screenHeight: Joi.number().integer().min(0).max(100_000),
  screenWidth: Joi.number().integer().min(0).max(100_000),
  timeZoneOffset: Joi.number().integer().min(-1440).max(1440),
  javaEnabled: Joi.boolean(),
  javascriptEnabled: Joi.boolean(),
  ipAddress: Joi.string().ip({ cidr: 'forbidden' }),
});

const url = () =>
  Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .max(2048);

const recurring = Joi.object({
  initial: Joi.boolean(),
  originalPaymentId: Joi.string().max(64),
}).xor('initial', 'originalPaymentId');

/** A card payment needs exactly one source of the card. Which kind a path is, stands in its method id. */
export const h2hBody = Joi.object<H2hBody>({
  merchantTransactionId: Joi.string().min(1).max(64).required(),
  amount: amount().required(),
  currency: currency().required(),
  capture: Joi.string().valid('automatic', 'manual').default('automatic'),
  descriptor: text(64),
  remark: text(255),
  notificationUrl: url(),
  returnUrl: url(),
  terminalId: Joi.string().max(64),
  methodId: Joi.number().integer(),
  customer,
  browser,
  threeDS: Joi.string().valid('auto', 'required', 'none').default('auto'),
  storeCard: Joi.boolean().default(false),
  recurring,
  cardToken: Joi.string()
    .max(64)
    .when('$params.id', { not: Joi.string().pattern(CARD_PATH), then: Joi.forbidden() }),
  card: card.when('$params.id', {
    not: Joi.string().pattern(CARD_PATH),
    then: Joi.forbidden(),
    otherwise: Joi.when('cardToken', {
      is: Joi.exist(),
      then: Joi.forbidden(),
      otherwise: Joi.when('recurring.originalPaymentId', {
        is: Joi.exist(),
        then: Joi.forbidden(),
        otherwise: Joi.required(),
      }),
    }),
  }),
});

export const h2hParams = Joi.object<{ id: string }>({
  id: Joi.string().max(64).required().description('Method id of the catalogue, or a documented range of them'),
});
