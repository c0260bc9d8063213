import { presentTransfer, transferSchema } from '../records/transfer';
import { actingOf, moneyOf, namedBy, requireCustomer } from '../server/acting';
import type { RequestContext } from '../server/context';
import { listOf, pageOf } from '../server/conventions';
import { csvAnswer } from '../server/csv';
import { requireOwn } from '../server/middleware/scope';
import { type Route, route } from '../server/route';
import { TWO_FACTOR_TEXT } from '../server/second-factor';
import { BASE, instantOf, ownIdOf, posting, reading } from './acting';
import type { P2pDependencies } from './dependencies';
import { EXPORT_COLUMNS } from './export';
import { presentTransferEvent } from './present';
import {
  exportQuery,
  type ReasonBody,
  reasonBody,
  type TransferBody,
  type TransferFilterQuery,
  type TransferParams,
  type TransferQuery,
  transferBody,
  transferEventSchema,
  transferParams,
  transferQuery,
} from './schema';

const TRANSFERS = `${BASE}/transfers`;
const ONE = `${TRANSFERS}/{transferId}`;

/** Sending money to another customer, and the later steps of a transfer. */
export function transferRoutes(deps: P2pDependencies): Route[] {
  return [sendRoute(deps), ...actRoutes(deps), ...readRoutes(deps)];
}

function sendRoute({ transfers, identity }: P2pDependencies): Route {
  return route<TransferBody>({
    ...posting,
    path: TRANSFERS,
    summary: 'Send money to another customer',
    description:
      'The transfer settles at once, with two exceptions. If the recipient wants to accept each transfer, it waits ' +
      'for that. If nobody has joined with the e-mail address or telephone number yet, we hold it and send an ' +
      'invitation; it settles when somebody joins with that alias. If nobody takes the money in time, it goes back ' +
      'to the sender. The answer is 404 for an unknown handle or id, and 422 `insufficient_funds`, `limit_exceeded`, ' +
      '`not_enrolled`, `p2p_suspended`, `customer_blocked` or `recipient_unavailable`. Customers whose `funding` ' +
      `setting is on need the second factor. ${TWO_FACTOR_TEXT}`,
    body: transferBody,
    responses: {
      201: { description: 'The transfer is settled', schema: transferSchema },
      202: { description: 'The transfer is held', schema: transferSchema },
    },
    handler: async (ctx) => {
      const { senderId, recipient, note, expiresAt } = ctx.body;
      const words = `to send ${ctx.body.amount} ${ctx.body.currency} to ${recipient}`;
      await requireCustomer(ctx, identity.secondFactor, senderId, 'funding', words);
      const transfer = await transfers.send({
        transferId: ctx.resourceId('transfer'),
        tenantId: ctx.tenantId,
        senderId,
        recipient: namedBy(recipient),
        money: moneyOf(ctx.body),
        note,
        expiresAt: instantOf(expiresAt),
        acting: actingOf(ctx),
      });
      return { status: transfer.status === 'held' ? 202 : 201, body: presentTransfer(transfer) };
    },
  });
}

function actRoutes({ transfers, identity }: P2pDependencies): Route[] {
  const one = { ...posting, params: transferParams };
  const answer = (description: string) => ({ 200: { description, schema: transferSchema } });
  const actOn = (ctx: RequestContext<unknown, unknown, TransferParams>) => ({
    tenantId: ctx.tenantId,
    transferId: ctx.params.transferId,
    customerId: ownIdOf(ctx),
    acting: actingOf(ctx),
    actId: ctx.resourceId('request'),
  });
  return [
    route<unknown, unknown, TransferParams>({
      ...one,
      path: `${ONE}/accept`,
      summary: 'Accept a transfer, as its recipient',
      responses: answer('Settled'),
      handler: async (ctx) => ({ status: 200, body: presentTransfer(await transfers.accept(actOn(ctx))) }),
    }),
    route<ReasonBody, unknown, TransferParams>({
      ...one,
      path: `${ONE}/decline`,
      summary: 'Decline a transfer, as its recipient',
      body: reasonBody,
      optionalBody: true,
      responses: answer('The sender has the money back'),
      handler: async (ctx) => ({
        status: 200,
        body: presentTransfer(await transfers.decline(actOn(ctx), ctx.body.reason)),
      }),
    }),
    route<unknown, unknown, TransferParams>({
      ...one,
      path: `${ONE}/cancel`,
      summary: 'Cancel a waiting transfer, as its sender',
      responses: answer('The sender has the money back'),
      handler: async (ctx) => ({ status: 200, body: presentTransfer(await transfers.cancel(actOn(ctx))) }),
    }),
    route<ReasonBody, unknown, TransferParams>({
      ...one,
      path: `${ONE}/reverse`,
      summary: 'Reverse a settled transfer, as its recipient or a tenant admin',
      description:
        'The sender gets everything back, with the fee. A recipient may do this for a limited time (422 ' +
        '`dispute_window_over`). The answer is 422 `insufficient_funds` if the money is spent. Recipients whose ' +
        `\`funding\` setting is on need the second factor. ${TWO_FACTOR_TEXT}`,
      body: reasonBody,
      optionalBody: true,
      responses: answer('Reversed'),
      handler: async (ctx) => {
        const own = ownIdOf(ctx);
        if (own) await requireCustomer(ctx, identity.secondFactor, own, 'funding');
        return { status: 200, body: presentTransfer(await transfers.reverse(actOn(ctx), ctx.body.reason)) };
      },
    }),
  ];
}

function readRoutes({ transfers }: P2pDependencies): Route[] {
  return [
    route<unknown, TransferQuery>({
      ...reading,
      path: TRANSFERS,
      summary: 'Transfers, newest first. Customers see their own',
      query: transferQuery,
      responses: { 200: { description: 'A page of transfers', schema: listOf(transferSchema) } },
      handler: async (ctx) => {
        const { limit, cursor } = ctx.query;
        const rows = await transfers.list(ctx.tenantId, { ...filterOf(ctx), limit, cursor });
        const page = pageOf(rows, limit, ({ id }) => id);
        return { status: 200, body: { ...page, data: page.data.map(presentTransfer) } };
      },
    }),
    route<unknown, TransferFilterQuery>({
      ...reading,
      path: `${TRANSFERS}/export`,
      summary: 'All transfers as CSV, newest first. Customers see their own',
      query: exportQuery,
      responses: { 200: { description: 'The table, as a stream', contentType: 'text/csv' } },
      handler: async (ctx) => csvAnswer('transfers', EXPORT_COLUMNS, transfers.all(ctx.tenantId, filterOf(ctx))),
    }),
    route<unknown, unknown, TransferParams>({
      ...reading,
      path: ONE,
      summary: 'One transfer',
      params: transferParams,
      responses: { 200: { description: 'The transfer', schema: transferSchema } },
      handler: async (ctx) => {
        const transfer = await transfers.find(ctx.tenantId, ctx.params.transferId, ownIdOf(ctx));
        return { status: 200, body: presentTransfer(transfer) };
      },
    }),
    route<unknown, unknown, TransferParams>({
      ...reading,
      path: `${ONE}/events`,
      summary: 'The timeline of a transfer',
      params: transferParams,
      responses: { 200: { description: 'Oldest first', schema: listOf(transferEventSchema) } },
      handler: async (ctx) => {
        const events = await transfers.events(ctx.tenantId, ctx.params.transferId, ownIdOf(ctx));
        return { status: 200, body: { data: events.map(presentTransferEvent), nextCursor: null } };
      },
    }),
  ];
}

/** Customers see their own transfers. Without a customer, `direction` has no effect. */
function filterOf(ctx: RequestContext<unknown, TransferFilterQuery, unknown>) {
  const { customerId, from, to, direction, status, currency, scheduleId } = ctx.query;
  if (customerId) requireOwn(ctx.principal, customerId);
  return {
    customerId: customerId ?? ownIdOf(ctx),
    direction,
    status,
    currency,
    scheduleId,
    from: instantOf(from),
    to: instantOf(to),
  };
}
