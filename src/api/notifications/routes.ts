import Joi from 'joi';
import { refuse } from '../../domain/errors';
import type {
  NotificationFilter,
  NotificationScope,
  NotificationService,
  ResendWindow,
} from '../../edge/notifications/service';
import type { OutboundGuard } from '../../foundation/outbound/guard';
import type { Terminals } from '../../people/identity/terminals';
import type { RequestContext } from '../server/context';
import { listOf, pageOf } from '../server/conventions';
import { type Route, route } from '../server/route';
import { chooseTerminal } from '../server/terminal';
import { presentNotification, presentWholeNotification } from './present';
import {
  type NotificationParams,
  notificationListQuery,
  notificationParams,
  notificationSchema,
  resendWindowBody,
  type TestBody,
  testBody,
  wholeNotificationSchema,
} from './schema';

const BASE = '/ipg/1.0.0/payment/notifications';

export interface NotificationDependencies {
  notifications: NotificationService;
  terminals: Terminals;
  outbound: OutboundGuard;
}

/** Notifications to a merchant's server: list them, read one, send again, test. */
export function notificationRoutes({ notifications, terminals, outbound }: NotificationDependencies): Route[] {
  const common = {
    area: 'Notifications',
    roles: ['merchant', 'tenant_admin', 'ops'] as const,
    identity: 'organizationId' as const,
  };
  const acting = {
    ...common,
    method: 'POST' as const,
    roles: ['merchant', 'tenant_admin'] as const,
    idempotent: true,
  };

  return [
    route<unknown, NotificationFilter>({
      ...common,
      method: 'GET',
      path: BASE,
      summary: 'List notifications with every attempt to deliver them, newest first',
      query: notificationListQuery,
      responses: { 200: { description: 'A page of notifications', schema: listOf(notificationSchema) } },
      handler: async (ctx) => {
        const rows = await notifications.list(scopeOf(ctx), ctx.query);
        const { data, nextCursor } = pageOf(rows, ctx.query.limit, (row) => row.id);
        return { status: 200, body: { data: data.map(presentNotification), nextCursor } };
      },
    }),
    route<unknown, unknown, NotificationParams>({
      ...common,
      method: 'GET',
      path: `${BASE}/{notificationId}`,
      summary: 'One notification with the body that was sent',
      params: notificationParams,
      responses: { 200: { description: 'The notification', schema: wholeNotificationSchema } },
      handler: async (ctx) => ({
        status: 200,
        body: presentWholeNotification(await notifications.byId(scopeOf(ctx), ctx.params.notificationId)),
      }),
    }),
    route<unknown, unknown, NotificationParams>({
      ...acting,
      path: `${BASE}/{notificationId}/resend`,
      summary: 'Send a notification again, now',
      description:
        'You can do this even if it was delivered. The notification keeps its id and gets a new signature, and its ' +
        'retries start again. Later undelivered notifications about the same thing wait for it. The answer is 409 if its ' +
        'endpoint is disabled or removed.',
      params: notificationParams,
      body: Joi.object({}),
      optionalBody: true,
      responses: { 202: { description: 'The notification is in the queue', schema: notificationSchema } },
      handler: async (ctx) => ({
        status: 202,
        body: presentNotification(await notifications.resend(scopeOf(ctx), ctx.params.notificationId)),
      }),
    }),
    route<ResendWindow>({
      ...acting,
      path: `${BASE}/resend`,
      summary: 'Send the notifications of a time window again',
      body: resendWindowBody,
      responses: {
        202: {
          description: 'How many notifications were put into the queue',
          schema: Joi.object({ count: Joi.number().integer().required() }),
        },
      },
      handler: async (ctx) => {
        if (ctx.body.from >= ctx.body.to) refuse('to', 'must be later than from');
        return { status: 202, body: { count: await notifications.resendWindow(scopeOf(ctx), ctx.body) } };
      },
    }),
    route<TestBody>({
      ...acting,
      path: `${BASE}/test`,
      summary: 'Send one signed test.ping to a URL and show the answer',
      body: testBody,
      responses: {
        200: { description: 'The test notification with its only attempt', schema: wholeNotificationSchema },
      },
      handler: async (ctx) => {
        const refusal = outbound.refusal(ctx.body.url);
        if (refusal) refuse('url', refusal);
        const terminalId = await chooseTerminal(terminals, ctx);
        const ping = await notifications.ping({ ...scopeOf(ctx), terminalId }, ctx.body.url);
        return { status: 200, body: presentWholeNotification(ping) };
      },
    }),
  ];
}

function scopeOf(ctx: RequestContext<unknown, unknown, unknown>): NotificationScope {
  return { tenantId: ctx.tenantId, organizationId: ctx.organizationId, terminalId: ctx.principal.terminalId };
}
