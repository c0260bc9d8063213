import Joi from 'joi';
import { DomainError } from '../../domain/errors';
import type { NotificationService } from '../../edge/notifications/service';
import { GIVEN_UP_DAYS } from '../../edge/worklist/platform-sources';
import { noteDone } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import { type Page, paged } from '../../foundation/db/page';
import { FLOW_STANDINGS, type FlowStanding } from '../../foundation/temporal/flows';
import { actorOf } from '../server/actor';
import { id, instant, listOf, numericCursor, pageOf, paging } from '../server/conventions';
import { type Route, route } from '../server/route';
import { reason } from './payout-schema';

const DAY_MS = 86_400_000;

/** Throws `unavailable` when the engine is away. */
function askedOfEngine<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((cause) => {
    throw new DomainError('unavailable', 'The workflow engine does not answer', { retryAfterSeconds: 2, cause });
  });
}

/** Starts the flow of an open object again. */
export type RestartFlow = (objectId: string) => Promise<{ workflowId: string; restarted: boolean }>;

export interface PlatformDependencies {
  database: Database;
  notifications: NotificationService;
  engine: { uiUrl?: string; namespace: string };
  /** Rejects when the engine is away. */
  flowStanding: (workflowId: string) => Promise<FlowStanding>;
  restartFlow: RestartFlow;
}

interface EventsQuery extends Page {
  kind?: string;
  receiver?: string;
}
interface FlowQuery {
  workflowId: string;
}
interface RestartBody {
  objectId: string;
  reason: string;
}
interface RedeliverBody {
  organizationId: string;
  endpoint: string;
  reason: string;
}

const eventSchema = Joi.object({
  eventId: Joi.string().required(),
  kind: Joi.string().required().example('callback_signature'),
  source: Joi.string().description('Address that it came from'),
  detail: Joi.object().pattern(Joi.string(), Joi.string()).required(),
  at: instant().required(),
});

/** What operators need of the platform itself. */
export function platformRoutes(deps: PlatformDependencies): Route[] {
  const { database, notifications, engine, flowStanding, restartFlow } = deps;
  const common = { area: 'Operations', roles: ['ops'] as const };
  return [
    route({
      ...common,
      method: 'GET',
      path: '/ops/1.0.0/engine',
      summary: 'Where the web pages of the workflow engine are',
      description: 'The page of a workflow is `{uiUrl}/namespaces/{namespace}/workflows/{workflowId}`, its id encoded.',
      responses: {
        200: {
          description: 'The engine',
          schema: Joi.object({
            uiUrl: Joi.string().description('Absent: the settings name none').example('http://127.0.0.1:8233'),
            namespace: Joi.string().required(),
          }),
        },
      },
      handler: async () => ({ status: 200, body: engine }),
    }),
    route<unknown, FlowQuery>({
      ...common,
      method: 'GET',
      path: '/ops/1.0.0/flows',
      summary: 'Whether a workflow is there',
      description:
        'With `PAYMENT_FLOWS=waiting`, a payment that nobody had to wait for has none: its timeline says all. With `due` ' +
        'one has none before there is something for it to do. The engine forgets workflows some time after their end.',
      query: Joi.object<FlowQuery>({
        workflowId: Joi.string().max(200).required().example('payment/pay_01jcxk3v8pe4xaz1w5kq9d2b7m'),
      }),
      responses: {
        200: {
          description: 'The workflow',
          schema: Joi.object({
            workflowId: Joi.string().required(),
            standing: Joi.string()
              .valid(...FLOW_STANDINGS)
              .required()
              .description('`none`: there is none, or the engine has forgotten it'),
          }),
        },
      },
      handler: async ({ query: { workflowId } }) => ({
        status: 200,
        body: { workflowId, standing: await askedOfEngine(flowStanding(workflowId)) },
      }),
    }),
    route<RestartBody>({
      ...common,
      method: 'POST',
      path: '/ops/1.0.0/flows/restart',
      summary: 'Start the flow of an open object again, if it is gone',
      description: 'Workers do this by themselves within twice `LOST_FLOW_MS`. The answer is 404 unless it is open.',
      body: Joi.object<RestartBody>({
        objectId: Joi.string().max(100).required().example('pay_01jcxk3v8pe4xaz1w5kq9d2b7m'),
        reason: reason(),
      }),
      idempotent: true,
      responses: {
        200: {
          description: 'What became of it',
          schema: Joi.object({
            workflowId: Joi.string().required(),
            restarted: Joi.boolean().required().description('False: it runs'),
          }),
        },
      },
      handler: async (ctx) => {
        const { objectId, reason: why } = ctx.body;
        const restarted = await restartFlow(objectId);
        await noteDone(database.system, null, actorOf(ctx), 'flows.restart', objectId, { reason: why, ...restarted });
        return { status: 200, body: restarted };
      },
    }),
    route<RedeliverBody>({
      ...common,
      method: 'POST',
      path: '/ops/1.0.0/notifications/redeliver',
      summary: 'Send the notifications again that were given up for one server',
      description: `Those of the last ${GIVEN_UP_DAYS} days, tests excepted.`,
      body: Joi.object<RedeliverBody>({
        reason: reason(),
        organizationId: id('organization').required(),
        endpoint: Joi.string().max(300).required().example('https://shop.example').description('Scheme, host and port'),
      }),
      idempotent: true,
      responses: {
        202: {
          description: 'How many notifications were put into the queue',
          schema: Joi.object({ count: Joi.number().integer().required() }),
        },
      },
      handler: async (ctx) => {
        const from = new Date(Date.now() - GIVEN_UP_DAYS * DAY_MS);
        return { status: 202, body: { count: await notifications.redeliver({ ...ctx.body, from }, actorOf(ctx)) } };
      },
    }),
    route<unknown, EventsQuery>({
      ...common,
      method: 'GET',
      path: '/ops/1.0.0/security-events',
      summary: 'What the platform refused to believe, newest first',
      description: '`callback_signature`: a callback whose signature is missing or wrong.',
      query: Joi.object<EventsQuery>({
        ...paging(),
        kind: Joi.string().max(40),
        receiver: Joi.string().max(40),
      }),
      responses: { 200: { description: 'A page of events', schema: listOf(eventSchema) } },
      handler: async (ctx) => {
        const { limit, cursor, kind, receiver } = ctx.query;
        const rows = paged(database.ops('security_events'), {
          limit,
          ...(cursor !== undefined && { cursor: numericCursor(cursor) }),
        });
        if (kind) rows.where({ kind });
        if (receiver) rows.whereRaw("detail->>'receiver' = ?", [receiver]);
        const page = pageOf(await rows, limit, (row) => `${row.id}`);
        const data = page.data.map((row) => ({
          eventId: `${row.id}`,
          kind: row.kind,
          ...(row.source && { source: row.source }),
          detail: row.detail,
          at: row.at,
        }));
        return { status: 200, body: { ...page, data } };
      },
    }),
  ];
}
