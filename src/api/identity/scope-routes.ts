import Joi from 'joi';
import type { Organizations } from '../../people/identity/organizations';
import { id, listOf, type Paging, pageOf, paging } from '../server/conventions';
import { type Route, route } from '../server/route';

/** Whom a caller may look at: what to put into the headers tenantId and organizationId. */
export function scopeRoutes({ organizations }: { organizations: Organizations }): Route[] {
  const common = { method: 'GET' as const, area: 'People and clients', query: Joi.object<Paging>(paging()) };
  return [
    route<unknown, Paging>({
      ...common,
      path: '/identity/1.0.0/tenants',
      summary: 'The tenants, newest first',
      description: 'An operator names one of them in the `tenantId` header.',
      roles: ['ops'],
      responses: { 200: { description: 'A page of tenants', schema: listOf(tenantSchema) } },
      handler: async (ctx) => {
        const { limit } = ctx.query;
        const rows = await organizations.tenantList(ctx.query);
        return { status: 200, body: pageOf(rows, limit, ({ tenantId }) => tenantId) };
      },
    }),
    route<unknown, Paging>({
      ...common,
      path: '/identity/1.0.0/organizations',
      summary: 'The organizations that you may see, newest first',
      description: 'Those of your tenant, or your own one. An operator sees all, or those of the tenant in `tenantId`.',
      roles: ['merchant', 'tenant_admin', 'ops'],
      responses: { 200: { description: 'A page of organizations', schema: listOf(organizationSchema) } },
      handler: async (ctx) => {
        const { tenantIdIfAny: tenantId, organizationIdIfAny: organizationId } = ctx;
        const rows = await organizations.list({ tenantId, organizationId }, ctx.query);
        return { status: 200, body: pageOf(rows, ctx.query.limit, (row) => row.organizationId) };
      },
    }),
  ];
}

const tenantSchema = Joi.object({ tenantId: id('tenant').required(), name: Joi.string().required() });
const organizationSchema = Joi.object({
  organizationId: id('organization').required(),
  tenantId: id('tenant').required(),
  name: Joi.string().required(),
  live: Joi.boolean().required().description('It takes real money'),
});
