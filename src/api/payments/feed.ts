import Joi from 'joi';
import { PAYMENT_EVENT_TYPES } from '../../domain/notification-type';
import type { Database } from '../../foundation/db/database';
import { type FeedPosition, latestPosition, readFeed } from '../../money/feed/feed';
import { disputeSchema } from '../records/dispute';
import { paymentRecordSchema } from '../records/payment';
import { decodeCursor, encodeCursor, instant, notificationType, say } from '../server/conventions';
import { type Route, route } from '../server/route';

interface FeedQuery {
  limit: number;
  /** `latest`, or a position. */
  after?: FeedPosition | 'latest';
}

const FIRST: FeedPosition = { payments: 0n, disputes: 0n };
const POSITION = /^(\d{1,18})\.(\d{1,18})$/;

function positionOf(cursor: string): FeedPosition | undefined {
  const [, payments, disputes] = POSITION.exec(decodeCursor(cursor) ?? '') ?? [];
  return payments && disputes ? { payments: BigInt(payments), disputes: BigInt(disputes) } : undefined;
}

const feedQuery = Joi.object<FeedQuery>({
  limit: Joi.number().integer().min(1).max(200).default(50).description('Events per answer'),
  after: Joi.string()
    .max(400)
    .custom((text: string, helpers) =>
      text === 'latest' ? text : (positionOf(text) ?? say(helpers, 'is not a cursor of this feed')),
    )
    .description(
      '`nextCursor` of the previous answer. With `latest` you get only new events; without it the feed starts at the first event',
    ),
});

const feedSchema = Joi.object({
  data: Joi.array()
    .items(
      Joi.object({
        id: Joi.string().required().example('evt_p1024').description('The event always has this id'),
        type: notificationType(PAYMENT_EVENT_TYPES).required(),
        createdAt: instant().required(),
        data: paymentRecordSchema.keys({ dispute: disputeSchema }).required(),
      }),
    )
    .required(),
  nextCursor: Joi.string().required().description('Never null. Ask again with it to get the next events'),
});

/** The events of an organization's payments, for clients that ask for them repeatedly. */
export function feedRoutes({ database }: { database: Database }): Route[] {
  return [
    route<unknown, FeedQuery>({
      method: 'GET',
      path: '/ipg/1.0.0/payment/events',
      area: 'Payments',
      summary: 'The events of the organization’s payments, oldest first',
      description:
        'An event has the same type as its notification, even if no notification is sent. It has the current payment ' +
        'with the status of that moment, or the dispute with its status of that moment.',
      roles: ['merchant', 'tenant_admin', 'ops'],
      identity: 'organizationId',
      query: feedQuery,
      responses: {
        200: { description: 'The next events; the list is empty if there are none yet', schema: feedSchema },
      },
      handler: async (ctx) => {
        const { tenantId, organizationId } = ctx;
        const { after = FIRST, limit } = ctx.query;
        const { terminalId } = ctx.principal;
        const { events, position } =
          after === 'latest'
            ? { events: [], position: await latestPosition(database, tenantId) }
            : await readFeed(database, { tenantId, organizationId, terminalId }, after, limit);
        const data = events.map(({ at, ...event }) => ({ ...event, createdAt: at }));
        return { status: 200, body: { data, nextCursor: encodeCursor(`${position.payments}.${position.disputes}`) } };
      },
    }),
  ];
}
