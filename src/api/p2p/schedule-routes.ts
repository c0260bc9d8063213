import { presentSchedule, scheduleSchema } from '../records/schedule';
import { actingOf, moneyOf, namedBy, requireCustomer } from '../server/acting';
import { listOf, pageOf } from '../server/conventions';
import { requireOwn } from '../server/middleware/scope';
import { type Route, route } from '../server/route';
import { TWO_FACTOR_TEXT } from '../server/second-factor';
import { BASE, instantOf, ownIdOf, posting, reading } from './acting';
import type { P2pDependencies } from './dependencies';
import {
  type ScheduleBody,
  type ScheduleParams,
  type ScheduleQuery,
  scheduleBody,
  scheduleParams,
  scheduleQuery,
} from './schema';

const SCHEDULES = `${BASE}/schedules`;
const ONE = `${SCHEDULES}/{scheduleId}`;

/** Transfers that are made later, once or repeatedly. */
export function scheduleRoutes({ scheduledTransfers, identity }: P2pDependencies): Route[] {
  return [
    route<ScheduleBody>({
      ...posting,
      path: SCHEDULES,
      summary: 'Schedule transfers',
      description:
        'We make each transfer when it is due, as if you sent it then. If a transfer is refused, it is in the list ' +
        'of transfers as `failed` with the reason. The answer is 404 if the recipient has not joined transfers. ' +
        'Customers whose `funding` setting is on need the second factor for the schedule, not for each transfer. ' +
        `${TWO_FACTOR_TEXT}`,
      body: scheduleBody,
      responses: { 201: { description: 'Scheduled', schema: scheduleSchema } },
      handler: async (ctx) => {
        const { senderId, recipient, note, frequency, startsAt, endsAt } = ctx.body;
        const words = `to send ${ctx.body.amount} ${ctx.body.currency} to ${recipient}, ${frequency}`;
        await requireCustomer(ctx, identity.secondFactor, senderId, 'funding', words);
        const schedule = await scheduledTransfers.create({
          scheduleId: ctx.resourceId('transferSchedule'),
          tenantId: ctx.tenantId,
          senderId,
          recipient: namedBy(recipient),
          money: moneyOf(ctx.body),
          note,
          kind: 'schedule',
          recurrence: { frequency, startsAt: wholeSecond(startsAt), endsAt: instantOf(endsAt) },
          acting: actingOf(ctx),
        });
        return { status: 201, body: presentSchedule(schedule) };
      },
    }),
    route<unknown, unknown, ScheduleParams>({
      ...posting,
      path: `${ONE}/cancel`,
      summary: 'Cancel a schedule. It makes no more transfers',
      params: scheduleParams,
      responses: { 200: { description: 'The schedule is cancelled, or had already ended', schema: scheduleSchema } },
      handler: async (ctx) => {
        const own = { customerId: ownIdOf(ctx) };
        const schedule = await scheduledTransfers.cancel(ctx.tenantId, ctx.params.scheduleId, actingOf(ctx), own);
        return { status: 200, body: presentSchedule(schedule) };
      },
    }),
    route<unknown, ScheduleQuery>({
      ...reading,
      path: SCHEDULES,
      summary: 'Schedules, newest first. Customers see their own',
      query: scheduleQuery,
      responses: { 200: { description: 'A page of schedules', schema: listOf(scheduleSchema) } },
      handler: async (ctx) => {
        const { customerId, limit } = ctx.query;
        if (customerId) requireOwn(ctx.principal, customerId);
        const filter = { ...ctx.query, customerId: customerId ?? ownIdOf(ctx) };
        const page = pageOf(await scheduledTransfers.list(ctx.tenantId, filter), limit, ({ id }) => id);
        return { status: 200, body: { ...page, data: page.data.map(presentSchedule) } };
      },
    }),
    route<unknown, unknown, ScheduleParams>({
      ...reading,
      path: ONE,
      summary: 'One schedule. List its transfers with `scheduleId`',
      params: scheduleParams,
      responses: { 200: { description: 'The schedule', schema: scheduleSchema } },
      handler: async (ctx) => {
        const own = { customerId: ownIdOf(ctx) };
        const schedule = await scheduledTransfers.find(ctx.tenantId, ctx.params.scheduleId, own);
        return { status: 200, body: presentSchedule(schedule) };
      },
    }),
  ];
}

/** The engine's schedules have no milliseconds. */
function wholeSecond(value: string): Date {
  return new Date(Math.floor(new Date(value).getTime() / 1_000) * 1_000);
}
