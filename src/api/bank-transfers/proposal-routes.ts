import { presentProposal, presentReturn } from '../../commerce/bank-transfers/present';
import type { Proposals } from '../../commerce/bank-transfers/proposals';
import type { BankTransfers } from '../../commerce/bank-transfers/service';
import { actorOf } from '../server/actor';
import { listOf, type Paging, pageOf } from '../server/conventions';
import { type Route, route } from '../server/route';
import {
  type EntryParams,
  entryParams,
  listQuery,
  proposalSchema,
  type ReasonBody,
  type ReturnAccountBody,
  type ReturnParams,
  type ReturnQuery,
  reasonBody,
  returnAccountBody,
  returnParams,
  returnQuery,
  returnSchema,
} from './schema';

const BASE = '/bank-transfer/1.0.0';

/** What persons decide: which payment a transfer is for, and where money goes back to. */
export function proposalRoutes({
  bankTransfers,
  proposals,
}: {
  bankTransfers: BankTransfers;
  proposals: Proposals;
}): Route[] {
  const common = { area: 'Bank transfers', roles: ['tenant_admin'] as const };
  const deciding = { ...common, method: 'POST' as const, params: entryParams, idempotent: true };
  return [
    route<unknown, Paging>({
      ...common,
      method: 'GET',
      path: `${BASE}/proposals`,
      summary: 'List transfers whose payment a person has to confirm, newest first',
      query: listQuery,
      responses: { 200: { description: 'A page of proposals', schema: listOf(proposalSchema) } },
      handler: async (ctx) => {
        const page = pageOf(await proposals.list(ctx.tenantId, ctx.query), ctx.query.limit, ({ id }) => id);
        return { status: 200, body: { ...page, data: page.data.map(presentProposal) } };
      },
    }),
    route<unknown, unknown, EntryParams>({
      ...deciding,
      path: `${BASE}/proposals/{entryId}/confirm`,
      summary: 'Confirm that a transfer is for its payment',
      description:
        'Above `SUSPENSE_FOUR_EYES_MINOR` a second person has to confirm it too. The answer is 409 if it is decided, or if ' +
        'the payment takes no money any more.',
      responses: { 200: { description: 'The transfer', schema: proposalSchema } },
      handler: async (ctx) => ({
        status: 200,
        body: presentProposal(await proposals.confirm(ctx.tenantId, ctx.params.entryId, actorOf(ctx))),
      }),
    }),
    route<ReasonBody, unknown, EntryParams>({
      ...deciding,
      path: `${BASE}/proposals/{entryId}/reject`,
      summary: 'Say that a transfer is not for its payment',
      description: 'It goes into suspense, where operators match it with a payment or send it back.',
      body: reasonBody,
      responses: { 200: { description: 'The transfer', schema: proposalSchema } },
      handler: async (ctx) => ({
        status: 200,
        body: presentProposal(await proposals.reject(ctx.tenantId, ctx.params.entryId, ctx.body, actorOf(ctx))),
      }),
    }),
    route<unknown, ReturnQuery>({
      ...common,
      method: 'GET',
      path: `${BASE}/returns`,
      summary: 'List transfers back to payers, newest first',
      query: returnQuery,
      responses: { 200: { description: 'A page of returns', schema: listOf(returnSchema) } },
      handler: async (ctx) => {
        const page = pageOf(await bankTransfers.returns(ctx.tenantId, ctx.query), ctx.query.limit, ({ id }) => id);
        return { status: 200, body: { ...page, data: page.data.map(presentReturn) } };
      },
    }),
    route<ReturnAccountBody, unknown, ReturnParams>({
      ...common,
      method: 'POST',
      path: `${BASE}/returns/{returnId}/account`,
      summary: 'Name the account that money goes back to',
      description:
        'For a return that waits for it: the statement did not tell the account, or a transfer to it came back.',
      params: returnParams,
      body: returnAccountBody,
      idempotent: true,
      responses: { 200: { description: 'The return', schema: returnSchema } },
      handler: async (ctx) => ({
        status: 200,
        body: presentReturn(await bankTransfers.nameAccount(ctx.tenantId, ctx.params.returnId, ctx.body, actorOf(ctx))),
      }),
    }),
  ];
}
