import Joi from 'joi';
import type { Database } from '../../foundation/db/database';
import {
  ATTEMPT_SUBJECTS,
  type AttemptLimit,
  attemptLimitsOf,
  LONGEST_WINDOW_SECONDS,
  replaceAttemptLimits,
} from '../../money/limits/attempt-limits';
import { actorOf } from '../server/actor';
import { type Route, route } from '../server/route';

interface AttemptLimitsBody {
  limits: AttemptLimit[];
}

const attemptLimitSchema = Joi.object<AttemptLimit>({
  per: Joi.string()
    .valid(...ATTEMPT_SUBJECTS)
    .required()
    .description('For each customer, each card, each source address of a payer, or each organization'),
  declined: Joi.number().integer().min(1).max(1_000_000).required().description('So many attempts may be declined'),
  windowSeconds: Joi.number()
    .integer()
    .min(1)
    .max(LONGEST_WINDOW_SECONDS)
    .required()
    .description('Within so many seconds, counted back from each attempt'),
});

const attemptLimitsSchema = Joi.object<AttemptLimitsBody>({
  limits: Joi.array()
    .items(attemptLimitSchema)
    .unique((one: AttemptLimit, other: AttemptLimit) => one.per === other.per)
    .max(ATTEMPT_SUBJECTS.length)
    .required()
    .description('An empty list: nothing is limited'),
});

/** How many card attempts of a tenant may be declined, before further ones are refused. */
export function attemptLimitRoutes({ database }: { database: Database }): Route[] {
  const common = { path: '/routing/1.0.0/attempt-limits', area: 'Routing', identity: 'tenantId' as const };
  return [
    route({
      ...common,
      method: 'GET',
      summary: 'The tenant’s limits on declined card attempts',
      roles: ['tenant_admin', 'ops'],
      responses: { 200: { description: 'The limits', schema: attemptLimitsSchema } },
      handler: async (ctx) => ({ status: 200, body: { limits: await database.tenant(ctx.tenantId, attemptLimitsOf) } }),
    }),
    route<AttemptLimitsBody>({
      ...common,
      method: 'PUT',
      summary: 'Replace the tenant’s limits on declined card attempts',
      description:
        'The list replaces all limits. They hold for payments, top-ups and card checks from now on. An attempt counts ' +
        'from when we send it until it ends without a decline. Beyond a limit we send nothing: the attempt ends as ' +
        'declined with result code 206, and only the audit log says which limit it was.',
      roles: ['tenant_admin'],
      body: attemptLimitsSchema,
      responses: { 200: { description: 'The current limits', schema: attemptLimitsSchema } },
      handler: async (ctx) => {
        await database.tenant(ctx.tenantId, (trx) =>
          replaceAttemptLimits(trx, ctx.tenantId, actorOf(ctx), ctx.body.limits),
        );
        return { status: 200, body: ctx.body };
      },
    }),
  ];
}
