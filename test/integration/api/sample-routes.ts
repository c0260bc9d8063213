import Joi from 'joi';
import { amount, currency, instant, listOf, paging, text } from '../../../src/api/server/conventions';
import { type Route, route } from '../../../src/api/server/route';
import { DomainError } from '../../../src/domain/errors';

/** What the sample handlers did and are told to do. */
export class Behaviour {
  executions: string[] = [];
  /** Awaited in the middle of a creation. */
  gate: Promise<void> = Promise.resolve();
  failWith: Error | undefined;
  failAfterCreating: Error | undefined;
}

const everyone = ['merchant', 'tenant_admin', 'ops'] as const;
const ok = { 200: { description: 'Echo' } };

const thing = Joi.object({
  amount: amount().required(),
  currency: currency().required(),
  remark: text(10),
  at: instant(),
  count: Joi.number().integer(),
  card: Joi.object({ number: Joi.string().creditCard().required() }),
  lines: Joi.array().items(Joi.object({ sku: Joi.string().required() })),
});

/** Routes that show every convention of the frame. */
export function sampleRoutes(behaviour: Behaviour): Route[] {
  return [
    route({
      method: 'POST',
      path: '/things',
      area: 'Test',
      summary: 'Create',
      roles: everyone,
      identity: 'organizationId',
      idempotent: true,
      body: thing,
      responses: { 201: { description: 'Created' } },
      async handler(ctx) {
        const id = ctx.resourceId('payment');
        if (behaviour.failWith) throw behaviour.failWith;
        await behaviour.gate;
        behaviour.executions.push(id);
        if (behaviour.failAfterCreating) throw behaviour.failAfterCreating;
        return {
          status: 201,
          body: { id, body: ctx.body, tenantId: ctx.tenantId, organizationId: ctx.organizationId },
        };
      },
    }),
    route({
      method: 'GET',
      path: '/things',
      area: 'Test',
      summary: 'List',
      roles: everyone,
      query: Joi.object({ ...paging(), status: Joi.string().valid('open', 'closed') }),
      responses: { 200: { description: 'List', schema: listOf(thing) } },
      handler: async (ctx) => ({
        status: 200,
        body: {
          query: ctx.query,
          tenantId: ctx.principal.tenantId ?? null,
          organizationId: ctx.organizationIdIfAny ?? null,
        },
      }),
    }),
    route({
      method: 'POST',
      path: '/things/{thingId}/finish',
      area: 'Test',
      summary: 'Optional body',
      roles: ['merchant'],
      body: Joi.object({ amount: amount() }),
      optionalBody: true,
      responses: ok,
      handler: async (ctx) => ({ status: 200, body: { params: ctx.params, body: ctx.body } }),
    }),
    route({
      method: 'PUT',
      path: '/things/{thingId}',
      area: 'Test',
      summary: 'null clears',
      roles: ['merchant'],
      keepNulls: true,
      body: Joi.object({ remark: text(10).allow(null) }),
      responses: ok,
      handler: async (ctx) => ({ status: 200, body: ctx.body }),
    }),
    route({
      method: 'POST',
      path: '/bulk',
      area: 'Test',
      summary: 'Array body',
      roles: ['tenant_admin'],
      identity: 'tenantId',
      body: Joi.array()
        .items(Joi.object({ customerType: Joi.string().valid('Person', 'Organization').required() }))
        .min(1),
      responses: ok,
      handler: async (ctx) => ({ status: 200, body: ctx.body }),
    }),
    ...['/payments/h2h/{id}', '/payments/h2h/48-51,56-59'].map((path) =>
      route({
        method: 'POST',
        path,
        area: 'Test',
        summary: 'Ranges',
        roles: 'public',
        responses: ok,
        handler: async (ctx) => ({ status: 200, body: { path, params: ctx.params, source: ctx.source } }),
      }),
    ),
    route({
      method: 'GET',
      path: '/failing/{how}',
      area: 'Test',
      summary: 'Fails',
      roles: 'public',
      responses: ok,
      async handler(ctx) {
        const { how } = ctx.params as { how: string };
        if (how === 'domain') throw new DomainError('insufficient_funds', 'Too little money');
        if (how === 'database') throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
        if (how === 'engine') throw new Error('engine', { cause: Object.assign(new Error('14'), { code: 14 }) });
        throw new Error('card 4111111111111111 of the buyer');
      },
    }),
  ];
}
