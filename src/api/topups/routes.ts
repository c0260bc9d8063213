import { DomainError } from '../../domain/errors';
import { parseAmount } from '../../domain/money';
import type { OutboundGuard } from '../../foundation/outbound/guard';
import { isRunning } from '../../money/payments/present';
import { presentTopup, presentTopupRefund } from '../../money/payments/present-topup';
import { brandOf } from '../../money/payments/shown-card';
import type { Topup } from '../../money/payments/topup';
import type { Catalogue, Method } from '../../money/routing/catalogue';
import type { PaymentRouter } from '../../money/routing/router';
import type { HouseAccounts } from '../../money/topups/house-account';
import type { TopupOrder, TopupScope, TopupService } from '../../money/topups/service';
import type { CustomerIdentity } from '../../people/customer-access/identity';
import { type AmountBody, cancelBody, captureBody, refundBody } from '../records/amount-body';
import { topupSchema } from '../records/topup';
import { actorOf } from '../server/actor';
import { amountOf } from '../server/amount';
import type { RequestContext } from '../server/context';
import { listOf, pageOf } from '../server/conventions';
import { csvAnswer } from '../server/csv';
import { requireOwn } from '../server/middleware/scope';
import { type Answer, type Route, route } from '../server/route';
import { challengedBy, givenCode, TWO_FACTOR_TEXT } from '../server/second-factor';
import { EXPORT_COLUMNS } from './export';
import {
  type SecretBody,
  secretBody,
  secretSchema,
  type TopupBody,
  type TopupFilterQuery,
  type TopupListQuery,
  type TopupParams,
  topupBody,
  topupExportQuery,
  topupListQuery,
  topupParams,
} from './schema';

const BASE = '/wallet/1.0.0/topups';

export interface TopupDependencies {
  topups: TopupService;
  house: HouseAccounts;
  identity: CustomerIdentity;
  catalogue: Catalogue;
  router: PaymentRouter;
  outbound: OutboundGuard;
}

/** Top-ups of wallets by card: create, capture, cancel, refund, read and export them. */
export function topupRoutes(deps: TopupDependencies): Route[] {
  const { topups, house } = deps;
  const common = {
    area: 'Top-ups',
    roles: ['customer', 'tenant_admin'] as const,
    identity: 'tenantId' as const,
  };
  const reading = {
    ...common,
    method: 'GET' as const,
    roles: ['customer', 'merchant', 'tenant_admin', 'ops'] as const,
  };
  const acting = { ...common, method: 'POST' as const, params: topupParams, idempotent: true, optionalBody: true };
  const answer = (done: 200 | 201, found: Topup, running = isRunning(found.payment)): Answer => ({
    status: running ? 202 : done,
    body: presentTopup(found),
  });
  const responses = (done: 200 | 201, description: string) => ({
    [done]: { description, schema: topupSchema },
    202: { description: 'The top-up is accepted, but not finished', schema: topupSchema },
  });

  async function create(ctx: RequestContext<TopupBody>): Promise<Answer> {
    const { customerId, currency, card, savedCardId, ...body } = ctx.body;
    requireOwn(ctx.principal, customerId);
    const refusal = body.notificationUrl && deps.outbound.refusal(body.notificationUrl);
    if (refusal) refuse('notificationUrl', refusal);
    const money = { amountMinor: parseAmount(body.amount, currency), currency };
    const method = await chooseMethod(deps.catalogue, ctx.tenantId, ctx.body);
    const { organizationId } = await house.of(ctx.tenantId);
    const wanted = { methodId: method.id, kind: method.kind, ...money };
    const chosen = await deps.router.choose(ctx.tenantId, organizationId, wanted, method.processor);
    const who = challengedBy(ctx, customerId, `to top up your wallet with ${body.amount} ${currency}`);
    await deps.identity.secondFactor.require(who, 'funding', givenCode(ctx.headers));
    const { returnUrl, notificationUrl, browser, storeCard } = body;
    // Whoever pays does not choose whether the issuer asks: a thief with a token and a card would.
    const threeDS = ctx.principal.customerId && body.threeDS === 'none' ? 'auto' : body.threeDS;
    const created = await topups.create(scopeOf(ctx), {
      topupId: ctx.resourceId('topup'),
      tenantId: ctx.tenantId,
      customerId,
      method,
      processor: chosen.processors[0]!,
      ...money,
      captureMode: body.capture,
      card,
      savedCardId,
      details: { returnUrl, notificationUrl, threeDS, browser, storeCard, route: chosen },
      payer: payerOf(ctx),
      requestId: ctx.requestId,
    });
    return answer(201, created);
  }

  return [
    route<TopupBody>({
      ...common,
      method: 'POST',
      path: BASE,
      summary: 'Top up a wallet by card',
      description:
        'Send a card or use a saved one. The answer is 201 with the outcome, which may be a decline, or 202 while ' +
        'the payer or the processor has to act (`action`). At capture we credit the wallet with `netAmount` and hold ' +
        'it; it is available after settlement. Customers top up their own wallet; a tenant admin can do it for them. ' +
        `${TWO_FACTOR_TEXT}`,
      body: topupBody,
      idempotent: true,
      responses: responses(201, 'The outcome'),
      handler: create,
    }),
    route<unknown, TopupListQuery>({
      ...reading,
      path: BASE,
      summary: 'List top-ups, newest first',
      description: 'Customers see their own. Merchants see those that they have sold by payment links.',
      query: topupListQuery,
      responses: { 200: { description: 'A page of top-ups', schema: listOf(topupSchema) } },
      handler: async (ctx) => {
        const page = pageOf(await topups.list(scopeOf(ctx), ctx.query), ctx.query.limit, ({ topup }) => topup.id);
        return { status: 200, body: { ...page, data: page.data.map(presentTopup) } };
      },
    }),
    route<unknown, TopupFilterQuery>({
      ...reading,
      path: `${BASE}/export`,
      summary: 'Export top-ups as CSV, newest first',
      query: topupExportQuery,
      responses: { 200: { description: 'The table with a header line', contentType: 'text/csv' } },
      handler: async (ctx) => csvAnswer('top-ups', EXPORT_COLUMNS, topups.export(scopeOf(ctx), ctx.query)),
    }),
    route<SecretBody>({
      ...common,
      method: 'POST',
      roles: ['tenant_admin'],
      path: `${BASE}/notification-secret/rotate`,
      summary: 'Replace the secret that signs notifications about top-ups',
      description: 'Only this answer has the new value. For `overlapSeconds` we also sign with the old value.',
      body: secretBody,
      optionalBody: true,
      idempotent: true,
      responses: { 200: { description: 'The new value', schema: secretSchema } },
      handler: async (ctx) => {
        const by = { actor: ctx.principal.clientId, source: ctx.source };
        const { secret, since } = await house.rotateSecret(ctx.tenantId, ctx.body.overlapSeconds! * 1_000, by);
        return { status: 200, body: { value: secret, since } };
      },
    }),
    route<unknown, unknown, TopupParams>({
      ...reading,
      path: `${BASE}/{topupId}`,
      summary: 'One top-up, with its refunds',
      params: topupParams,
      responses: { 200: { description: 'The top-up', schema: topupSchema } },
      handler: async (ctx) => {
        const found = await topups.byId(scopeOf(ctx), ctx.params.topupId);
        const refunds = await topups.refunds(found);
        return { status: 200, body: { ...presentTopup(found), refunds: refunds.map(presentTopupRefund) } };
      },
    }),
    route<AmountBody, unknown, TopupParams>({
      ...acting,
      path: `${BASE}/{topupId}/capture`,
      summary: 'Capture an authorized top-up',
      description:
        'You can capture at most the authorized amount. The rest is released. The fee depends on the captured ' +
        'amount.',
      body: captureBody,
      responses: responses(200, 'Captured'),
      handler: async (ctx) => {
        const id = ctx.resourceId('capture');
        const found = await topups.capture(scopeOf(ctx), ctx.params.topupId, id, amountOf(ctx.body));
        return answer(200, found, found.payment.status === 'authorized');
      },
    }),
    route<unknown, unknown, TopupParams>({
      ...acting,
      path: `${BASE}/{topupId}/cancel`,
      summary: 'Cancel a top-up before its capture',
      body: cancelBody,
      responses: responses(200, 'Cancelled'),
      handler: async (ctx) => {
        const found = await topups.cancel(scopeOf(ctx), ctx.params.topupId, ctx.resourceId('cancellation'));
        return answer(200, found, isRunning(found.payment) || found.payment.status === 'authorized');
      },
    }),
    route<AmountBody, unknown, TopupParams>({
      ...acting,
      path: `${BASE}/{topupId}/refund`,
      summary: 'Refund a top-up out of the wallet',
      description:
        'Without an amount we refund everything that is left. The card gets `amount`. A proportional part of the fee ' +
        'goes back, and the rest comes out of the wallet. The last refund returns what is left of the fee. The ' +
        'answer is 422 `insufficient_funds` if the wallet has too little.',
      body: refundBody,
      responses: responses(201, 'The refund succeeded or was declined'),
      handler: async (ctx) => {
        const { refund, ...found } = await topups.refund(scopeOf(ctx), ctx.params.topupId, {
          refundId: ctx.resourceId('refund'),
          amountFor: amountOf(ctx.body),
          reason: ctx.body.reason,
        });
        const body = { ...presentTopup(found), refund: presentTopupRefund(refund) };
        return { status: refund.status === 'pending' ? 202 : 201, body };
      },
    }),
  ];
}

/** Of a customer who calls by itself we know where from: what it says of that does not count. */
function payerOf({ principal, source }: RequestContext<unknown, unknown, unknown>): TopupOrder['payer'] {
  return principal.customerId ? { ipAddress: source } : undefined;
}

function scopeOf(ctx: RequestContext<unknown, unknown, unknown>): TopupScope {
  const { tenantId, principal } = ctx;
  const { customerId, organizationId } = principal;
  return { tenantId, customerId, sellerId: organizationId, actor: actorOf(ctx) };
}

/** The enabled method for the card's brand. Without one, the first card method. */
async function chooseMethod(catalogue: Catalogue, tenantId: string, { card, currency }: TopupBody): Promise<Method> {
  const cards = (await catalogue.list(tenantId)).filter(({ kind, enabled }) => kind === 'card' && enabled);
  if (cards.length === 0) throw new DomainError('method_not_enabled', 'No card method is enabled');
  const taking = cards.filter(({ currencies }) => currencies.length === 0 || currencies.includes(currency));
  const brand = card && brandOf(card.number);
  const method = taking.find((candidate) => candidate.brand === brand) ?? taking[0];
  if (!method) throw new DomainError('currency_not_supported', 'No card method takes this currency');
  return method;
}

function refuse(field: string, message: string): never {
  throw new DomainError('invalid_request', `${field} ${message}`, { details: [{ field, message }] });
}
