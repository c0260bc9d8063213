import type { Onboarding } from '../../people/onboarding/onboarding';
import type { Tenant, TenantFilter } from '../../people/onboarding/tenants';
import { actorOf } from '../server/actor';
import { listOf, pageOf } from '../server/conventions';
import { type Answer, type Route, route } from '../server/route';
import { type ReasonBody, reasonBody } from './payout-schema';
import {
  type MethodsBody,
  methodsBody,
  presentTenant,
  type TenantBody,
  type TenantParams,
  tenantBody,
  tenantParams,
  tenantSchema,
  tenantsQuery,
} from './tenant-schema';

const TENANTS = '/ops/1.0.0/tenants';
const ONE = `${TENANTS}/{tenantId}`;

/** Operators make tenants, by two, and suspend and resume them. */
export function tenantRoutes({ onboarding }: { onboarding: Pick<Onboarding, 'tenants'> }): Route[] {
  // The OpenAPI document is made without dependencies.
  const { tenants } = onboarding ?? {};
  const common = { area: 'Operations', roles: ['ops'] as const };
  const responses = { 200: { description: 'The tenant', schema: tenantSchema } };
  const answer = (tenant: Tenant, status = 200): Answer => ({ status, body: presentTenant(tenant) });
  const acting = { ...common, method: 'POST' as const, params: tenantParams, idempotent: true, responses };
  const act = (verb: 'withdraw' | 'suspend' | 'resume', summary: string, description: string): Route =>
    route<ReasonBody, unknown, TenantParams>({
      ...acting,
      path: `${ONE}/${verb}`,
      summary,
      description,
      body: reasonBody,
      handler: async (ctx) => answer(await tenants[verb](ctx.params.tenantId, ctx.body.reason, actorOf(ctx))),
    });
  return [
    route<TenantBody>({
      ...common,
      method: 'POST',
      path: TENANTS,
      summary: 'Propose a new tenant',
      description:
        'Another operator has to confirm it. Until then nobody can sign in to it. The answer is 409 if somebody signs in ' +
        'with the e-mail address of the first admin already.',
      body: tenantBody,
      idempotent: true,
      responses: { 201: { description: 'The tenant is proposed', schema: tenantSchema } },
      handler: async (ctx) =>
        answer(await tenants.propose({ ...ctx.body, tenantId: ctx.resourceId('tenant') }, actorOf(ctx)), 201),
    }),
    route<unknown, TenantFilter>({
      ...common,
      method: 'GET',
      path: TENANTS,
      summary: 'All tenants, proposed and withdrawn ones too, newest first',
      query: tenantsQuery,
      responses: { 200: { description: 'A page of tenants', schema: listOf(tenantSchema) } },
      handler: async (ctx) => {
        const page = pageOf(await tenants.list(ctx.query), ctx.query.limit, ({ row }) => row.id);
        return { status: 200, body: { ...page, data: page.data.map(presentTenant) } };
      },
    }),
    route<unknown, unknown, TenantParams>({
      ...common,
      method: 'GET',
      path: ONE,
      summary: 'One tenant, with its first admin',
      params: tenantParams,
      responses,
      handler: async (ctx) => answer(await tenants.find(ctx.params.tenantId)),
    }),
    route<unknown, unknown, TenantParams>({
      ...acting,
      path: `${ONE}/confirm`,
      summary: 'Confirm a tenant that another operator has proposed',
      description:
        'The first admin gets an invitation by e-mail, with a link that works once. The answer is 403 for the operator ' +
        'who proposed it, and 409 if it is not proposed any more.',
      handler: async (ctx) => answer(await tenants.confirm(ctx.params.tenantId, actorOf(ctx))),
    }),
    act('withdraw', 'Withdraw the proposal of a tenant', 'The e-mail address of its first admin is free again.'),
    act(
      'suspend',
      'Suspend a tenant',
      'Within a second, every token of the tenant is refused with 403 `tenant_suspended`, and no more money moves in its ' +
        'name. What is under way goes on to its end, and callbacks are taken.',
    ),
    act('resume', 'Resume a suspended tenant', 'Tokens that have not expired work again.'),
    route<MethodsBody, unknown, TenantParams>({
      ...acting,
      method: 'PUT',
      idempotent: false,
      path: `${ONE}/methods`,
      summary: 'Choose what the live merchants of a tenant can take',
      description: 'It takes the place of the choice before, within five seconds. Payments under way go on.',
      body: methodsBody,
      handler: async (ctx) => {
        const { methods, reason } = ctx.body;
        return answer(await tenants.chooseMethods(ctx.params.tenantId, methods, reason, actorOf(ctx)));
      },
    }),
  ];
}
