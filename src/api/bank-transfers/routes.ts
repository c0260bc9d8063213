import type { BankAccounts } from '../../commerce/bank-statements/account';
import type { BankStatements } from '../../commerce/bank-statements/upload';
import { presentTransfer, presentTransferLine } from '../../commerce/bank-transfers/present';
import type { Proposals } from '../../commerce/bank-transfers/proposals';
import type { BankTransfers, TransferFilter, TransferScope } from '../../commerce/bank-transfers/service';
import { refuse } from '../../domain/errors';
import { parseAmount } from '../../domain/money';
import type { OutboundGuard } from '../../foundation/outbound/guard';
import type { Terminals } from '../../people/identity/terminals';
import { actorOf } from '../server/actor';
import type { RequestContext } from '../server/context';
import { listOf, pageOf } from '../server/conventions';
import { type Route, route } from '../server/route';
import { chooseTerminal } from '../server/terminal';
import { bankAccountRoutes } from './account-routes';
import { proposalRoutes } from './proposal-routes';
import {
  type TransferBody,
  type TransferParams,
  type TransferQuery,
  transferBody,
  transferLineSchema,
  transferParams,
  transferQuery,
  transferSchema,
} from './schema';
import { statementRoutes } from './statement-routes';

const PATH = '/bank-transfer/1.0.0/transfers';

export interface BankTransferDependencies {
  bankAccounts: BankAccounts;
  bankStatements: BankStatements;
  /** The largest file of statements, in bytes. */
  bankStatementLimitBytes: number;
  bankTransfers: BankTransfers;
  proposals: Proposals;
  terminals: Terminals;
  outbound: OutboundGuard;
  /** PAYER_TRANSFER_TTL_MS: the longest that a payer may be given, in milliseconds. */
  payerTransferTtlMs: number;
}

/** Payments by transfer to the tenant's own account: asked for, told by its statements, and given back. */
export function bankTransferRoutes(deps: BankTransferDependencies): Route[] {
  return [...transferRoutes(deps), ...bankAccountRoutes(deps), ...statementRoutes(deps), ...proposalRoutes(deps)];
}

function transferRoutes(deps: BankTransferDependencies): Route[] {
  const { bankTransfers } = deps;
  const area = 'Bank transfers';
  const reading = { area, roles: ['merchant', 'tenant_admin'] as const, method: 'GET' as const };
  return [
    route<TransferBody>({
      area,
      roles: ['merchant'],
      identity: 'organizationId',
      method: 'POST',
      path: PATH,
      summary: 'Ask for a bank transfer',
      description:
        'This is a payment like every other: its status, its refund and its notifications are those of payments. The ' +
        'payer transfers to the account of the tenant in the currency; `action.fields` has the account, the reference and ' +
        'for euros a code for banking apps (EPC069-12). Without such an account a processor gives one out. The tenant’s ' +
        'bank statements tell what came.',
      body: transferBody,
      idempotent: true,
      responses: {
        201: { description: 'It has ended', schema: transferSchema },
        202: { description: 'The payer has to transfer the money', schema: transferSchema },
      },
      handler: async (ctx) => {
        const transfer = await bankTransfers.create(await orderOf(deps, ctx));
        const isWaiting = ['initiated', 'pending', 'requires_action'].includes(transfer.payment.status);
        return { status: isWaiting ? 202 : 201, body: presentTransfer(transfer) };
      },
    }),
    route<unknown, TransferQuery>({
      ...reading,
      path: PATH,
      summary: 'List bank transfers to own accounts, newest first',
      query: transferQuery,
      responses: {
        200: { description: 'A page of transfers', schema: listOf(transferLineSchema) },
      },
      handler: async (ctx) => {
        const filter = filterOf(ctx.query);
        const rows = await bankTransfers.list(scopeOf(ctx), filter);
        const page = pageOf(rows, filter.limit, ({ payment }) => payment.id);
        const data = page.data.map(({ payment, request }) => presentTransferLine(payment, request));
        return { status: 200, body: { ...page, data } };
      },
    }),
    route<unknown, unknown, TransferParams>({
      ...reading,
      path: `${PATH}/{paymentId}`,
      summary: 'One bank transfer: what it asks for, what came, what went back',
      params: transferParams,
      responses: { 200: { description: 'The transfer', schema: transferSchema } },
      handler: async (ctx) => ({
        status: 200,
        body: presentTransfer(await bankTransfers.find(scopeOf(ctx), ctx.params.paymentId)),
      }),
    }),
  ];
}

async function orderOf(
  { terminals, outbound, payerTransferTtlMs }: BankTransferDependencies,
  ctx: RequestContext<TransferBody>,
) {
  const { body } = ctx;
  const { amount, currency, customer, descriptor, remark, notificationUrl, accountId, orderId, payerName } = body;
  const refusal = notificationUrl && outbound.refusal(notificationUrl);
  if (refusal) refuse('notificationUrl', refusal);
  const expiresAt = body.expiresAt ? new Date(body.expiresAt) : undefined;
  if (expiresAt && expiresAt.getTime() <= Date.now()) refuse('expiresAt', 'must be in the future');
  const latest = Date.now() + payerTransferTtlMs;
  return {
    paymentId: ctx.resourceId('payment'),
    tenantId: ctx.tenantId,
    organizationId: ctx.organizationId,
    terminalId: await chooseTerminal(terminals, ctx),
    merchantTransactionId: body.merchantTransactionId,
    amountMinor: parseAmount(amount, currency),
    currency,
    requestId: ctx.requestId,
    by: actorOf(ctx),
    details: { customer, descriptor, remark, notificationUrl },
    payerName,
    accountId,
    orderId,
    expiresAt: expiresAt && expiresAt.getTime() > latest ? new Date(latest) : expiresAt,
  };
}

function scopeOf({
  tenantId,
  organizationIdIfAny: organizationId,
}: RequestContext<unknown, unknown, unknown>): TransferScope {
  return { tenantId, ...(organizationId && { organizationId }) };
}

function filterOf({ from, to, ...filter }: TransferQuery): TransferFilter {
  return { ...filter, ...(from && { from: new Date(from) }), ...(to && { to: new Date(to) }) };
}
