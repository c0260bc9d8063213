import { DomainError, notFound } from '../../domain/errors';
import type { Organizations } from '../../people/identity/organizations';
import type { Merchants } from '../../people/onboarding/merchants';
import type { RequestContext } from '../server/context';
import { listOf, pageOf } from '../server/conventions';
import { type Route, route } from '../server/route';
import {
  type MerchantBody,
  type MerchantParams,
  type MerchantQuery,
  merchantBody,
  merchantParams,
  merchantQuery,
  merchantSchema,
} from './schema';

export const ONBOARDING = '/onboarding/1.0.0';
const MERCHANTS = `${ONBOARDING}/merchants`;

export interface MerchantDependencies {
  merchants: Merchants;
  organizations: Organizations;
}

/** Tenant admins and operators bring merchants on board. */
export function merchantRoutes({ merchants, organizations }: MerchantDependencies): Route[] {
  const common = { area: 'Onboarding', roles: ['tenant_admin', 'ops'] as const };
  const tenantOf = (ctx: RequestContext<unknown, unknown, MerchantParams>) =>
    tenantOfMerchant(organizations, ctx, ctx.params.organizationId);
  return [
    route<MerchantBody>({
      ...common,
      method: 'POST',
      path: MERCHANTS,
      summary: 'Create a merchant',
      description:
        'Creates the organization, its merchant account, its clients and a technical user. We invite the technical ' +
        'user by e-mail; the link in it opens the password form and works once. The answer has no secrets: the ' +
        'technical user reads them with the integration parameters. Operators name the tenant in the `tenantId` ' +
        'header.',
      body: merchantBody,
      idempotent: true,
      responses: { 201: { description: 'The merchant, with an invitation sent', schema: merchantSchema } },
      handler: async (ctx) => {
        const { technicalContact, ...business } = ctx.body;
        const merchant = await merchants.create(
          {
            ...business,
            technicalContact,
            tenantId: requiredTenant(ctx),
            organizationId: ctx.resourceId('organization'),
          },
          onboarderOf(ctx),
        );
        return { status: 201, body: merchant };
      },
    }),
    route<unknown, MerchantQuery>({
      ...common,
      method: 'GET',
      path: MERCHANTS,
      summary: 'The merchants of a tenant',
      description: 'Operators name the tenant in the `tenantId` header.',
      query: merchantQuery,
      responses: { 200: { description: 'Newest first', schema: listOf(merchantSchema) } },
      handler: async (ctx) => {
        const { limit, cursor } = ctx.query;
        const found = await merchants.list(requiredTenant(ctx), { limit, before: cursor });
        return { status: 200, body: pageOf(found, limit, ({ organizationId }) => organizationId) };
      },
    }),
    route<unknown, unknown, MerchantParams>({
      ...common,
      method: 'GET',
      path: `${MERCHANTS}/{organizationId}`,
      summary: 'One merchant',
      params: merchantParams,
      responses: { 200: { description: 'The merchant', schema: merchantSchema } },
      handler: async (ctx) => ({
        status: 200,
        body: await merchants.find(await tenantOf(ctx), ctx.params.organizationId),
      }),
    }),
    route<unknown, unknown, MerchantParams>({
      ...common,
      method: 'POST',
      path: `${MERCHANTS}/{organizationId}/invitations`,
      summary: 'Invite the technical user again',
      description: 'The earlier invitation link no longer works. The answer is 409 if the password is already set.',
      params: merchantParams,
      idempotent: true,
      responses: { 201: { description: 'The merchant, with a new invitation sent', schema: merchantSchema } },
      handler: async (ctx) => ({
        status: 201,
        body: await merchants.inviteAgain(await tenantOf(ctx), ctx.params.organizationId, onboarderOf(ctx)),
      }),
    }),
  ];
}

/** The caller's name in the audit log. */
export function onboarderOf(ctx: RequestContext<unknown, unknown, unknown>): { actor: string; source: string } {
  return { actor: ctx.principal.clientId, source: ctx.source };
}

/** The tenant of the token. An operator's token has none, so operators name it in a header. */
export function requiredTenant(ctx: RequestContext<unknown, unknown, unknown>): string {
  const tenantId = ctx.tenantIdIfAny;
  if (tenantId) return tenantId;
  const details = [{ field: 'tenantId', message: 'is a required header' }];
  throw new DomainError('invalid_request', 'tenantId is a required header', { details });
}

/** The tenant of a merchant. Throws `not_found` if the caller may not see that merchant. */
export async function tenantOfMerchant(
  organizations: Organizations,
  ctx: RequestContext<unknown, unknown, unknown>,
  organizationId: string,
): Promise<string> {
  const owner = await organizations.tenantIdOf(organizationId);
  const seen = ctx.tenantIdIfAny;
  if (!owner || (seen && seen !== owner)) throw notFound('merchant');
  return owner;
}

/** Throws `forbidden` if the token is limited to one merchant account. */
export function requireWholeOrganization(ctx: RequestContext<unknown, unknown, unknown>): void {
  if (ctx.principal.terminalId)
    throw new DomainError('forbidden', 'This access token works for one merchant account only');
}
