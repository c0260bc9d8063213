import type { InterventionFilter, Interventions } from '../../money/interventions/service';
import type { InterventionRow } from '../../money/payments/intervention';
import { actorOf } from '../server/actor';
import { listOf, pageOf } from '../server/conventions';
import { type Answer, type Route, route } from '../server/route';
import {
  type InterventionParams,
  interventionParams,
  interventionSchema,
  interventionsQuery,
  type ObjectParams,
  type OrderBody,
  objectParams,
  objectSchema,
  orderBody,
  presentIntervention,
  presentObject,
} from './intervention-schema';
import { type ReasonBody, reasonBody } from './payout-schema';

const BASE = '/ops/1.0.0/interventions';
const ONE = `${BASE}/{interventionId}`;

/** What operators do about a payment, top-up, refund, dispute or late money, each act with a reason. */
export function interventionRoutes({ interventions }: { interventions: Interventions }): Route[] {
  const common = { area: 'Operations', roles: ['ops'] as const };
  const responses = { 200: { description: 'The intervention', schema: interventionSchema } };
  const acting = { ...common, method: 'POST' as const, params: interventionParams, idempotent: true, responses };
  const answer = (row: InterventionRow): Answer => ({ status: 200, body: presentIntervention(row) });
  return [
    route<unknown, unknown, ObjectParams>({
      ...common,
      method: 'GET',
      path: '/ops/1.0.0/objects/{objectId}',
      summary: 'A payment, top-up, refund, dispute or receipt as operators see it, and what they can do about it',
      params: objectParams,
      responses: { 200: { description: 'The object', schema: objectSchema } },
      handler: async (ctx) => ({ status: 200, body: presentObject(await interventions.subject(ctx.params.objectId)) }),
    }),
    route<unknown, InterventionFilter>({
      ...common,
      method: 'GET',
      path: BASE,
      summary: 'What operators have ordered and proposed, newest first',
      query: interventionsQuery,
      responses: { 200: { description: 'A page of interventions', schema: listOf(interventionSchema) } },
      handler: async (ctx) => {
        const { tenantId = ctx.tenantIdIfAny, ...rest } = ctx.query;
        const page = pageOf(await interventions.list({ ...rest, tenantId }), rest.limit, ({ id }) => id);
        return { status: 200, body: { ...page, data: page.data.map(presentIntervention) } };
      },
    }),
    route<unknown, unknown, InterventionParams>({
      ...common,
      method: 'GET',
      path: ONE,
      summary: 'One intervention',
      params: interventionParams,
      responses,
      handler: async (ctx) => answer(await interventions.find(ctx.params.interventionId)),
    }),
    route<OrderBody>({
      ...common,
      method: 'POST',
      path: BASE,
      summary: 'Ask the processor again, cancel, resolve, mark as returned, or close',
      description:
        '`ask_again` has the processor asked now. `cancel` cancels a payment that is not captured, at the processor ' +
        'first. `resolve` books the outcome that you learnt from the processor by another way, while it is unknown. ' +
        '`mark_returned` is for late money that is back with its payer. `close` says that somebody has seen to it. To ' +
        'cancel, resolve or mark as returned more than `INTERVENTION_FOUR_EYES_MINOR` is a proposal. The answer is 409 ' +
        'if the state of the object does not allow the act.',
      body: orderBody,
      idempotent: true,
      responses: { 202: { description: 'It is proposed, ordered, or done', schema: interventionSchema } },
      handler: async (ctx) => {
        const order = { ...ctx.body, interventionId: ctx.resourceId('intervention') };
        return { status: 202, body: presentIntervention(await interventions.order(order, actorOf(ctx))) };
      },
    }),
    route<unknown, unknown, InterventionParams>({
      ...acting,
      path: `${ONE}/confirm`,
      summary: 'Confirm what another operator has proposed',
      description: 'The answer is 403 for the operator who proposed it, and 409 if it is not proposed any more.',
      handler: async (ctx) => answer(await interventions.confirm(ctx.params.interventionId, actorOf(ctx))),
    }),
    route<ReasonBody, unknown, InterventionParams>({
      ...acting,
      path: `${ONE}/withdraw`,
      summary: 'Withdraw a proposal',
      body: reasonBody,
      handler: async (ctx) =>
        answer(await interventions.withdraw(ctx.params.interventionId, ctx.body.reason, actorOf(ctx))),
    }),
  ];
}
