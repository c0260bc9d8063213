import type { PayoutAccounts } from '../../commerce/payouts/accounts';
import { pain001 } from '../../commerce/payouts/pain001';
import type { PayoutRow } from '../../commerce/payouts/payout';
import { presentRun, presentStanding } from '../../commerce/payouts/present';
import { presentPayout } from '../../commerce/payouts/present-payout';
import type { Payouts } from '../../commerce/payouts/service';
import { statementOf } from '../../commerce/payouts/statement';
import { refuse } from '../../domain/errors';
import { parseAmount } from '../../domain/money';
import type { Database } from '../../foundation/db/database';
import { payoutSchema } from '../records/payout';
import { actorOf } from '../server/actor';
import { listOf, numericCursor, type Paging, pageOf } from '../server/conventions';
import { type Answer, type Route, route } from '../server/route';
import { payoutAccountRoutes } from './account-routes';
import {
  type BalanceQuery,
  type BankFileQuery,
  balanceQuery,
  balanceSchema,
  bankFileQuery,
  type PayoutBody,
  type PayoutParams,
  type PayoutQuery,
  payoutBody,
  payoutParams,
  payoutQuery,
  type RunBody,
  runAnswer,
  runBody,
  runSchema,
  runsQuery,
  statementSchema,
} from './schema';
import { scopeOf, sellerOf } from './scope';
import { STATEMENT_TYPES, statementAnswer } from './statement-answer';
import { payoutTermsRoutes } from './terms-routes';

const BASE = '/payouts/1.0.0';
const ONE = `${BASE}/payouts/{payoutId}`;
/** Longer than that, a date belongs into the terms. */
const LONGEST_WAIT_MS = 31 * 86_400_000;

export interface PayoutDependencies {
  database: Database;
  payouts: Payouts;
  payoutAccounts: PayoutAccounts;
}

const common = { area: 'Payouts', roles: ['merchant', 'tenant_admin'] as const };

/** Payouts from a tenant to its sellers. */
export function payoutRoutes(deps: PayoutDependencies): Route[] {
  return [
    ...orderRoutes(deps),
    ...runRoutes(deps),
    ...fileRoutes(deps),
    ...payoutAccountRoutes(deps),
    ...payoutTermsRoutes(deps),
  ];
}

function orderRoutes({ payouts }: PayoutDependencies): Route[] {
  const one = { ...common, params: payoutParams };
  const answer = (row: PayoutRow, status: number): Answer => ({ status, body: presentPayout(row) });
  return [
    route<PayoutBody>({
      ...common,
      method: 'POST',
      path: `${BASE}/payouts`,
      summary: 'Pay out on demand',
      description:
        'Only settled money is paid out, to the verified account of the seller. The answer is 422 if less than the amount ' +
        'is available, or if it is less than the smallest payout, and 409 if there is no verified account.',
      body: payoutBody,
      idempotent: true,
      responses: {
        201: { description: 'The payout has ended', schema: payoutSchema },
        202: { description: 'It waits for its time, or the processor has it', schema: payoutSchema },
      },
      handler: async (ctx) => {
        const { currency, amount, sendAt, organizationId } = ctx.body;
        const at = sendAt ? new Date(sendAt) : undefined;
        if (at && at.getTime() <= Date.now()) refuse('sendAt', 'must be in the future');
        if (at && at.getTime() > Date.now() + LONGEST_WAIT_MS) refuse('sendAt', 'must be within 31 days');
        const order = {
          id: ctx.resourceId('payout'),
          currency,
          ...(amount && { amountMinor: parseAmount(amount, currency) }),
          ...(at && { sendAt: at }),
        };
        const row = await payouts.create(sellerOf(ctx, organizationId), order, actorOf(ctx));
        return answer(row, row.status === 'scheduled' || row.status === 'sent' ? 202 : 201);
      },
    }),
    route<unknown, PayoutQuery>({
      ...common,
      method: 'GET',
      path: `${BASE}/payouts`,
      summary: 'List payouts, newest first',
      description:
        'A merchant sees its own. A tenant admin sees those of the tenant, or of the organization in the header.',
      query: payoutQuery,
      responses: { 200: { description: 'A page of payouts', schema: listOf(payoutSchema) } },
      handler: async (ctx) => {
        const { from, to, ...filter } = ctx.query;
        const window = { ...(from && { from: new Date(from) }), ...(to && { to: new Date(to) }) };
        const page = pageOf(await payouts.list(scopeOf(ctx), { ...filter, ...window }), filter.limit, ({ id }) => id);
        return { status: 200, body: { ...page, data: page.data.map(presentPayout) } };
      },
    }),
    route<unknown, unknown, PayoutParams>({
      ...one,
      method: 'GET',
      path: ONE,
      summary: 'One payout',
      responses: { 200: { description: 'The payout', schema: payoutSchema } },
      handler: async (ctx) => answer(await payouts.find(scopeOf(ctx), ctx.params.payoutId), 200),
    }),
    route<unknown, unknown, PayoutParams>({
      ...one,
      method: 'POST',
      path: `${ONE}/cancel`,
      summary: 'Cancel a payout before it is sent',
      description: 'The money goes back into the balance. The answer is 409 once it was sent.',
      idempotent: true,
      responses: { 200: { description: 'It is cancelled', schema: payoutSchema } },
      handler: async (ctx) => answer(await payouts.cancel(scopeOf(ctx), ctx.params.payoutId, actorOf(ctx)), 200),
    }),
    route<unknown, BalanceQuery>({
      ...common,
      method: 'GET',
      path: `${BASE}/balance`,
      summary: 'What can be paid out now, and why it is no more',
      query: balanceQuery,
      responses: { 200: { description: 'The balance of the seller', schema: balanceSchema } },
      handler: async (ctx) => {
        const seller = { ...sellerOf(ctx, ctx.query.organizationId), currency: ctx.query.currency };
        return { status: 200, body: presentStanding(seller, await payouts.standing(seller)) };
      },
    }),
  ];
}

function runRoutes({ payouts }: PayoutDependencies): Route[] {
  return [
    route<unknown, Paging>({
      ...common,
      method: 'GET',
      path: `${BASE}/runs`,
      summary: 'What became of the dates of the schedules, newest first',
      query: runsQuery,
      responses: { 200: { description: 'A page of runs', schema: listOf(runSchema) } },
      handler: async (ctx) => {
        const { limit, cursor } = ctx.query;
        const rows = await payouts.runs(scopeOf(ctx), { limit, ...(cursor && { cursor: numericCursor(cursor) }) });
        const page = pageOf(rows, limit, ({ id }) => `${id}`);
        return { status: 200, body: { ...page, data: page.data.map(presentRun) } };
      },
    }),
    route<RunBody>({
      ...common,
      method: 'POST',
      path: `${BASE}/runs`,
      roles: ['tenant_admin'],
      summary: 'Run the schedule now, before its time',
      description:
        'The workers make the payouts one after the other. Sellers who are paid on demand only are left out.',
      body: runBody,
      optionalBody: true,
      idempotent: true,
      responses: { 202: { description: 'The run is ordered', schema: runAnswer } },
      handler: async (ctx) => {
        const organizationId = ctx.organizationIdIfAny ?? ctx.body.organizationId;
        const scope = { tenantId: ctx.tenantId, ...(organizationId && { organizationId }) };
        return { status: 202, body: { sellers: await payouts.runNow(scope, actorOf(ctx)) } };
      },
    }),
  ];
}

/** The statement, and files for the tenant's bank. */
function fileRoutes({ database, payouts, payoutAccounts }: PayoutDependencies): Route[] {
  const bankFile = (tenantId: string, { debtor, transfers }: Awaited<ReturnType<Payouts['forBank']>>): Answer => {
    const named = transfers.map(({ payout, account }) => ({
      payout,
      creditor: { iban: payoutAccounts.ibanOf(account), holder: account.holder, bic: account.bic },
    }));
    return {
      status: 200,
      body: pain001({ name: debtor, id: tenantId }, named, new Date()),
      headers: {
        'content-type': 'application/xml; charset=utf-8',
        'content-disposition': `attachment; filename="pain001-${transfers[0]!.payout.id}.xml"`,
      },
    };
  };
  const responses = { 200: { description: 'The file', contentType: 'application/xml' } };
  return [
    route<unknown, unknown, PayoutParams>({
      ...common,
      method: 'GET',
      path: `${ONE}/statement`,
      summary: 'Statement of a payout',
      description:
        'All that was booked for the seller since the payout before: opening balance, payments, fees, refunds, disputes, ' +
        'reserve, the payout itself and the closing balance. `Accept` chooses the form: JSON, `text/csv` (with every ' +
        'entry), `application/pdf` or `text/html`.',
      params: payoutParams,
      responses: { 200: { description: 'The statement', schema: statementSchema, alternatives: STATEMENT_TYPES } },
      handler: async (ctx) => {
        const { payout, seller, account } = await payouts.findWithAccount(scopeOf(ctx), ctx.params.payoutId);
        return statementAnswer(database, statementOf(payout, seller, account), ctx.headers.accept);
      },
    }),
    route<unknown, unknown, PayoutParams>({
      ...common,
      method: 'GET',
      path: `${ONE}/pain001`,
      summary: 'A payout as a file for a bank',
      description:
        'ISO 20022 `pain.001.001.09`. The payout is named end to end by its id. Its processor sends it anyway: a bank that ' +
        'executes the file too pays twice. The file has the whole account number; who takes it is written to the audit log.',
      params: payoutParams,
      errors: [409],
      responses,
      handler: async (ctx) =>
        bankFile(ctx.tenantId, await payouts.forBank(scopeOf(ctx), { id: ctx.params.payoutId }, actorOf(ctx))),
    }),
    route<unknown, BankFileQuery>({
      ...common,
      method: 'GET',
      path: `${BASE}/pain001`,
      roles: ['tenant_admin'],
      summary: 'The payouts of a time as one file for a bank',
      description:
        'The same for up to 1,000 payouts that were neither cancelled nor refused, one block per currency and day. The ' +
        'answer is 409 if there is none.',
      query: bankFileQuery,
      errors: [409],
      responses,
      handler: async (ctx) => {
        const { from, to, currency } = ctx.query;
        const time = { from: new Date(from), to: new Date(to), ...(currency && { currency }) };
        return bankFile(ctx.tenantId, await payouts.forBank(scopeOf(ctx), time, actorOf(ctx)));
      },
    }),
  ];
}
