import type { SuspenseService, UnmatchedTransferPage } from '../../money/suspense/service';
import type { UnmatchedTransferRow } from '../../money/suspense/unmatched-transfer';
import { actorOf } from '../server/actor';
import { listOf, pageOf } from '../server/conventions';
import { type Answer, type Route, route } from '../server/route';
import {
  matchBody,
  presentUnmatchedTransfer,
  reasonBody,
  type UnmatchedTransferParams,
  unmatchedTransferParams,
  unmatchedTransferSchema,
  unmatchedTransfersQuery,
} from './unmatched-schema';

const BASE = '/ops/1.0.0/unmatched-transfers';
const ONE = `${BASE}/{unmatchedTransferId}`;

/** Incoming bank transfers that matched no payment: operators match or return them. */
export function unmatchedTransferRoutes({ suspense }: { suspense: SuspenseService }): Route[] {
  const common = { area: 'Operations', roles: ['ops'] as const };
  const acting = { ...common, method: 'POST' as const, params: unmatchedTransferParams, idempotent: true };
  const responses = {
    200: { description: 'It is proposed, and a second operator has to confirm it', schema: unmatchedTransferSchema },
    202: { description: 'The processor is told', schema: unmatchedTransferSchema },
  };
  const answer = (row: UnmatchedTransferRow): Answer => ({
    status: row.status === 'matching' || row.status === 'returning' ? 202 : 200,
    body: presentUnmatchedTransfer(row),
  });
  return [
    route<unknown, UnmatchedTransferPage>({
      ...common,
      method: 'GET',
      path: BASE,
      summary: 'Incoming bank transfers that matched no payment, newest first',
      query: unmatchedTransfersQuery,
      responses: { 200: { description: 'A page of transfers', schema: listOf(unmatchedTransferSchema) } },
      handler: async (ctx) => {
        const page = pageOf(await suspense.list(ctx.query), ctx.query.limit, (row) => row.id);
        return { status: 200, body: { ...page, data: page.data.map(presentUnmatchedTransfer) } };
      },
    }),
    route<unknown, unknown, UnmatchedTransferParams>({
      ...common,
      method: 'GET',
      path: ONE,
      summary: 'One of them',
      params: unmatchedTransferParams,
      responses: { 200: { description: 'The transfer', schema: unmatchedTransferSchema } },
      handler: async (ctx) => ({
        status: 200,
        body: presentUnmatchedTransfer(await suspense.find(ctx.params.unmatchedTransferId)),
      }),
    }),
    route<{ paymentId: string; reason: string }, unknown, UnmatchedTransferParams>({
      ...acting,
      path: `${ONE}/match`,
      summary: 'Match it with a payment by bank transfer that waits for money',
      description:
        'The processor counts it towards the payment, as if it had arrived on its account. Above ' +
        '`SUSPENSE_FOUR_EYES_MINOR` this is a proposal. The answer is 409 if somebody has decided already, or if the ' +
        'payment does not wait for money.',
      body: matchBody,
      responses,
      handler: async (ctx) => answer(await suspense.match(ctx.params.unmatchedTransferId, ctx.body, actorOf(ctx))),
    }),
    route<{ reason: string }, unknown, UnmatchedTransferParams>({
      ...acting,
      path: `${ONE}/return`,
      summary: 'Return it to its sender through the processor',
      description:
        'Above `SUSPENSE_FOUR_EYES_MINOR` this is a proposal. The answer is 409 if somebody has decided already.',
      body: reasonBody,
      responses,
      handler: async (ctx) => answer(await suspense.giveBack(ctx.params.unmatchedTransferId, ctx.body, actorOf(ctx))),
    }),
    route<unknown, unknown, UnmatchedTransferParams>({
      ...acting,
      path: `${ONE}/confirm`,
      summary: 'Confirm what another operator proposed',
      description: 'The answer is 403 for the operator who proposed it, and 409 if nothing is proposed.',
      responses: { 202: responses[202] },
      handler: async (ctx) => answer(await suspense.confirm(ctx.params.unmatchedTransferId, actorOf(ctx))),
    }),
    route<{ reason: string }, unknown, UnmatchedTransferParams>({
      ...acting,
      path: `${ONE}/withdraw`,
      summary: 'Withdraw a proposal; the transfer is open again',
      description: 'Every operator may do it. The answer is 409 if nothing is proposed.',
      body: reasonBody,
      responses: { 200: { description: 'It is open', schema: unmatchedTransferSchema } },
      handler: async (ctx) => answer(await suspense.withdraw(ctx.params.unmatchedTransferId, ctx.body, actorOf(ctx))),
    }),
  ];
}
