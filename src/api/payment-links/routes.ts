import { presentPaymentLink } from '../../commerce/payment-links/present';
import type { PaymentLinkScope, PaymentLinks } from '../../commerce/payment-links/service';
import { refuse } from '../../domain/errors';
import { actorOf } from '../server/actor';
import type { RequestContext } from '../server/context';
import { listOf, pageOf } from '../server/conventions';
import { type Route, route } from '../server/route';
import {
  type PaymentLinkBody,
  type PaymentLinkParams,
  type PaymentLinkQuery,
  paymentLinkBody,
  paymentLinkParams,
  paymentLinkQuery,
  paymentLinkSchema,
} from './schema';

const BASE = '/payment-links/1.0.0/payment-links';
const DEFAULT_TTL_MS = 30 * 24 * 3_600_000;

export interface PaymentLinkDependencies {
  paymentLinks: PaymentLinks;
}

/** Payment links: a merchant creates them, a tenant admin approves them. */
export function paymentLinkRoutes({ paymentLinks }: PaymentLinkDependencies): Route[] {
  const common = {
    area: 'Payment links',
    roles: ['merchant', 'tenant_admin'] as const,
    identity: 'organizationId' as const,
  };
  const one = { ...common, params: paymentLinkParams };

  return [
    route<PaymentLinkBody>({
      ...common,
      method: 'POST',
      path: BASE,
      summary: 'Create a payment link',
      body: paymentLinkBody,
      optionalBody: true,
      idempotent: true,
      responses: { 201: { description: 'The payment link', schema: paymentLinkSchema } },
      handler: async (ctx) => {
        const { note, expiresAt } = ctx.body;
        const until = expiresAt ? new Date(expiresAt) : new Date(Date.now() + DEFAULT_TTL_MS);
        if (until.getTime() <= Date.now()) refuse('expiresAt', 'must be in the future');
        const order = { id: ctx.resourceId('paymentLink'), note, expiresAt: until };
        return { status: 201, body: presentPaymentLink(await paymentLinks.create(scopeOf(ctx), order, actorOf(ctx))) };
      },
    }),
    route<unknown, PaymentLinkQuery>({
      ...common,
      method: 'GET',
      path: BASE,
      summary: 'List payment links, newest first',
      query: paymentLinkQuery,
      responses: { 200: { description: 'A page of payment links', schema: listOf(paymentLinkSchema) } },
      handler: async (ctx) => {
        const { limit, cursor: before, status } = ctx.query;
        const rows = await paymentLinks.list(scopeOf(ctx), { limit, before, status });
        const { data, nextCursor } = pageOf(rows, limit, ({ id }) => id);
        return { status: 200, body: { data: data.map(presentPaymentLink), nextCursor } };
      },
    }),
    route<unknown, unknown, PaymentLinkParams>({
      ...one,
      method: 'GET',
      path: `${BASE}/{paymentLinkId}`,
      summary: 'One payment link',
      responses: { 200: { description: 'The payment link', schema: paymentLinkSchema } },
      handler: async (ctx) => ({
        status: 200,
        body: presentPaymentLink(await paymentLinks.find(scopeOf(ctx), ctx.params.paymentLinkId)),
      }),
    }),
    route<unknown, unknown, PaymentLinkParams>({
      ...one,
      method: 'POST',
      path: `${BASE}/{paymentLinkId}/approve`,
      roles: ['tenant_admin'],
      summary: 'Approve a payment link',
      description: 'The answer is 409 if it is already approved or has expired.',
      idempotent: true,
      responses: {
        200: { description: 'The payment link is approved', schema: paymentLinkSchema },
        202: { description: 'The approval is recorded and takes effect shortly', schema: paymentLinkSchema },
      },
      handler: async (ctx) => {
        const row = await paymentLinks.approve(scopeOf(ctx), ctx.params.paymentLinkId, actorOf(ctx));
        return { status: row.status === 'approved' ? 200 : 202, body: presentPaymentLink(row) };
      },
    }),
  ];
}

function scopeOf(ctx: RequestContext<unknown, unknown, unknown>): PaymentLinkScope {
  return { tenantId: ctx.tenantId, organizationId: ctx.organizationId };
}
