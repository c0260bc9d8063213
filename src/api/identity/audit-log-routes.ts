import Joi from 'joi';
import { type AuditQuery, type AuditTrail, cursorOf } from '../../people/identity/audit-trail';
import { instant, listOf, pageOf, paging } from '../server/conventions';
import { type Route, route } from '../server/route';
import { scopeOf } from './people-routes';

/** Who did what, for those who answer for it. */
export function auditLogRoutes({ onboarding }: { onboarding: { auditTrail: AuditTrail } }): Route[] {
  return [
    route<unknown, AuditQuery>({
      method: 'GET',
      area: 'People and clients',
      path: '/identity/1.0.0/audit',
      summary: 'The audit log: who did what',
      description:
        'A tenant admin reads the lines of the tenant. An operator reads all, or with the `tenantId` header those of that ' +
        'tenant. Nobody can change a line. `detail` depends on the action and never has a secret or a card number.',
      roles: ['tenant_admin', 'ops'],
      query: auditQuery,
      responses: { 200: { description: 'Newest first', schema: listOf(entrySchema) } },
      handler: async (ctx) => {
        const reader = { isOperator: ctx.principal.role === 'ops', tenantId: scopeOf(ctx).tenantId };
        const entries = await onboarding.auditTrail.list(reader, ctx.query);
        return { status: 200, body: pageOf(entries, ctx.query.limit, cursorOf) };
      },
    }),
  ];
}

const word = () => Joi.string().max(100);

const auditQuery = Joi.object<AuditQuery>({
  ...paging(),
  action: word().description('One action').example('user.disable'),
  actor: word().description('Id of the user or client who did it'),
  target: word().description('Id of what it was done to'),
  from: instant().description('At this time or later'),
  to: instant().description('Before this time'),
});

const entrySchema = Joi.object({
  entryId: Joi.string().required().example('1042'),
  at: instant().required(),
  tenantId: Joi.string().description('Absent: of no tenant, such as what operators do to each other'),
  actor: Joi.string().required().description('Id of a user or client'),
  actorName: Joi.string().description('Of people and clients whom you may see and who are not removed'),
  action: Joi.string().required().example('user.disable'),
  target: Joi.string().description('Id of what it was done to'),
  targetName: Joi.string().description('As `actorName`'),
  source: Joi.string().description('The address that the request came from'),
  result: Joi.string().required().example('done'),
  detail: Joi.object().unknown().required().example({ requestId: 'req_01k0000000000000000000000' }),
});
