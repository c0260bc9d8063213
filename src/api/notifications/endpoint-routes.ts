import Joi from 'joi';
import { DomainError, refuse } from '../../domain/errors';
import type { EndpointScope, Endpoints } from '../../edge/notifications/endpoints';
import type { NotificationService } from '../../edge/notifications/service';
import type { OutboundGuard } from '../../foundation/outbound/guard';
import { actorOf } from '../server/actor';
import type { RequestContext } from '../server/context';
import { listOf, type Paging, pageOf } from '../server/conventions';
import { type Route, route } from '../server/route';
import {
  type EndpointBody,
  type EndpointParams,
  endpointBody,
  endpointChangeBody,
  endpointParams,
  endpointQuery,
  endpointSchema,
  newEndpointSchema,
  rotatedSecretSchema,
  type SecretBody,
  secretBody,
} from './endpoint-schema';
import { presentEndpoint, presentWholeNotification } from './present';
import { wholeNotificationSchema } from './schema';

const BASE = '/notifications/1.0.0/endpoints';
const ONE = `${BASE}/{endpointId}`;

export interface EndpointDependencies {
  endpoints: Endpoints;
  notifications: NotificationService;
  outbound: OutboundGuard;
  /** How long a replaced secret still signs, in milliseconds: by default, and at most. */
  rotationOverlap: { defaultMs: number; maxMs: number };
}

/** The servers that an organization wants told of everything that happens to it. */
export function endpointRoutes(deps: EndpointDependencies): Route[] {
  const { endpoints, notifications, outbound, rotationOverlap: overlap } = deps;
  const common = { area: 'Notifications', identity: 'organizationId' as const };
  const reading = { ...common, method: 'GET' as const, roles: ['merchant', 'tenant_admin', 'ops'] as const };
  const acting = {
    ...common,
    method: 'POST' as const,
    roles: ['merchant', 'tenant_admin'] as const,
    params: endpointParams,
    idempotent: true,
  };
  const responses = { 200: { description: 'The endpoint', schema: endpointSchema } };
  const requireAllowed = (url: string | undefined) => {
    const refusal = url === undefined ? undefined : outbound.refusal(url);
    if (refusal) refuse('url', refusal);
  };

  return [
    route<EndpointBody>({
      ...acting,
      params: undefined,
      path: BASE,
      summary: 'Create an endpoint for notifications',
      description:
        'From now on it is told of everything that happens to the organization, or of the `events` that you name: ' +
        'payments, payouts, payment links, items, orders and questions of buyers. An organization has sixteen ' +
        'endpoints at most; then the answer is 409.',
      body: endpointBody,
      responses: { 201: { description: 'The endpoint with its secret', schema: newEndpointSchema } },
      handler: async (ctx) => {
        requireAllowed(ctx.body.url);
        const order = { ...ctx.body, id: ctx.resourceId('notificationEndpoint') };
        const { endpoint, secret } = await endpoints.create(scopeOf(ctx), order, actorOf(ctx));
        return { status: 201, body: { ...presentEndpoint(endpoint), secret } };
      },
    }),
    route<unknown, Paging>({
      ...reading,
      path: BASE,
      summary: 'List the endpoints for notifications, oldest first',
      query: endpointQuery,
      responses: { 200: { description: 'A page of endpoints', schema: listOf(endpointSchema) } },
      handler: async (ctx) => {
        const { limit, cursor: after } = ctx.query;
        const page = pageOf(await endpoints.list(scopeOf(ctx), { limit, after }), limit, ({ id }) => id);
        return { status: 200, body: { ...page, data: page.data.map(presentEndpoint) } };
      },
    }),
    route<unknown, unknown, EndpointParams>({
      ...reading,
      path: ONE,
      summary: 'One endpoint for notifications',
      params: endpointParams,
      responses,
      handler: async (ctx) => ({
        status: 200,
        body: presentEndpoint(await endpoints.find(scopeOf(ctx), ctx.params.endpointId)),
      }),
    }),
    route<Partial<EndpointBody>, unknown, EndpointParams>({
      ...acting,
      method: 'PUT',
      idempotent: false,
      path: ONE,
      summary: 'Change an endpoint for notifications',
      description: 'Absent members stay as they are. What waits for the endpoint goes to its new `url`.',
      body: endpointChangeBody,
      responses,
      handler: async (ctx) => {
        requireAllowed(ctx.body.url);
        const changed = await endpoints.change(scopeOf(ctx), ctx.params.endpointId, ctx.body, actorOf(ctx));
        return { status: 200, body: presentEndpoint(changed) };
      },
    }),
    route<unknown, unknown, EndpointParams>({
      ...acting,
      path: `${ONE}/disable`,
      summary: 'Disable an endpoint for notifications',
      description: 'Nothing is sent to it any more. What waits is given up; you can send it again later.',
      body: Joi.object({}),
      optionalBody: true,
      responses,
      handler: async (ctx) => ({
        status: 200,
        body: presentEndpoint(await endpoints.disable(scopeOf(ctx), ctx.params.endpointId, actorOf(ctx))),
      }),
    }),
    route<unknown, unknown, EndpointParams>({
      ...acting,
      path: `${ONE}/enable`,
      summary: 'Enable a disabled endpoint for notifications',
      body: Joi.object({}),
      optionalBody: true,
      responses,
      handler: async (ctx) => ({
        status: 200,
        body: presentEndpoint(await endpoints.enable(scopeOf(ctx), ctx.params.endpointId, actorOf(ctx))),
      }),
    }),
    route<unknown, unknown, EndpointParams>({
      ...acting,
      method: 'DELETE',
      idempotent: false,
      path: ONE,
      summary: 'Remove an endpoint for notifications',
      responses: { 204: { description: 'Nothing is sent to it any more' } },
      handler: async (ctx) => {
        await endpoints.remove(scopeOf(ctx), ctx.params.endpointId, actorOf(ctx));
        return { status: 204 };
      },
    }),
    route<SecretBody, unknown, EndpointParams>({
      ...acting,
      path: `${ONE}/secret/rotate`,
      summary: 'Replace the secret of an endpoint',
      description:
        'For `overlapSeconds` notifications have one signature for each secret (`t=…,v1=<new>,v1=<old>`). If you lose ' +
        'the answer, repeat the request with the same `Idempotency-Key`.',
      body: secretBody,
      optionalBody: true,
      responses: { 200: { description: 'The new secret', schema: rotatedSecretSchema } },
      handler: async (ctx) => {
        const { overlapSeconds } = ctx.body;
        const overlapMs = overlapSeconds === undefined ? overlap.defaultMs : overlapSeconds * 1_000;
        if (overlapMs > overlap.maxMs) refuse('overlapSeconds', `must be at most ${overlap.maxMs / 1_000}`);
        const { endpointId } = ctx.params;
        const secret = await endpoints.rotate(scopeOf(ctx), endpointId, overlapMs, actorOf(ctx));
        const previousUntil = overlapMs > 0 ? new Date(Date.now() + overlapMs) : undefined;
        return { status: 200, body: { endpointId, secret, previousUntil } };
      },
    }),
    route<unknown, unknown, EndpointParams>({
      ...acting,
      path: `${ONE}/ping`,
      summary: 'Send one signed test.ping to an endpoint and show the answer',
      body: Joi.object({}),
      optionalBody: true,
      responses: {
        200: { description: 'The test notification with its only attempt', schema: wholeNotificationSchema },
      },
      handler: async (ctx) => {
        const scope = scopeOf(ctx);
        const { id: endpointId, url } = await endpoints.find(scope, ctx.params.endpointId);
        return { status: 200, body: presentWholeNotification(await notifications.ping({ ...scope, endpointId }, url)) };
      },
    }),
  ];
}

/** Endpoints belong to the organization. Throws `forbidden` for the token of one merchant account. */
function scopeOf(ctx: RequestContext<unknown, unknown, unknown>): EndpointScope {
  if (ctx.principal.terminalId)
    throw new DomainError('forbidden', 'This access token works for one merchant account only');
  return { tenantId: ctx.tenantId, organizationId: ctx.organizationId };
}
