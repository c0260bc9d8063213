import Joi from 'joi';
import type { Database } from '../../foundation/db/database';
import { instant, listOf, pageOf, paging } from '../server/conventions';
import { type Route, route } from '../server/route';

const STATES = ['stored', 'applied', 'ignored', 'unmatched', 'flagged'] as const;

interface InboxQuery {
  limit: number;
  cursor?: string;
  state?: string;
  reference?: string;
}

const callbackSchema = Joi.object({
  callbackId: Joi.string().required(),
  processor: Joi.string().required(),
  receiver: Joi.string().required(),
  eventId: Joi.string().required(),
  reference: Joi.string().allow('').required(),
  type: Joi.string().required(),
  state: Joi.string()
    .valid(...STATES)
    .required(),
  note: Joi.string(),
  receivedAt: instant().required(),
});

/** What operators read in addition to the engine's UI. */
export function opsRoutes({ database }: { database: Database }): Route[] {
  return [
    route<unknown, InboxQuery>({
      method: 'GET',
      path: '/ops/1.0.0/callbacks',
      area: 'Operations',
      summary: 'The callback inbox: each callback and its outcome, newest first',
      roles: ['ops'],
      query: Joi.object({ ...paging(), state: Joi.string().valid(...STATES), reference: Joi.string().max(100) }),
      responses: { 200: { description: 'A page of callbacks', schema: listOf(callbackSchema) } },
      handler: async (ctx) => {
        const { limit, cursor, state, reference } = ctx.query;
        const query = database
          .ops('callback_inbox')
          .orderBy('id', 'desc')
          .limit(limit + 1);
        if (cursor) query.where('id', '<', cursor);
        if (state) query.where({ state });
        if (reference) query.where({ reference });
        const page = pageOf(await query, limit, (row) => row.id);
        const data = page.data.map((row) => ({
          callbackId: row.id,
          processor: row.processor,
          receiver: row.receiver,
          eventId: row.event_id,
          reference: row.reference,
          type: row.type,
          state: row.state,
          note: row.note ?? undefined,
          receivedAt: row.received_at,
        }));
        return { status: 200, body: { ...page, data } };
      },
    }),
  ];
}
