import type { DeskFilter, PayoutDesk } from '../../commerce/payouts/desk';
import type { PayoutRow } from '../../commerce/payouts/payout';
import { actorOf } from '../server/actor';
import { listOf, pageOf } from '../server/conventions';
import { type Answer, type Route, route } from '../server/route';
import {
  type OpsPayoutParams,
  opsPayoutParams,
  opsPayoutSchema,
  opsPayoutsQuery,
  presentOpsPayout,
  type ReasonBody,
  reasonBody,
} from './payout-schema';

const BASE = '/ops/1.0.0/payouts';
const ONE = `${BASE}/{payoutId}`;

/** Payouts that need a person: refused, returned, or unknown for too long. */
export function opsPayoutRoutes({ payoutDesk }: { payoutDesk: PayoutDesk }): Route[] {
  const common = { area: 'Operations', roles: ['ops'] as const };
  const responses = { 200: { description: 'The payout', schema: opsPayoutSchema } };
  const acting = { ...common, method: 'POST' as const, params: opsPayoutParams, idempotent: true, responses };
  const answer = (row: PayoutRow): Answer => ({ status: 200, body: presentOpsPayout(row) });
  return [
    route<unknown, DeskFilter>({
      ...common,
      method: 'GET',
      path: BASE,
      summary: 'Payouts that an operator has to look at, newest first',
      description: 'Their outcome is unknown for too long, their processor refused them, or they came back.',
      query: opsPayoutsQuery,
      responses: { 200: { description: 'A page of payouts', schema: listOf(opsPayoutSchema) } },
      handler: async (ctx) => {
        const page = pageOf(await payoutDesk.list(ctx.query), ctx.query.limit, ({ id }) => id);
        return { status: 200, body: { ...page, data: page.data.map(presentOpsPayout) } };
      },
    }),
    route<unknown, unknown, OpsPayoutParams>({
      ...common,
      method: 'GET',
      path: ONE,
      summary: 'Any payout as operators see it',
      params: opsPayoutParams,
      responses,
      handler: async (ctx) => answer(await payoutDesk.find(ctx.params.payoutId)),
    }),
    route<ReasonBody, unknown, OpsPayoutParams>({
      ...acting,
      path: `${ONE}/ask-again`,
      summary: 'Ask the processor now what became of a payout',
      description: 'The answer is 409 unless it is `sent`.',
      body: reasonBody,
      handler: async (ctx) => answer(await payoutDesk.askAgain(ctx.params.payoutId, ctx.body.reason, actorOf(ctx))),
    }),
    route<ReasonBody, unknown, OpsPayoutParams>({
      ...acting,
      path: `${ONE}/mark-returned`,
      summary: 'Mark a payout as returned',
      description:
        'For money that is back although the processor does not say so: it goes into the balance of the seller. Above ' +
        '`PAYOUT_FOUR_EYES_MINOR` this is a proposal. The answer is 409 if no money of it is out.',
      body: reasonBody,
      handler: async (ctx) => answer(await payoutDesk.markReturned(ctx.params.payoutId, ctx.body.reason, actorOf(ctx))),
    }),
    route<unknown, unknown, OpsPayoutParams>({
      ...acting,
      path: `${ONE}/confirm`,
      summary: 'Confirm that a payout came back, as another operator proposed',
      description: 'The answer is 403 for the operator who proposed it, and 409 if nothing is proposed.',
      handler: async (ctx) => answer(await payoutDesk.confirmReturn(ctx.params.payoutId, actorOf(ctx))),
    }),
    route<ReasonBody, unknown, OpsPayoutParams>({
      ...acting,
      path: `${ONE}/withdraw`,
      summary: 'Withdraw a proposal about a payout',
      body: reasonBody,
      handler: async (ctx) =>
        answer(await payoutDesk.withdrawReturn(ctx.params.payoutId, ctx.body.reason, actorOf(ctx))),
    }),
    route<ReasonBody, unknown, OpsPayoutParams>({
      ...acting,
      path: `${ONE}/close`,
      summary: 'Close a payout that was refused or came back: somebody has seen to it',
      description: 'The answer is 409 while its outcome is unknown.',
      body: reasonBody,
      handler: async (ctx) => answer(await payoutDesk.close(ctx.params.payoutId, ctx.body.reason, actorOf(ctx))),
    }),
  ];
}
