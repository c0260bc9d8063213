import Joi from 'joi';
import type { CardData } from '../../domain/connector';
import { ecV1Token, ecv2Token } from '../../edge/device-wallets/schema';
import type { PaymentRequestDetails } from '../../money/payments/payment';
import { browserSchema } from '../records/browser';
import { cardSchema } from '../records/card';
import { vpa } from '../records/vpa';
import {
  amount,
  country,
  currency,
  freeText,
  instant,
  methodId,
  nameText,
  saying,
  webUrl,
} from '../server/conventions';
import { iban } from '../server/iban';
import { ONLY, PATHS } from './paths';

export interface H2hBody extends Partial<PaymentRequestDetails> {
  merchantTransactionId: string;
  amount: string;
  currency: string;
  capture: 'automatic' | 'manual';
  terminalId?: string;
  methodId?: number;
  card?: CardData;
  cardToken?: string;
  walletToken?: Record<string, unknown>;
  upi?: { vpa?: string; flow?: 'intent' | 'qr' };
  qr?: object;
  apm?: { payerName: string; payerEmail: string; country: string; bankCode?: string };
  bankTransfer?: { payerName?: string; payerIban?: string };
  directDebit?: { iban?: string; accountHolder?: string; signedAt?: string; mandateId?: string };
  crypto?: { asset: 'BTC' | 'ETH' | 'USDT' };
}

const customer = Joi.object({
  customerId: Joi.string()
    .max(64)
    .description('A customer of the tenant. The payment is listed among the customer’s payments'),
  firstName: nameText(100).allow(''),
  lastName: nameText(100).allow(''),
  email: Joi.string().email({ tlds: false }).max(254),
  phone: Joi.string().max(32),
  ipAddress: Joi.string().ip({ cidr: 'forbidden' }),
  country: country(),
});

const recurring = Joi.object({
  initial: Joi.boolean(),
  originalPaymentId: Joi.string().max(64),
}).xor('initial', 'originalPaymentId');

const collect = Joi.object({ vpa: vpa.required() });
const intent = Joi.object({ flow: Joi.string().valid('intent', 'qr').default('intent') });
/** In a range of both, `methodId` chooses; the default is the first. */
const upi = Joi.when('$params.id', {
  switch: [
    { is: Joi.valid('30'), then: collect.required() },
    { is: Joi.valid('31'), then: intent.default({ flow: 'intent' }) },
  ],
  otherwise: Joi.when('methodId', { is: 31, then: intent.default({ flow: 'intent' }), otherwise: collect.required() }),
});

const apm = Joi.object({
  payerName: Joi.string().min(1).max(100).required(),
  payerEmail: Joi.string().email({ tlds: false }).max(254).required(),
  country: country().required(),
  bankCode: Joi.string().max(32),
});

const bankTransfer = Joi.object({ payerName: nameText(140).allow(''), payerIban: iban() });

const directDebit = Joi.object({
  iban: iban().description('Creates a new mandate, together with accountHolder and signedAt'),
  accountHolder: nameText(70).min(1),
  signedAt: instant(),
  mandateId: Joi.string().max(64).description('The mandate of an earlier payment'),
})
  .xor('iban', 'mandateId')
  .and('iban', 'accountHolder', 'signedAt');

/** Which schema a member has on each kind of path. On an unknown path it may be anything, since the answer is 404. */
function byPath(cases: readonly [RegExp, Joi.Schema][]): Joi.AlternativesSchema {
  const path = (pattern: RegExp) => Joi.string().pattern(pattern).required();
  return Joi.when('$params.id', {
    switch: [
      ...cases.map(([paths, schema]) => ({ is: path(paths), then: schema })),
      { is: path(ONLY.known), then: Joi.forbidden() },
    ],
    otherwise: Joi.any(),
  });
}

/** A card payment needs exactly one source of the card. The method id in the path says which kind of payment it is. */
export const h2hBody = Joi.object<H2hBody>({
  merchantTransactionId: Joi.string().min(1).max(64).required(),
  amount: amount().required(),
  currency: currency().required(),
  capture: Joi.string()
    .default('automatic')
    .when('$params.id', {
      is: Joi.string().pattern(ONLY.capturable),
      then: Joi.valid('automatic', 'manual'),
      otherwise: Joi.valid('automatic').alter(
        saying({ 'any.only': 'may be manual only for cards, wallet tokens and hosted pages' }),
      ),
    }),
  descriptor: nameText(64).allow(''),
  remark: freeText(255).allow(''),
  notificationUrl: webUrl(),
  returnUrl: webUrl().when('$params.id', {
    is: Joi.string().pattern(ONLY.redirecting).required(),
    then: Joi.required(),
  }),
  terminalId: Joi.string().max(64),
  methodId: methodId(),
  customer,
  browser: browserSchema,
  threeDS: Joi.string().valid('auto', 'required', 'none').default('auto'),
  storeCard: Joi.boolean()
    .default(false)
    .when('$params.id', { not: Joi.string().pattern(PATHS.card), then: Joi.valid(false) }),
  recurring: byPath([[PATHS.card, recurring]]),
  cardToken: byPath([[PATHS.card, Joi.string().max(64)]]),
  card: byPath([
    [
      PATHS.card,
      Joi.when('cardToken', {
        is: Joi.exist(),
        then: Joi.forbidden(),
        otherwise: Joi.when('recurring.originalPaymentId', {
          is: Joi.exist(),
          then: Joi.forbidden(),
          otherwise: cardSchema.required(),
        }),
      }),
    ],
  ]),
  walletToken: byPath([
    [PATHS.firstWallet, ecv2Token.required()],
    [PATHS.secondWallet, ecV1Token.required()],
  ]),
  upi: byPath([[PATHS.upi, upi]]),
  qr: byPath([[PATHS.qr, Joi.object({})]]),
  apm: byPath([[PATHS.apm, apm.required()]]),
  bankTransfer: byPath([[PATHS.bankTransfer, bankTransfer]]),
  directDebit: byPath([[PATHS.directDebit, directDebit.required()]]),
  crypto: byPath([
    [PATHS.crypto, Joi.object({ asset: Joi.string().valid('BTC', 'ETH', 'USDT').required() }).required()],
  ]),
});

export const h2hParams = Joi.object<{ id: string }>({
  id: Joi.string()
    .max(64)
    .required()
    .description('Id of a payment method in the catalogue, or a documented range of ids'),
});
