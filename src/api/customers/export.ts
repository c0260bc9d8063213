import { staffOf } from '../server/actor';
import { listOf, pageOf } from '../server/conventions';
import { requireOwn } from '../server/middleware/scope';
import { type CustomerParams, customerParams, type PageQuery, pageQuery } from '../server/params';
import { type Route, route } from '../server/route';
import { presentExport, presentTransaction } from './present';
import { BASE, type CustomerDependencies } from './routes';
import { exportSchema, transactionSchema } from './schema';

/** A customer's transactions, and an export of everything that we store about the customer. */
export function accountRoutes({ customerAccounts }: Pick<CustomerDependencies, 'customerAccounts'>): Route[] {
  const reading = {
    area: 'Customers',
    method: 'GET' as const,
    roles: ['tenant_admin', 'ops', 'customer'] as const,
    identity: 'tenantId' as const,
  };

  return [
    route<unknown, PageQuery, CustomerParams>({
      ...reading,
      path: `${BASE}/{customerId}/transactions`,
      summary: 'Transactions of a customer, also of an erased one; newest first',
      params: customerParams,
      query: pageQuery,
      responses: { 200: { description: 'A page of transactions', schema: listOf(transactionSchema) } },
      handler: async (ctx) => {
        requireOwn(ctx.principal, ctx.params.customerId);
        const rows = await customerAccounts.transactions(ctx.tenantId, ctx.params.customerId, ctx.query);
        const page = pageOf(rows, ctx.query.limit, (row) => row.id);
        return {
          status: 200,
          body: { ...page, data: page.data.map((one) => presentTransaction(one, ctx.params.customerId)) },
        };
      },
    }),
    route<unknown, unknown, CustomerParams>({
      ...reading,
      path: `${BASE}/{customerId}/export`,
      summary: 'Export everything that we store about a customer',
      description:
        'The export is for the customer. It has the record, its status history, the metadata of documents, payments, ' +
        'saved cards (masked), beneficiaries, standing orders, mandates, the second factor, consents of open banking and ' +
        'what third parties read under them, and who read or changed the record.',
      params: customerParams,
      responses: { 200: { description: 'The export', schema: exportSchema } },
      handler: async (ctx) => {
        requireOwn(ctx.principal, ctx.params.customerId);
        const held = await customerAccounts.exporter.collect(ctx.tenantId, ctx.params.customerId, staffOf(ctx));
        return { status: 200, body: presentExport(held) };
      },
    }),
  ];
}
