import type { GoodsScope, Seller } from '../../commerce/inventory/service';
import type { OrderedLine } from '../../commerce/orders/order';
import { presentOrder } from '../../commerce/orders/present';
import type { Orders } from '../../commerce/orders/service';
import { parseAmount } from '../../domain/money';
import { orderSchema } from '../records/order';
import { actorOf } from '../server/actor';
import type { RequestContext } from '../server/context';
import { listOf, pageOf } from '../server/conventions';
import { type Route, route } from '../server/route';
import {
  type LineBody,
  type OrderBody,
  type OrderParams,
  type OrderQuery,
  orderBody,
  orderParams,
  orderQuery,
} from './schema';

const BASE = '/orders/1.0.0/orders';

export interface OrderDependencies {
  orders: Orders;
}

/** What buyers order: sellers make orders, which hold stock until they are paid, expired or cancelled. */
export function orderRoutes({ orders }: OrderDependencies): Route[] {
  const reading = { area: 'Orders', roles: ['merchant', 'tenant_admin', 'ops'] as const };
  const selling = { area: 'Orders', roles: ['merchant'] as const, method: 'POST' as const, idempotent: true };
  return [
    route<OrderBody>({
      ...selling,
      path: BASE,
      summary: 'Create an order',
      description:
        'It reserves the pieces of all its lines, or none. The answer is 422 `out_of_stock` or `item_not_approved` if ' +
        'that is not possible; `details` names each such line. An order that nobody pays in time expires and gives ' +
        'its pieces back.',
      body: orderBody,
      responses: { 201: { description: 'The order', schema: orderSchema } },
      handler: async (ctx) => {
        const { currency, reference } = ctx.body;
        const lines = ctx.body.lines.map((line) => lineOf(line, currency));
        const request = { id: ctx.resourceId('order'), currency, lines, reference };
        return { status: 201, body: presentOrder(await orders.create(sellerOf(ctx), request, actorOf(ctx))) };
      },
    }),
    route<unknown, OrderQuery>({
      ...reading,
      method: 'GET',
      path: BASE,
      summary: 'List orders, newest first',
      query: orderQuery,
      responses: { 200: { description: 'A page of orders', schema: listOf(orderSchema) } },
      handler: async (ctx) => {
        const page = pageOf(await orders.list(scopeOf(ctx), ctx.query), ctx.query.limit, ({ row }) => row.id);
        return { status: 200, body: { ...page, data: page.data.map(presentOrder) } };
      },
    }),
    route<unknown, unknown, OrderParams>({
      ...reading,
      method: 'GET',
      path: `${BASE}/{orderId}`,
      summary: 'One order',
      params: orderParams,
      responses: { 200: { description: 'The order', schema: orderSchema } },
      handler: async (ctx) => ({
        status: 200,
        body: presentOrder(await orders.find(scopeOf(ctx), ctx.params.orderId)),
      }),
    }),
    route<unknown, unknown, OrderParams>({
      ...selling,
      path: `${BASE}/{orderId}/cancel`,
      summary: 'Cancel an order',
      description: 'Its pieces are free again. The answer is 409 if it is paid or expired, or if somebody is paying.',
      params: orderParams,
      responses: { 200: { description: 'The order', schema: orderSchema } },
      handler: async (ctx) => ({
        status: 200,
        body: presentOrder(await orders.cancel(sellerOf(ctx), ctx.params.orderId, actorOf(ctx))),
      }),
    }),
  ];
}

function lineOf(line: LineBody, currency: string): OrderedLine {
  if ('itemId' in line) return { itemId: line.itemId, quantity: line.quantity };
  const { description, amount, quantity } = line;
  return { description, unitMinor: parseAmount(amount, currency), quantity };
}

type Context = RequestContext<unknown, unknown, unknown>;

function sellerOf(ctx: Context): Seller {
  return { tenantId: ctx.tenantId, organizationId: ctx.organizationId };
}

function scopeOf(ctx: Context): GoodsScope {
  return { tenantId: ctx.tenantIdIfAny, organizationId: ctx.organizationIdIfAny };
}
