import { notFound } from '../../domain/errors';
import type { CustomerAccounts } from '../../money/customer-accounts/service';
import type { CustomerIdentity } from '../../people/customer-access/identity';
import type { CustomerRecord } from '../../people/customers/profile';
import type { CustomerFilter, CustomerService } from '../../people/customers/service';
import { actorOf, staffOf } from '../server/actor';
import type { RequestContext } from '../server/context';
import { pageOf } from '../server/conventions';
import { canonicalJson } from '../server/middleware/body';
import { requireOwn } from '../server/middleware/scope';
import { refuseInvalid } from '../server/middleware/validation';
import { type CustomerParams, customerParams } from '../server/params';
import { type Answer, type Route, route } from '../server/route';
import { challengedBy, givenCode, ownSession, TWO_FACTOR_TEXT } from '../server/second-factor';
import { presentCustomer } from './present';
import {
  bulkBody,
  bulkHeaders,
  bulkSchema,
  type CustomerListQuery,
  customerBody,
  customerListQuery,
  customerListSchema,
  customerPatch,
  customerSchema,
  erasedSchema,
  organizationParams,
  tenantParams,
} from './schema';

export const BASE = '/customer/1.0.0';

export interface CustomerDependencies {
  customers: CustomerService;
  /** The largest body of `createBulk`, in bytes. */
  bulkBodyLimitBytes: number;
  customerAccounts: CustomerAccounts;
  identity: Pick<CustomerIdentity, 'secondFactor'>;
}

/** Customers: create one or many, read, change and erase them. */
export function customerRoutes({
  customers,
  customerAccounts,
  bulkBodyLimitBytes,
  identity,
}: CustomerDependencies): Route[] {
  const common = { area: 'Customers', roles: ['tenant_admin'] as const, identity: 'tenantId' as const };
  const reading = { ...common, method: 'GET' as const, roles: ['tenant_admin', 'ops'] as const };

  async function list(ctx: RequestContext<unknown, CustomerListQuery, unknown>, filter: Partial<CustomerFilter>) {
    const found = await customers.list(ctx.tenantId, actorOf(ctx), { ...ctx.query, ...filter });
    const page = pageOf(found, ctx.query.limit, ({ row }) => row.id);
    return { status: 200, body: { ...page, data: page.data.map(presentCustomer) } } satisfies Answer;
  }

  return [
    route<CustomerRecord>({
      ...common,
      method: 'POST',
      path: `${BASE}/create`,
      summary: 'Create a customer',
      description:
        'We keep and return everything as you sent it, except secrets: `password`, `pinCode`, the answers of ' +
        '`SecretQuestion`, `targetCode` and `inputCode` are never returned. The answer is 409 `duplicate_customer` ' +
        'if another customer has this `id`.',
      body: customerBody,
      idempotent: true,
      responses: { 201: { description: 'The customer', schema: customerSchema } },
      handler: async (ctx) => {
        const customerId = ctx.resourceId('customer');
        const customer = await customers.register.create(ctx.tenantId, actorOf(ctx), customerId, ctx.body);
        return { status: 201, body: presentCustomer(customer) };
      },
    }),
    route<CustomerRecord[]>({
      ...common,
      method: 'POST',
      path: `${BASE}/createBulk`,
      summary: 'Create a list of customers',
      description:
        'Up to 1,000 customers and 10 MiB. We create all of them or none. An error names every wrong element by its ' +
        'index and field. The header `token` names the request: the same body with the same token gets the first ' +
        'answer again, another body gets 422 `bulk_token_reused`. We hash each password, so a long list may take a ' +
        'minute.',
      headers: bulkHeaders,
      body: bulkBody,
      bodyLimit: bulkBodyLimitBytes,
      idempotent: true,
      responses: { 201: { description: 'The ids of the customers, in the order of the request', schema: bulkSchema } },
      handler: async (ctx) => {
        const { customerIds, replayed } = await customers.bulk.create(ctx.tenantId, actorOf(ctx), {
          token: ctx.headers.token as string,
          request: () => canonicalJson(ctx.body),
          records: ctx.body,
        });
        return {
          status: 201,
          body: { tenantId: ctx.tenantId, customerIds: customerIds.map((customerId) => ({ customerId })) },
          ...(replayed && { headers: { 'Idempotent-Replayed': 'true' } }),
        };
      },
    }),
    route<Record<string, unknown>, unknown, CustomerParams>({
      ...common,
      method: 'PUT',
      path: `${BASE}/update/{customerId}`,
      roles: ['tenant_admin', 'customer'],
      summary: 'Change a customer',
      description:
        'We merge objects member by member. `null` clears a member, and arrays are replaced. `customerStatus` has no ' +
        'effect here: it has an endpoint of its own. A customer who was `verified` and whose name, date of birth or ' +
        'nationality changes is `under_investigation` until a tenant admin has looked (`/approvals/1.0.0/approvals`). ' +
        'A document keeps its review if it does not change. Customers ' +
        'cannot change their secrets or how the tenant classifies them. To change their e-mail address or telephone ' +
        'numbers they need a code of their authenticator, or one that goes to an address they have verified. The ' +
        `addresses of before are told, and the other sessions end. ${TWO_FACTOR_TEXT}`,
      params: customerParams,
      body: customerPatch,
      keepNulls: true,
      responses: { 200: { description: 'The customer', schema: customerSchema } },
      handler: async (ctx) => {
        const { customerId } = ctx.params;
        requireOwn(ctx.principal, customerId);
        if (ctx.principal.customerId) {
          refuseNotOwn(ctx.body);
          if (await customers.movesAddresses(ctx.tenantId, customerId, ctx.body))
            await identity.secondFactor.requireToWeaken(challengedBy(ctx, customerId), givenCode(ctx.headers));
        }
        const customer = await customers.update(ctx.tenantId, actorOf(ctx), customerId, ctx.body, ownSession(ctx));
        return { status: 200, body: presentCustomer(customer) };
      },
    }),
    route<unknown, unknown, CustomerParams>({
      ...reading,
      path: `${BASE}/fetch/{customerId}`,
      roles: ['tenant_admin', 'ops', 'customer'],
      summary: 'One customer',
      params: customerParams,
      responses: { 200: { description: 'The customer', schema: customerSchema } },
      handler: async (ctx) => {
        requireOwn(ctx.principal, ctx.params.customerId);
        return {
          status: 200,
          body: presentCustomer(await customers.fetch(ctx.tenantId, ctx.params.customerId, staffOf(ctx))),
        };
      },
    }),
    route<unknown, unknown, CustomerParams>({
      ...common,
      method: 'DELETE',
      path: `${BASE}/delete/{customerId}`,
      summary: 'Erase a customer',
      description:
        'Personal data, secrets and saved cards are deleted for good. Payments stay. The answer is 409 ' +
        '`customer_in_use` while the customer has money in a wallet, owes money, or has a transfer or payment under ' +
        'way.',
      params: customerParams,
      responses: { 200: { description: 'The customer is erased', schema: erasedSchema } },
      handler: async (ctx) => {
        const { customerId } = ctx.params;
        return {
          status: 200,
          body: { customerId, deletedAt: await customerAccounts.erase(ctx.tenantId, actorOf(ctx), customerId) },
        };
      },
    }),
    route<unknown, CustomerListQuery, { tenantId: string }>({
      ...reading,
      path: `${BASE}/listByTenant/{tenantId}`,
      summary: 'Customers of a tenant, newest first',
      params: tenantParams,
      query: customerListQuery,
      responses: { 200: { description: 'A page of customers', schema: customerListSchema } },
      handler: async (ctx) => {
        if (ctx.params.tenantId !== ctx.tenantId) throw notFound('tenant');
        return list(ctx, {});
      },
    }),
    route<unknown, CustomerListQuery, { organizationId: string }>({
      ...reading,
      path: `${BASE}/listByOrganization/{organizationId}`,
      summary: 'Customers of an organization, newest first',
      params: organizationParams,
      query: customerListQuery,
      responses: { 200: { description: 'A page of customers', schema: customerListSchema } },
      handler: (ctx) => list(ctx, { organizationId: ctx.params.organizationId }),
    }),
  ];
}

/** How the tenant classifies a customer, and secrets: a customer's token cannot change them. */
const NOT_OWN = ['id', 'customerType', 'organizationId', 'categorization'];
const NOT_OWN_OF_PERSON = ['password', 'pinCode', 'SecretQuestion'];

function refuseNotOwn(patch: Record<string, unknown>): void {
  const person = (patch.person ?? {}) as object;
  const details = [
    ...NOT_OWN.filter((name) => name in patch),
    ...NOT_OWN_OF_PERSON.filter((name) => name in person).map((name) => `person.${name}`),
    ...(patch.person === null ? ['person'] : []),
  ].map((field) => ({ field, message: 'cannot be changed by the customer' }));
  refuseInvalid(details);
}
