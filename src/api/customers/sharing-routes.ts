import Joi from 'joi';
import type { Database } from '../../foundation/db/database';
import { areCustomersShared, shareCustomers } from '../../people/customers/sharing';
import { actorOf } from '../server/actor';
import { type Route, route } from '../server/route';
import { BASE } from './routes';

interface Sharing {
  shared: boolean;
}

const sharingSchema = Joi.object<Sharing>({
  shared: Joi.boolean()
    .required()
    .description('Whether each organization may charge customers, and their saved cards, of the others'),
});

/** Whether the organizations of a tenant share their customers. */
export function sharingRoutes({ database }: { database: Database }): Route[] {
  const common = { path: `${BASE}/sharing`, area: 'Customers', identity: 'tenantId' as const };
  return [
    route({
      ...common,
      method: 'GET',
      summary: 'Whether organizations may charge each other’s customers',
      roles: ['tenant_admin', 'ops'],
      responses: { 200: { description: 'The setting', schema: sharingSchema } },
      handler: async (ctx) => ({
        status: 200,
        body: { shared: await database.tenant(ctx.tenantId, areCustomersShared) },
      }),
    }),
    route<Sharing>({
      ...common,
      method: 'PUT',
      summary: 'Set whether organizations may charge each other’s customers',
      description:
        'A merchant’s payment names a customer of its own organization, or one that belongs to no organization. Any ' +
        'other is 400, unless the tenant shares its customers. Customers who pay by themselves, on the page of a ' +
        'payment link, pay everybody.',
      roles: ['tenant_admin'],
      body: sharingSchema,
      responses: { 200: { description: 'The current setting', schema: sharingSchema } },
      handler: async (ctx) => {
        await database.tenant(ctx.tenantId, (trx) => shareCustomers(trx, ctx.tenantId, actorOf(ctx), ctx.body.shared));
        return { status: 200, body: ctx.body };
      },
    }),
  ];
}
