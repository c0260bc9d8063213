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
  frequency: frequency()
    .required()
    .description('If a month does not have the day, the transfer is made on its last day'),
  firstDate: day()
    .required()
    .description('A day in UTC. Today means at once; on a later day the transfer is made at 06:00'),
  lastDate: day().description('If absent, the order runs until it is cancelled'),
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

/** Standing orders: repeated transfers of the same amount. */
export function standingOrderRoutes({ standingOrders, identity }: StandingOrderDependencies): Route[] {
  const common = { ...acting, area: 'Wallets' };
  const reading = { ...common, method: 'GET' as const, roles: ['tenant_admin', 'ops', 'customer'] as const };
  const asked = `Customers whose \`funding\` setting is on need the second factor. ${TWO_FACTOR_TEXT}`;

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
        await requireCustomer(ctx, identity.secondFactor, customerId, 'funding', `to ${name} a standing order`);
        const order = await standingOrders[name](ctx.tenantId, customerId, standingOrderId, actingOf(ctx));
        return { status: 200, body: presentStandingOrder(order) };
      },
    });

  return [
    route<StandingOrderBody, unknown, CustomerParams>({
      ...common,
      method: 'POST',
      path: PATH,
      summary: 'Create a standing order',
      description:
        'Name a saved recipient, or somebody else as in a transfer. Each time the order is due we make one transfer, ' +
        'as if the customer sent it then. If the transfer is refused, the list of runs shows it and the customer ' +
        `gets an e-mail. The answer is 404 if the recipient has not joined transfers. ${asked}`,
      params: customerParams,
      body: standingOrderBody,
      idempotent: true,
      responses: { 201: { description: 'The order', schema: standingOrderSchema } },
      handler: async (ctx) => {
        const { customerId } = ctx.params;
        const { amount, currency } = ctx.body;
        const words = `to send ${amount} ${currency} to ${ctx.body.recipient ?? ctx.body.beneficiaryId}, ${ctx.body.frequency}`;
        await requireCustomer(ctx, identity.secondFactor, customerId, 'funding', words);
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
    step('pause', 'Pause a standing order. Due transfers are skipped, and the customer gets an e-mail'),
    step('resume', 'Resume a standing order. Skipped transfers are not made up for'),
    step('cancel', 'End a standing order for good'),
    route<unknown, StandingOrderQuery, CustomerParams>({
      ...reading,
      path: PATH,
      summary: 'Standing orders of a customer, newest first',
      params: customerParams,
      query: standingOrderQuery,
      responses: { 200: { description: 'A page of standing orders', schema: listOf(standingOrderSchema) } },
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
      summary: 'The runs of a standing order with their outcome, newest first',
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
