import Joi from 'joi';
import type { Database } from '../../foundation/db/database';
import type { CustomerIdentity } from '../../people/customer-access/identity';
import { noteCustomer } from '../../people/customers/audit-lines';
import { actorOf } from '../server/actor';
import { anyId, id, instant } from '../server/conventions';
import { requireOwn } from '../server/middleware/scope';
import { type CustomerParams, customerParams } from '../server/params';
import { type Route, route } from '../server/route';

const BASE = '/customer/1.0.0/{customerId}/web-sessions';

interface SessionParams extends CustomerParams {
  sessionId: string;
}

const sessionSchema = Joi.object({
  sessionId: id('webSession').required(),
  source: Joi.string().required().description('Address that the customer signed in from'),
  device: Joi.string().required().allow('').description('What the browser calls itself'),
  createdAt: instant().required(),
  seenAt: instant().required(),
  expiresAt: instant().required(),
});

/** Where a customer is signed in on pages: listed, and ended. */
export function webSessionRoutes({ identity, database }: { identity: CustomerIdentity; database: Database }): Route[] {
  const own = {
    area: 'Customers',
    roles: ['tenant_admin', 'customer'] as const,
    identity: 'tenantId' as const,
  };
  return [
    route<unknown, unknown, CustomerParams>({
      ...own,
      method: 'GET',
      path: BASE,
      summary: 'Where a customer is signed in on pages, newest first',
      params: customerParams,
      responses: {
        200: {
          description: 'All sessions that have not ended',
          schema: Joi.object({ data: Joi.array().items(sessionSchema).required() }),
        },
      },
      handler: async (ctx) => {
        const { customerId } = ctx.params;
        requireOwn(ctx.principal, customerId);
        const sessions = await identity.webSessions.list(ctx.tenantId, customerId);
        const data = sessions.map((session) => ({
          sessionId: session.id,
          source: session.source,
          device: session.device,
          createdAt: session.created_at,
          seenAt: session.seen_at,
          expiresAt: session.expires_at,
        }));
        return { status: 200, body: { data } };
      },
    }),
    route<unknown, unknown, SessionParams>({
      ...own,
      method: 'DELETE',
      path: `${BASE}/{sessionId}`,
      summary: 'Sign a customer out of one page',
      description: '`DELETE /customer/1.0.0/{customerId}/tokens` ends all of them, and the tokens of the API too.',
      params: Joi.object<SessionParams>({ customerId: anyId(), sessionId: anyId() }),
      responses: { 204: { description: 'The customer is signed out there' } },
      handler: async (ctx) => {
        const { customerId, sessionId } = ctx.params;
        requireOwn(ctx.principal, customerId);
        await database.tenant(ctx.tenantId, async (trx) => {
          await identity.webSessions.endOne(trx, customerId, sessionId);
          await noteCustomer(trx, ctx.tenantId, actorOf(ctx), 'customer.end_web_session', customerId, { sessionId });
        });
        return { status: 204 };
      },
    }),
  ];
}
