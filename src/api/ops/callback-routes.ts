import Joi from 'joi';
import type { CallbackDesk, CallbackFilter, ShownCallback, WholeCallback } from '../../edge/callbacks/desk';
import { actorOf } from '../server/actor';
import { anyId, instant, listOf, pageOf, paging } from '../server/conventions';
import { type Answer, type Route, route } from '../server/route';
import { type ReasonBody, reasonBody } from './payout-schema';

const BASE = '/ops/1.0.0/callbacks';
const ONE = `${BASE}/{callbackId}`;
const STATES = ['stored', 'applied', 'ignored', 'unmatched', 'flagged'] as const;

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
  attempts: Joi.number().integer().required().description('How often it was brought to its flow'),
  receivedAt: instant().required(),
  handledAt: instant(),
});

const wholeSchema = callbackSchema.keys({
  headers: Joi.object()
    .pattern(Joi.string(), Joi.string().allow(''))
    .description('As it came, without what signs somebody in. Absent of one that came before they were kept'),
  body: Joi.string().allow('').description('Its bytes as text. Of a GET, its query'),
  bodyBase64: Joi.string().description('Instead of `body` where the bytes are no UTF-8'),
  bytes: Joi.number().integer().required(),
  sha256: Joi.string().required().description('Of the bytes as they came, in hexadecimal'),
  hiddenCardNumbers: Joi.number().integer().required().description('How many card numbers are hidden in the body'),
});

interface CallbackParams {
  callbackId: string;
}

/** The inbox of what processors send. */
export function opsCallbackRoutes({ callbackDesk }: { callbackDesk: CallbackDesk }): Route[] {
  const common = { area: 'Operations', roles: ['ops'] as const };
  const params = Joi.object<CallbackParams>({ callbackId: anyId() });
  const responses = { 200: { description: 'The callback', schema: callbackSchema } };
  const acting = { ...common, method: 'POST' as const, params, body: reasonBody, idempotent: true, responses };
  const answer = (row: ShownCallback): Answer => ({ status: 200, body: presentCallback(row) });
  return [
    route<unknown, CallbackFilter>({
      ...common,
      method: 'GET',
      path: BASE,
      summary: 'The callback inbox: each callback and its outcome, newest first',
      query: Joi.object<CallbackFilter>({
        ...paging(),
        state: Joi.string().valid(...STATES),
        reference: Joi.string().max(100).description('What it is about, such as `pay_…`'),
        processor: Joi.string().max(20),
      }),
      responses: { 200: { description: 'A page of callbacks', schema: listOf(callbackSchema) } },
      handler: async (ctx) => {
        const page = pageOf(await callbackDesk.list(ctx.query), ctx.query.limit, ({ id }) => id);
        return { status: 200, body: { ...page, data: page.data.map(presentCallback) } };
      },
    }),
    route<unknown, unknown, CallbackParams>({
      ...common,
      method: 'GET',
      path: ONE,
      summary: 'One callback with its bytes and headers, card numbers hidden',
      description: 'Who reads it stands in the audit log (`callbacks.read`).',
      params,
      responses: { 200: { description: 'The callback', schema: wholeSchema } },
      handler: async (ctx) => ({
        status: 200,
        body: presentWhole(await callbackDesk.read(ctx.params.callbackId, actorOf(ctx))),
      }),
    }),
    route<ReasonBody, unknown, CallbackParams>({
      ...acting,
      path: `${ONE}/replay`,
      summary: 'Have a callback heard again, as if it had just come',
      description: 'The answer is 409 if it has had its effect: ask the processor instead.',
      handler: async (ctx) => answer(await callbackDesk.replay(ctx.params.callbackId, ctx.body.reason, actorOf(ctx))),
    }),
    route<ReasonBody, unknown, CallbackParams>({
      ...acting,
      path: `${ONE}/dismiss`,
      summary: 'Dismiss a flagged callback: nothing is to become of it',
      description: 'The answer is 409 unless it is `flagged`.',
      handler: async (ctx) => answer(await callbackDesk.dismiss(ctx.params.callbackId, ctx.body.reason, actorOf(ctx))),
    }),
  ];
}

function presentCallback(row: ShownCallback): Record<string, unknown> {
  return {
    callbackId: row.id,
    processor: row.processor,
    receiver: row.receiver,
    eventId: row.event_id,
    reference: row.reference,
    type: row.type,
    state: row.state,
    ...(row.note && { note: row.note }),
    attempts: row.attempts,
    receivedAt: row.received_at,
    ...(row.handled_at && { handledAt: row.handled_at }),
  };
}

function presentWhole({ headers, body, bytes, sha256, hidden, ...row }: WholeCallback): Record<string, unknown> {
  return {
    ...presentCallback(row),
    ...(headers && { headers }),
    ...('text' in body ? { body: body.text } : { bodyBase64: body.base64 }),
    bytes,
    sha256,
    hiddenCardNumbers: hidden,
  };
}
