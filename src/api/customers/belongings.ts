import { listOf, pageOf } from '../conventions';
import { requireOwn } from '../middleware/scope';
import { type Route, route } from '../route';
import { presentExport, presentPaymentMethod, presentTransaction } from './present';
import { BASE, type CustomerDependencies, staffOf } from './routes';
import {
  type CustomerParams,
  customerParams,
  exportSchema,
  type PageQuery,
  type PaymentMethodBody,
  pageQuery,
  paymentMethodBody,
  paymentMethodParams,
  paymentMethodSchema,
  removedMethodSchema,
  transactionSchema,
} from './schema';

/** What belongs to a customer: transactions, payment methods, and an export of all that is held. */
export function belongingRoutes({ customers }: Pick<CustomerDependencies, 'customers'>): Route[] {
  const common = { area: 'Customers', roles: ['tenant_admin', 'customer'] as const, identity: 'tenantId' as const };
  const reading = { ...common, method: 'GET' as const, roles: ['tenant_admin', 'ops', 'customer'] as const };

  return [
    route<unknown, PageQuery, CustomerParams>({
      ...reading,
      path: `${BASE}/{customerId}/transactions`,
      summary: 'Transactions of a customer, newest first; those of an erased one too',
      params: customerParams,
      query: pageQuery,
      responses: { 200: { description: 'A page of transactions', schema: listOf(transactionSchema) } },
      handler: async (ctx) => {
        requireOwn(ctx.principal, ctx.params.customerId);
        const rows = await customers.payments(ctx.tenantId, ctx.params.customerId, ctx.query);
        const page = pageOf(rows, ctx.query.limit, (row) => row.id);
        return { status: 200, body: { ...page, data: page.data.map(presentTransaction) } };
      },
    }),
    route<unknown, unknown, CustomerParams>({
      ...reading,
      path: `${BASE}/{customerId}/paymentMethods`,
      summary: 'Saved cards of a customer, newest first',
      params: customerParams,
      responses: { 200: { description: 'All of them', schema: listOf(paymentMethodSchema) } },
      handler: async (ctx) => {
        requireOwn(ctx.principal, ctx.params.customerId);
        const saved = await customers.paymentMethods.list(ctx.tenantId, ctx.params.customerId);
        return { status: 200, body: { data: saved.map(presentPaymentMethod), nextCursor: null } };
      },
    }),
    route<PaymentMethodBody, unknown, CustomerParams>({
      ...common,
      method: 'POST',
      path: `${BASE}/{customerId}/paymentMethods`,
      summary: 'Save a card for a customer',
      description:
        'A customer has a card once: the same card again answers 200 and the object that is there, with holder and ' +
        'expiry as sent last. Two customers with the same card have an object each.',
      params: customerParams,
      body: paymentMethodBody,
      idempotent: true,
      responses: {
        200: { description: 'Was there already', schema: paymentMethodSchema },
        201: { description: 'Saved', schema: paymentMethodSchema },
      },
      handler: async (ctx) => {
        requireOwn(ctx.principal, ctx.params.customerId);
        const { saved, fresh } = await customers.paymentMethods.add(ctx.tenantId, ctx.params.customerId, ctx.body.card);
        return { status: fresh ? 201 : 200, body: presentPaymentMethod(saved) };
      },
    }),
    route<unknown, unknown, CustomerParams & { paymentMethodId: string }>({
      ...common,
      method: 'DELETE',
      path: `${BASE}/{customerId}/paymentMethods/{paymentMethodId}`,
      summary: 'Remove a saved card',
      params: paymentMethodParams,
      responses: { 200: { description: 'Removed', schema: removedMethodSchema } },
      handler: async (ctx) => {
        requireOwn(ctx.principal, ctx.params.customerId);
        const { customerId, paymentMethodId } = ctx.params;
        await customers.paymentMethods.remove(ctx.tenantId, customerId, paymentMethodId);
        return { status: 200, body: { paymentMethodId, deleted: true } };
      },
    }),
    route<unknown, unknown, CustomerParams>({
      ...reading,
      path: `${BASE}/{customerId}/export`,
      summary: 'Everything that is held about a customer',
      description:
        'For the customer to have: the record, its status history, the metadata of documents, payments, saved cards ' +
        '(masked), mandates, second factor, and who read or changed the record.',
      params: customerParams,
      responses: { 200: { description: 'All of it', schema: exportSchema } },
      handler: async (ctx) => {
        requireOwn(ctx.principal, ctx.params.customerId);
        const held = await customers.exporter.collect(ctx.tenantId, ctx.params.customerId, staffOf(ctx));
        return { status: 200, body: presentExport(held) };
      },
    }),
  ];
}
