import { moneyRequestSchema, presentMoneyRequest } from '../records/money-request';
import { actingOf, moneyOf, namedBy, requireCustomer } from '../server/acting';
import type { RequestContext } from '../server/context';
import { listOf, pageOf } from '../server/conventions';
import { requireOwn } from '../server/middleware/scope';
import { type Route, route } from '../server/route';
import { TWO_FACTOR_TEXT } from '../server/second-factor';
import { BASE, instantOf, ownIdOf, posting, reading } from './acting';
import type { P2pDependencies } from './dependencies';
import {
  type MoneyRequestBody,
  moneyRequestBody,
  type RequestParams,
  type RequestQuery,
  requestParams,
  requestQuery,
} from './schema';

const REQUESTS = `${BASE}/requests`;
const ONE = `${REQUESTS}/{requestId}`;

/** Asking another customer for money. */
export function moneyRequestRoutes({ moneyRequests, identity }: P2pDependencies): Route[] {
  const one = { ...posting, params: requestParams };
  const answer = (description: string) => ({ 200: { description, schema: moneyRequestSchema } });
  const actOn = (ctx: RequestContext<unknown, unknown, RequestParams>) => ({
    tenantId: ctx.tenantId,
    requestId: ctx.params.requestId,
    customerId: ownIdOf(ctx),
    acting: actingOf(ctx),
  });
  return [
    route<MoneyRequestBody>({
      ...posting,
      path: REQUESTS,
      summary: 'Ask another customer for money',
      description:
        'The request waits until the payer answers or it expires. The answer is 404 if the payer has not joined ' +
        `transfers. Customers whose \`trading\` setting is on need the second factor. ${TWO_FACTOR_TEXT}`,
      body: moneyRequestBody,
      responses: { 201: { description: 'The request is sent', schema: moneyRequestSchema } },
      handler: async (ctx) => {
        const { requesterId, payer, note, expiresAt } = ctx.body;
        await requireCustomer(ctx, identity.secondFactor, requesterId, 'trading');
        const request = await moneyRequests.ask({
          requestId: ctx.resourceId('moneyRequest'),
          tenantId: ctx.tenantId,
          requesterId,
          payer: namedBy(payer),
          money: moneyOf(ctx.body),
          note,
          expiresAt: instantOf(expiresAt),
          acting: actingOf(ctx),
        });
        return { status: 201, body: presentMoneyRequest(request) };
      },
    }),
    route<unknown, unknown, RequestParams>({
      ...one,
      path: `${ONE}/accept`,
      summary: 'Pay a request for money, as the payer',
      description:
        'The payment is a transfer that settles at once. Payers whose `funding` setting is on need the second ' +
        `factor. ${TWO_FACTOR_TEXT}`,
      responses: answer('Paid'),
      handler: async (ctx) => {
        const own = ownIdOf(ctx);
        if (own) {
          const { amount, currency, requesterId } = presentMoneyRequest(
            await moneyRequests.find(ctx.tenantId, ctx.params.requestId, own),
          );
          await requireCustomer(
            ctx,
            identity.secondFactor,
            own,
            'funding',
            `to pay ${amount} ${currency} to ${requesterId}`,
          );
        }
        const request = await moneyRequests.pay(actOn(ctx), ctx.resourceId('transfer'));
        return { status: 200, body: presentMoneyRequest(request) };
      },
    }),
    route<unknown, unknown, RequestParams>({
      ...one,
      path: `${ONE}/decline`,
      summary: 'Decline a request for money, as the payer',
      responses: answer('Declined'),
      handler: async (ctx) => ({ status: 200, body: presentMoneyRequest(await moneyRequests.decline(actOn(ctx))) }),
    }),
    route<unknown, unknown, RequestParams>({
      ...one,
      path: `${ONE}/cancel`,
      summary: 'Cancel a request for money, as the requester',
      responses: answer('Cancelled'),
      handler: async (ctx) => ({ status: 200, body: presentMoneyRequest(await moneyRequests.cancel(actOn(ctx))) }),
    }),
    route<unknown, RequestQuery>({
      ...reading,
      path: REQUESTS,
      summary: 'Requests for money, newest first. Customers see their own',
      query: requestQuery,
      responses: { 200: { description: 'A page of requests', schema: listOf(moneyRequestSchema) } },
      handler: async (ctx) => {
        const { customerId, limit } = ctx.query;
        if (customerId) requireOwn(ctx.principal, customerId);
        const filter = { ...ctx.query, customerId: customerId ?? ownIdOf(ctx) };
        const page = pageOf(await moneyRequests.list(ctx.tenantId, filter), limit, ({ id }) => id);
        return { status: 200, body: { ...page, data: page.data.map(presentMoneyRequest) } };
      },
    }),
    route<unknown, unknown, RequestParams>({
      ...reading,
      path: ONE,
      summary: 'One request for money',
      params: requestParams,
      responses: answer('The request'),
      handler: async (ctx) => {
        const request = await moneyRequests.find(ctx.tenantId, ctx.params.requestId, ownIdOf(ctx));
        return { status: 200, body: presentMoneyRequest(request) };
      },
    }),
  ];
}
