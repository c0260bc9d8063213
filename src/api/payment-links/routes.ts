import Joi from 'joi';
import type { PaymentLinkRow } from '../../commerce/payment-links/payment-link';
import { presentPaymentLink, presentShare } from '../../commerce/payment-links/present';
import type { PaymentLinkPage, PaymentLinks } from '../../commerce/payment-links/service';
import { refuse } from '../../domain/errors';
import { formatAmount } from '../../domain/money';
import type { OutboundGuard } from '../../foundation/outbound/guard';
import type { Terminals } from '../../people/identity/terminals';
import { paymentLinkSchema } from '../records/payment-link';
import { actorOf } from '../server/actor';
import type { RequestContext } from '../server/context';
import { listOf, type Paging, pageOf, paging } from '../server/conventions';
import { type Answer, type Route, route } from '../server/route';
import { chooseTerminal } from '../server/terminal';
import { askedOf } from './asked';
import {
  expiryBody,
  type PaymentLinkBody,
  type PaymentLinkParams,
  paymentLinkBody,
  paymentLinkParams,
  paymentLinkQuery,
  type ShareBody,
  type ShareParams,
  shareBody,
  shareParams,
  shareSchema,
  statisticsSchema,
  wrongRecipient,
} from './schema';
import { scopeOf } from './scope';

const BASE = '/payment-links/1.0.0/links';
const ONE = `${BASE}/{linkId}`;
const DEFAULT_TTL_MS = 30 * 24 * 3_600_000;

export interface PaymentLinkDependencies {
  paymentLinks: PaymentLinks;
  terminals: Terminals;
  outbound: OutboundGuard;
}

/** Payment links: a merchant creates and shares them, buyers pay on the page at their `url`. */
export function paymentLinkRoutes({ paymentLinks, terminals, outbound }: PaymentLinkDependencies): Route[] {
  const common = { area: 'Payment links', roles: ['merchant', 'tenant_admin'] as const };
  const one = { ...common, params: paymentLinkParams };
  const link = { description: 'The payment link', schema: paymentLinkSchema };
  const present = (row: PaymentLinkRow) => presentPaymentLink(row, paymentLinks.urlOf(row));
  const shown = async (ctx: RequestContext<unknown, unknown, unknown>, id: string): Promise<Answer> => {
    const { link: row, decisions } = await paymentLinks.find(scopeOf(ctx), id);
    return { status: 200, body: presentPaymentLink(row, paymentLinks.urlOf(row), decisions) };
  };

  return [
    route<PaymentLinkBody>({
      ...common,
      roles: ['merchant'],
      method: 'POST',
      path: BASE,
      summary: 'Create a payment link',
      description:
        'A link asks for one order, for `lines` of which each buyer gets an order of their own, or for an amount ' +
        'that the buyer chooses. It waits for an approval where the settings of the tenant or `approval` ask for ' +
        'one; else buyers can pay at once.',
      body: paymentLinkBody,
      idempotent: true,
      responses: { 201: link },
      handler: async (ctx) => {
        const { body } = ctx;
        const refusal = body.notificationUrl && outbound.refusal(body.notificationUrl);
        if (refusal) refuse('notificationUrl', refusal);
        const order = {
          ...body,
          id: ctx.resourceId('paymentLink'),
          terminalId: await chooseTerminal(terminals, ctx),
          asked: askedOf(body),
          isApprovalAskedFor: body.approval === 'required',
          expiresAt: body.expiresAt ? new Date(body.expiresAt) : new Date(Date.now() + DEFAULT_TTL_MS),
        };
        const scope = { tenantId: ctx.tenantId, organizationId: ctx.organizationId };
        return { status: 201, body: present(await paymentLinks.create(scope, order, actorOf(ctx))) };
      },
    }),
    route<unknown, PaymentLinkPage>({
      ...common,
      method: 'GET',
      path: BASE,
      summary: 'List payment links, newest first',
      query: paymentLinkQuery,
      responses: { 200: { description: 'A page of payment links', schema: listOf(paymentLinkSchema) } },
      handler: async (ctx) => {
        const page = pageOf(await paymentLinks.list(scopeOf(ctx), ctx.query), ctx.query.limit, ({ id }) => id);
        return { status: 200, body: { ...page, data: page.data.map(present) } };
      },
    }),
    route<unknown, unknown, PaymentLinkParams>({
      ...one,
      method: 'GET',
      path: ONE,
      summary: 'One payment link',
      responses: { 200: link },
      handler: (ctx) => shown(ctx, ctx.params.linkId),
    }),
    route<unknown, unknown, PaymentLinkParams>({
      ...one,
      method: 'GET',
      path: `${ONE}/statistics`,
      summary: 'How often a payment link was opened, tried and paid',
      responses: { 200: { description: 'The statistics', schema: statisticsSchema } },
      handler: async (ctx) => {
        const { amountMinor, ...counts } = await paymentLinks.statistics(scopeOf(ctx), ctx.params.linkId);
        return { status: 200, body: { ...counts, amount: formatAmount(amountMinor, counts.currency) } };
      },
    }),
    route<unknown, unknown, PaymentLinkParams>({
      ...one,
      method: 'POST',
      path: `${ONE}/disable`,
      summary: 'Disable a payment link',
      description: 'Nobody can begin to pay by it any more; who pays already goes on.',
      idempotent: true,
      responses: { 200: link },
      handler: async (ctx) => {
        await paymentLinks.disable(scopeOf(ctx), ctx.params.linkId, actorOf(ctx));
        return shown(ctx, ctx.params.linkId);
      },
    }),
    route<unknown, unknown, PaymentLinkParams>({
      ...one,
      method: 'POST',
      path: `${ONE}/enable`,
      summary: 'Enable a disabled payment link',
      idempotent: true,
      responses: { 200: link },
      handler: async (ctx) => {
        await paymentLinks.enable(scopeOf(ctx), ctx.params.linkId, actorOf(ctx));
        return shown(ctx, ctx.params.linkId);
      },
    }),
    route<{ expiresAt: string }, unknown, PaymentLinkParams>({
      ...one,
      roles: ['merchant'],
      method: 'POST',
      path: `${ONE}/expiry`,
      summary: 'Change when a payment link expires',
      body: expiryBody,
      idempotent: true,
      responses: { 200: link },
      handler: async (ctx) => {
        const until = new Date(ctx.body.expiresAt);
        await paymentLinks.changeExpiry(scopeOf(ctx), ctx.params.linkId, until, actorOf(ctx));
        return shown(ctx, ctx.params.linkId);
      },
    }),
    route<ShareBody, unknown, PaymentLinkParams>({
      ...one,
      roles: ['merchant'],
      method: 'POST',
      path: `${ONE}/share`,
      summary: 'Share a payment link',
      description:
        'By e-mail (with a QR code) and SMS we send it; with `external` you record that you have sent it yourself. ' +
        'The answer is 409 if nobody can pay by it.',
      body: shareBody,
      idempotent: true,
      responses: { 201: { description: 'The delivery record', schema: shareSchema } },
      handler: async (ctx) => {
        const wrong = wrongRecipient(ctx.body);
        if (wrong) refuse('to', wrong);
        const order = { id: ctx.resourceId('linkShare'), ...ctx.body };
        const share = await paymentLinks.share(scopeOf(ctx), ctx.params.linkId, order, actorOf(ctx));
        return { status: 201, body: presentShare(share) };
      },
    }),
    route<unknown, Paging, PaymentLinkParams>({
      ...one,
      method: 'GET',
      path: `${ONE}/shares`,
      summary: 'With whom a payment link was shared, newest first',
      query: Joi.object(paging()),
      responses: { 200: { description: 'A page of delivery records', schema: listOf(shareSchema) } },
      handler: async (ctx) => {
        const rows = await paymentLinks.listShares(scopeOf(ctx), ctx.params.linkId, ctx.query);
        const page = pageOf(rows, ctx.query.limit, ({ id }) => id);
        return { status: 200, body: { ...page, data: page.data.map(presentShare) } };
      },
    }),
    route<unknown, unknown, ShareParams>({
      ...common,
      roles: ['merchant'],
      method: 'POST',
      path: `${ONE}/shares/{shareId}/resend`,
      summary: 'Send a payment link once more to the same person',
      params: shareParams,
      idempotent: true,
      responses: { 200: { description: 'The delivery record', schema: shareSchema } },
      handler: async (ctx) => {
        const { linkId, shareId } = ctx.params;
        const share = await paymentLinks.shareAgain(scopeOf(ctx), linkId, shareId, actorOf(ctx));
        return { status: 200, body: presentShare(share) };
      },
    }),
  ];
}
