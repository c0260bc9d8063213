import { DomainError } from '../../domain/errors';
import type { CardSaving, Saving } from '../../money/saved-cards/card-saving';
import type { PaymentMethods } from '../../money/saved-cards/payment-methods';
import { actorOf } from '../server/actor';
import { listOf } from '../server/conventions';
import { requireOwn } from '../server/middleware/scope';
import { type CustomerParams, customerParams } from '../server/params';
import { type Answer, type Route, route } from '../server/route';
import {
  type CardVerificationParams,
  cardVerificationParams,
  cardVerificationSchema,
  type PaymentMethodBody,
  type PaymentMethodParams,
  paymentMethodBody,
  paymentMethodParams,
  paymentMethodSchema,
  removedMethodSchema,
} from './card-schema';
import { presentCardVerification, presentPaymentMethod } from './present';
import { BASE } from './routes';

export interface CardDependencies {
  paymentMethods: PaymentMethods;
  cardSaving: CardSaving;
}

const METHODS = `${BASE}/{customerId}/paymentMethods`;

/** The saved cards of a customer: list, add with verification, default, remove. */
export function cardRoutes({ paymentMethods, cardSaving }: CardDependencies): Route[] {
  const common = { area: 'Customers', roles: ['tenant_admin', 'customer'] as const, identity: 'tenantId' as const };
  const reading = { ...common, method: 'GET' as const, roles: ['tenant_admin', 'ops', 'customer'] as const };

  return [
    route<unknown, unknown, CustomerParams>({
      ...reading,
      path: METHODS,
      summary: 'Saved cards of a customer, newest first',
      params: customerParams,
      responses: { 200: { description: 'All of them', schema: listOf(paymentMethodSchema) } },
      handler: async (ctx) => {
        requireOwn(ctx.principal, ctx.params.customerId);
        const saved = await paymentMethods.list(ctx.tenantId, ctx.params.customerId);
        return { status: 200, body: { data: saved.map(presentPaymentMethod), nextCursor: null } };
      },
    }),
    route<PaymentMethodBody, unknown, CustomerParams>({
      ...common,
      method: 'POST',
      path: METHODS,
      summary: 'Save a card for a customer, once its issuer has verified it',
      description:
        'The card is authorized for an amount of zero. Where the issuer challenges, the answer is 202 with an `action` ' +
        'for the customer, and the verification tells how it went; 422 `card_not_verified` when the issuer refuses. A ' +
        'customer has a card once: the same card again answers 200 and the object that is there, with holder and expiry ' +
        'as sent last. Two customers with the same card have an object each.',
      params: customerParams,
      body: paymentMethodBody,
      idempotent: true,
      responses: {
        200: { description: 'Was there already', schema: paymentMethodSchema },
        201: { description: 'Verified and saved', schema: paymentMethodSchema },
        202: { description: 'The customer or the processor has something to do', schema: cardVerificationSchema },
      },
      handler: async (ctx) => {
        requireOwn(ctx.principal, ctx.params.customerId);
        const { card, currency, threeDS, browser, returnUrl } = ctx.body;
        const order = {
          verificationId: ctx.resourceId('cardVerification'),
          card,
          currency,
          request: { threeDS, browser, returnUrl },
        };
        return answerOf(await cardSaving.save(ctx.tenantId, ctx.params.customerId, actorOf(ctx), order));
      },
    }),
    route<unknown, unknown, CardVerificationParams>({
      ...reading,
      path: `${BASE}/{customerId}/cardVerifications/{cardVerificationId}`,
      summary: 'How the verification of a card stands',
      params: cardVerificationParams,
      responses: { 200: { description: 'The verification', schema: cardVerificationSchema } },
      handler: async (ctx) => {
        const { customerId, cardVerificationId } = ctx.params;
        requireOwn(ctx.principal, customerId);
        const found = await cardSaving.verification(ctx.tenantId, customerId, cardVerificationId);
        return { status: 200, body: presentCardVerification(found) };
      },
    }),
    route<unknown, unknown, PaymentMethodParams>({
      ...common,
      method: 'PUT',
      path: `${METHODS}/{paymentMethodId}/default`,
      summary: 'Make a saved card the default',
      params: paymentMethodParams,
      responses: { 200: { description: 'The card; no other is the default now', schema: paymentMethodSchema } },
      handler: async (ctx) => {
        const { customerId, paymentMethodId } = ctx.params;
        requireOwn(ctx.principal, customerId);
        const { tenantId } = ctx;
        const chosen = await paymentMethods.makeDefault(tenantId, customerId, paymentMethodId, actorOf(ctx));
        return { status: 200, body: presentPaymentMethod(chosen) };
      },
    }),
    route<unknown, unknown, PaymentMethodParams>({
      ...common,
      method: 'DELETE',
      path: `${METHODS}/{paymentMethodId}`,
      summary: 'Remove a saved card',
      params: paymentMethodParams,
      responses: { 200: { description: 'Removed', schema: removedMethodSchema } },
      handler: async (ctx) => {
        const { customerId, paymentMethodId } = ctx.params;
        requireOwn(ctx.principal, customerId);
        await paymentMethods.remove(ctx.tenantId, customerId, paymentMethodId, actorOf(ctx));
        return { status: 200, body: { paymentMethodId, deleted: true } };
      },
    }),
  ];
}

function answerOf(saving: Saving): Answer {
  if (saving.kind === 'open') return { status: 202, body: presentCardVerification(saving.verification) };
  if (saving.kind === 'saved') return { status: saving.fresh ? 201 : 200, body: presentPaymentMethod(saving.saved) };
  const { result_code, status_detail } = saving.verification;
  throw new DomainError('card_not_verified', `The card was not saved: ${status_detail} (result code ${result_code})`);
}
