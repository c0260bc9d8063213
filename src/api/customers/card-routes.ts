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

/** The saved cards of a customer: list them, verify and save one, make one the default, remove one. */
export function cardRoutes({ paymentMethods, cardSaving }: CardDependencies): Route[] {
  const common = { area: 'Customers', roles: ['tenant_admin', 'customer'] as const, identity: 'tenantId' as const };
  const reading = { ...common, method: 'GET' as const, roles: ['tenant_admin', 'ops', 'customer'] as const };

  return [
    route<unknown, unknown, CustomerParams>({
      ...reading,
      path: METHODS,
      summary: 'Saved cards of a customer, newest first',
      params: customerParams,
      responses: { 200: { description: 'All saved cards', schema: listOf(paymentMethodSchema) } },
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
      summary: 'Save a card for a customer after its issuer has verified it',
      description:
        'We authorize an amount of zero to verify the card. If the issuer asks for 3-D Secure, the answer is 202 ' +
        'with an `action` for the customer; read the verification to see the outcome. If the issuer refuses, the ' +
        'answer is 422 `card_not_verified`. A customer saves a card only once: when you send the same card again, ' +
        'the answer is 200 with the saved card and the new holder and expiry. Two customers can save the same card; ' +
        'each has a saved card of their own.',
      params: customerParams,
      body: paymentMethodBody,
      idempotent: true,
      responses: {
        200: { description: 'The customer already had this card', schema: paymentMethodSchema },
        201: { description: 'The card is verified and saved', schema: paymentMethodSchema },
        202: { description: 'The customer or the processor has to act first', schema: cardVerificationSchema },
      },
      handler: async (ctx) => {
        requireOwn(ctx.principal, ctx.params.customerId);
        const { card, currency, threeDS, browser, returnUrl } = ctx.body;
        const order = {
          verificationId: ctx.resourceId('cardVerification'),
          card,
          currency,
          // What a customer says of its own address does not count.
          request: {
            threeDS,
            browser,
            returnUrl,
            payerAddress: ctx.principal.customerId ? ctx.source : (browser?.ipAddress as string | undefined),
          },
        };
        return answerOf(await cardSaving.save(ctx.tenantId, ctx.params.customerId, actorOf(ctx), order));
      },
    }),
    route<unknown, unknown, CardVerificationParams>({
      ...reading,
      path: `${BASE}/{customerId}/cardVerifications/{cardVerificationId}`,
      summary: 'The status of a card verification',
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
      responses: { 200: { description: 'The card, which is now the only default', schema: paymentMethodSchema } },
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
      responses: { 200: { description: 'The card is removed', schema: removedMethodSchema } },
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
