import Router from '@koa/router';
import Joi from 'joi';
import { isCurrency, type Money, parseAmount } from '../../../domain/money';
import { isCardNumber } from '../cards';
import { InvalidOrder, orderBody, validated } from '../control';
import type { TokenOrder, WalletIssuer } from './issuer';

const YEAR_MS = 365 * 24 * 3_600_000;

interface TokenRequest extends Omit<TokenOrder, 'money' | 'expiresInMs'> {
  amount: string;
  currency: string;
  expiresInMs?: number;
}

const number = Joi.string().custom((digits: string, helpers) =>
  isCardNumber(digits) ? digits : helpers.message({ custom: 'is not a card number' }),
);

/** The rest of a card is the network's to check, if anybody's: a wallet holds none of it. */
const card = Joi.object({
  number: number.required(),
  expiryMonth: Joi.string()
    .pattern(/^(?:0[1-9]|1[0-2])$/)
    .default('12'),
  expiryYear: Joi.string()
    .pattern(/^20\d{2}$/)
    .default(() => String(new Date().getUTCFullYear() + 3)),
}).unknown();

const requestSchema = Joi.object<TokenRequest>({
  card: Joi.alternatives().conditional(Joi.string(), { then: number, otherwise: card }).required(),
  amount: Joi.string().max(24).required(),
  currency: Joi.string().required(),
  merchantId: Joi.string().max(64).required(),
  expiresInMs: Joi.number().integer().min(-YEAR_MS).max(YEAR_MS),
  authMethod: Joi.valid('PAN_ONLY', 'CRYPTOGRAM_3DS').default('CRYPTOGRAM_3DS'),
});

/**
 * `POST /sim/wallets/{first|second}/tokens`: the token that a payer's wallet would give to a merchant's application.
 * `first` gives ECv2, `second` EC_v1.
 * Without an issuer there is none: 404.
 */
export function walletRouter({ issuer, tokenTtlMs }: { issuer?: WalletIssuer; tokenTtlMs: number }): Router {
  const router = new Router({ prefix: '/sim/wallets/:kind' });
  router.post('/tokens', orderBody(), (ctx) => {
    const { kind } = ctx.params;
    if (!issuer) return ctx.throw(404, 'this simulator has no wallets: DEVICE_WALLET_ISSUER_KEYS is not set');
    if (kind !== 'first' && kind !== 'second') return ctx.throw(404, 'there is no such wallet');
    const {
      card: given,
      amount,
      currency,
      merchantId,
      authMethod,
      ...request
    } = validated(requestSchema, ctx.request.body);
    const order: TokenOrder = {
      card: typeof given === 'string' ? (card.validate({ number: given }).value as TokenOrder['card']) : given,
      money: moneyOf(amount, currency),
      merchantId,
      expiresInMs: request.expiresInMs ?? tokenTtlMs,
      authMethod,
    };
    ctx.status = 201;
    ctx.body = kind === 'first' ? issuer.issueEcv2(order) : inRange(() => issuer.issueEcV1(order));
  });
  return router;
}

function moneyOf(amount: string, currency: string): Money {
  if (!isCurrency(currency)) throw new InvalidOrder([{ field: 'currency', message: 'is unknown' }]);
  return { amountMinor: inRange(() => parseAmount(amount, currency)), currency };
}

function inRange<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof RangeError) throw new InvalidOrder([{ field: 'amount', message: error.message }]);
    throw error;
  }
}
