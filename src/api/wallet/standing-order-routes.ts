import Joi from 'joi';
import type { Frequency } from '../../money/p2p/occurrences';
import type { StandingOrderStatus } from '../../money/standing-orders/order';
import type { StandingOrders } from '../../money/standing-orders/service';
import type { CustomerIdentity } from '../../people/customer-access/identity';
import { note, somebody } from '../records/recipient';
import { frequency, presentStandingOrder, standingOrderSchema, standingOrderStatus } from '../records/standing-order';
import { common as acting, actingOf, moneyOf, namedBy, requireCustomer } from '../server/acting';
import { amount, currency, day, id, listOf, pageOf, paging } from '../server/conventions';
import { requireOwn } from '../server/middleware/scope';
import { type CustomerParams, customerParams, type PageQuery, pageQuery } from '../server/params';
import { type Route, route } from '../server/route';
import { TWO_FACTOR_TEXT } from '../server/second-factor';
import { presentRun, runSchema } from './standing-order-schema';

const PATH = '/wallet/1.0.0/customers/{customerId}/standing-orders';
const ONE = `${PATH}/{standingOrderId}`;

interface StandingOrderBody {
  beneficiaryId?: string;
  recipient?: string;
  amount: string;
  currency: string;
  note?: string;
  frequency: Frequency;
  firstDate: string;
  lastDate?: string;
}
interface StandingOrderQuery extends PageQuery {
  status?: StandingOrderStatus;
}
interface StandingOrderParams extends CustomerParams {
  standingOrderId: string;
}

const standingOrderBody = Joi.object<StandingOrderBody>({
  beneficiaryId: id('beneficiary').description('A saved recipient'),
  recipient: somebody(),
  amount: amount().required(),
  currency: currency().required(),
  note: note(),
  frequency: frequency().required().description('A day that a month lacks is that month’s last'),
  firstDate: day().required().description('UTC; today: at once, later: at 06:00'),
  lastDate: day().description('Absent: until it is cancelled'),
}).xor('beneficiaryId', 'recipient');
const standingOrderQuery = Joi.object<StandingOrderQuery>({ ...paging(), status: standingOrderStatus() });
const standingOrderParams = Joi.object<StandingOrderParams>({
  customerId: Joi.string().max(100).required(),
  standingOrderId: Joi.string().max(100).required(),
});

export interface StandingOrderDependencies {
  standingOrders: StandingOrders;
  identity: Pick<CustomerIdentity, 'secondFactor'>;
}

/** Standing orders: transfers of the same amount, again and again. */
export function standingOrderRoutes({ standingOrders, identity }: StandingOrderDependencies): Route[] {
  const common = { ...acting, area: 'Wallets' };
  const reading = { ...common, method: 'GET' as const, roles: ['tenant_admin', 'ops', 'customer'] as const };
  const asked = `A customer gives the second factor where \`trading\` is on: ${TWO_FACTOR_TEXT}`;

  const step = (name: 'pause' | 'resume' | 'cancel', summary: string): Route =>
    route<unknown, unknown, StandingOrderParams>({
      ...common,
      method: 'POST',
      path: `${ONE}/${name}`,
      summary,
      description: asked,
      params: standingOrderParams,
      idempotent: true,
      responses: { 200: { description: 'The order', schema: standingOrderSchema } },
      handler: async (ctx) => {
        const { customerId, standingOrderId } = ctx.params;
        await requireCustomer(ctx, identity.secondFactor, customerId, 'trading');
        const order = await standingOrders[name](ctx.tenantId, customerId, standingOrderId, actingOf(ctx));
        return { status: 200, body: presentStandingOrder(order) };
      },
    });

  return [
    route<StandingOrderBody, unknown, CustomerParams>({
      ...common,
      method: 'POST',
      path: PATH,
      summary: 'Give a standing order',
      description:
        'To a saved recipient, or to somebody named as in a transfer. Each time it is due a transfer is made, once, as if it ' +
        'were sent then; one that is refused is in the list of runs, and the customer is told by e-mail. 404 for a ' +
        `recipient who has not joined transfers. ${asked}`,
      params: customerParams,
      body: standingOrderBody,
      idempotent: true,
      responses: { 201: { description: 'The order', schema: standingOrderSchema } },
      handler: async (ctx) => {
        const { customerId } = ctx.params;
        await requireCustomer(ctx, identity.secondFactor, customerId, 'trading');
        const { beneficiaryId, recipient, note, frequency, firstDate, lastDate } = ctx.body;
        const order = await standingOrders.create({
          orderId: ctx.resourceId('transferSchedule'),
          tenantId: ctx.tenantId,
          customerId,
          to: beneficiaryId ? { beneficiaryId } : { recipient: namedBy(recipient!) },
          money: moneyOf(ctx.body),
          note,
          frequency,
          firstDate,
          lastDate,
          acting: actingOf(ctx),
        });
        return { status: 201, body: presentStandingOrder(order) };
      },
    }),
    step('pause', 'Pause a standing order: what is due is skipped, and told by e-mail'),
    step('resume', 'Resume a standing order; what was skipped is not made up for'),
    step('cancel', 'End a standing order for good'),
    route<unknown, StandingOrderQuery, CustomerParams>({
      ...reading,
      path: PATH,
      summary: 'Standing orders of a customer, newest first',
      params: customerParams,
      query: standingOrderQuery,
      responses: { 200: { description: 'A page of them', schema: listOf(standingOrderSchema) } },
      handler: async (ctx) => {
        requireOwn(ctx.principal, ctx.params.customerId);
        const found = await standingOrders.list(ctx.tenantId, ctx.params.customerId, ctx.query);
        const page = pageOf(found, ctx.query.limit, ({ id }) => id);
        return { status: 200, body: { ...page, data: page.data.map(presentStandingOrder) } };
      },
    }),
    route<unknown, unknown, StandingOrderParams>({
      ...reading,
      path: ONE,
      summary: 'One standing order',
      params: standingOrderParams,
      responses: { 200: { description: 'The order', schema: standingOrderSchema } },
      handler: async (ctx) => {
        const { customerId, standingOrderId } = ctx.params;
        requireOwn(ctx.principal, customerId);
        const order = await standingOrders.find(ctx.tenantId, customerId, standingOrderId);
        return { status: 200, body: presentStandingOrder(order) };
      },
    }),
    route<unknown, PageQuery, StandingOrderParams>({
      ...reading,
      path: `${ONE}/runs`,
      summary: 'What became of each time it was due, newest first',
      params: standingOrderParams,
      query: pageQuery,
      responses: { 200: { description: 'A page of runs', schema: listOf(runSchema) } },
      handler: async (ctx) => {
        const { customerId, standingOrderId } = ctx.params;
        requireOwn(ctx.principal, customerId);
        const found = await standingOrders.runs(ctx.tenantId, customerId, standingOrderId, ctx.query);
        const page = pageOf(found, ctx.query.limit, ({ due_at }) => due_at.toISOString());
        return { status: 200, body: { ...page, data: page.data.map(presentRun) } };
      },
    }),
  ];
}
