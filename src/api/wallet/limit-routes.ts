import Joi from 'joi';
import { formatAmount, parseAmount } from '../../domain/money';
import type { Operation } from '../../domain/operation';
import type { Database } from '../../foundation/db/database';
import {
  type Allowance,
  allowancesOf,
  keyOf,
  type LimitFilter,
  type Limits,
  limitsSet,
  type SetLimits,
  setLimits,
} from '../../money/limits/limits';
import { findCustomer } from '../../people/customers/customer';
import { actorOf } from '../server/actor';
import { amount, currency, id, listOf, pageOf, paging } from '../server/conventions';
import { requireOwn } from '../server/middleware/scope';
import { type CustomerParams, customerParams } from '../server/params';
import { type Route, route } from '../server/route';
import { operation } from './fee-routes';

interface LimitsBody {
  customerId?: string;
  operation: Operation;
  currency: string;
  perTransaction?: string;
  dailyAmount?: string;
  dailyCount?: number;
  monthlyAmount?: string;
  monthlyCount?: number;
}

const count = () => Joi.number().integer().min(0).max(1_000_000_000);
const figures = {
  perTransaction: amount({ zero: true }),
  dailyAmount: amount({ zero: true }),
  dailyCount: count(),
  monthlyAmount: amount({ zero: true }),
  monthlyCount: count(),
};
const subject = { operation: operation().required(), currency: currency().required() };
const limitsSchema = Joi.object<LimitsBody>({
  customerId: id('customer').description(
    'If absent, these are the tenant’s limits. They apply to every customer without own limits',
  ),
  ...subject,
  ...figures,
});

const allowanceSchema = Joi.object({
  ...subject,
  ...figures,
  used: Joi.object({
    dailyAmount: figures.dailyAmount.required(),
    dailyCount: count().required(),
    monthlyAmount: figures.monthlyAmount.required(),
    monthlyCount: count().required(),
  }).required(),
});

/** How much customers may move, and how much they have moved. */
export function limitRoutes({ database }: { database: Database }): Route[] {
  const common = { area: 'Fees and limits', identity: 'tenantId' as const, path: '/wallet/1.0.0/limits' };
  return [
    route<unknown, LimitFilter>({
      ...common,
      method: 'GET',
      summary: 'All limits that were set: first the tenant’s, then those of single customers',
      roles: ['tenant_admin', 'ops'],
      query: Joi.object<LimitFilter>({
        ...paging(),
        customerId: id('customer'),
        operation: operation(),
        currency: currency(),
      }),
      responses: { 200: { description: 'A page of limits', schema: listOf(limitsSchema) } },
      handler: async (ctx) => {
        const rows = await database.tenant(ctx.tenantId, (trx) => limitsSet(trx, ctx.query));
        const page = pageOf(rows, ctx.query.limit, keyOf);
        return { status: 200, body: { ...page, data: page.data.map(presentLimits) } };
      },
    }),
    route<LimitsBody>({
      ...common,
      method: 'PUT',
      summary: 'Set the limits of the tenant, or of one customer, for an operation in a currency',
      description:
        'Send all limits at once. In the tenant’s limits, an absent one means no limit; in a customer’s own limits, ' +
        'it means that the tenant’s limit applies. Days and months are in UTC. The limits apply from now on and ' +
        'count what was moved earlier today and this month. An operation over a limit is answered with 422 ' +
        '`limit_exceeded`, and `details` names the limit.',
      roles: ['tenant_admin'],
      body: limitsSchema,
      responses: { 200: { description: 'The current limits', schema: limitsSchema } },
      handler: async (ctx) => {
        const { customerId, operation: what, currency: code } = ctx.body;
        const subjectOf = { ...(customerId && { customerId }), operation: what, currency: code };
        await database.tenant(ctx.tenantId, (trx) =>
          setLimits(trx, ctx.tenantId, actorOf(ctx), subjectOf, readLimits(ctx.body)),
        );
        return { status: 200, body: ctx.body };
      },
    }),
    route<unknown, unknown, CustomerParams>({
      ...common,
      method: 'GET',
      path: '/wallet/1.0.0/customers/{customerId}/limits',
      summary: 'The limits of a customer, and how much of them is used today and this month',
      roles: ['tenant_admin', 'ops', 'customer'],
      params: customerParams,
      responses: { 200: { description: 'All limits of the customer', schema: listOf(allowanceSchema) } },
      handler: async (ctx) => {
        const { customerId } = ctx.params;
        requireOwn(ctx.principal, customerId);
        const found = await database.tenant(ctx.tenantId, async (trx) => {
          await findCustomer(trx, customerId);
          return allowancesOf(trx, ctx.tenantId, customerId);
        });
        return { status: 200, body: { data: found.map(presentAllowance), nextCursor: null } };
      },
    }),
  ];
}

function readLimits({ currency: code, perTransaction, dailyAmount, monthlyAmount, ...rest }: LimitsBody): Limits {
  const minor = (text: string) => parseAmount(text, code);
  return {
    ...(perTransaction !== undefined && { perTransactionMinor: minor(perTransaction) }),
    ...(dailyAmount !== undefined && { dailyMinor: minor(dailyAmount) }),
    ...(rest.dailyCount !== undefined && { dailyCount: rest.dailyCount }),
    ...(monthlyAmount !== undefined && { monthlyMinor: minor(monthlyAmount) }),
    ...(rest.monthlyCount !== undefined && { monthlyCount: rest.monthlyCount }),
  };
}

function presentLimits({ customerId, operation: what, currency: code, ...limits }: SetLimits) {
  return { ...(customerId && { customerId }), operation: what, currency: code, ...presentFigures(limits, code) };
}

function presentAllowance({ operation: what, currency: code, used, ...limits }: Allowance) {
  return {
    operation: what,
    currency: code,
    ...presentFigures(limits, code),
    used: {
      dailyAmount: formatAmount(used.dailyMinor, code),
      dailyCount: used.dailyCount,
      monthlyAmount: formatAmount(used.monthlyMinor, code),
      monthlyCount: used.monthlyCount,
    },
  };
}

function presentFigures(
  { perTransactionMinor, dailyMinor, monthlyMinor, dailyCount, monthlyCount }: Limits,
  code: string,
) {
  return {
    ...(perTransactionMinor !== undefined && { perTransaction: formatAmount(perTransactionMinor, code) }),
    ...(dailyMinor !== undefined && { dailyAmount: formatAmount(dailyMinor, code) }),
    ...(dailyCount !== undefined && { dailyCount }),
    ...(monthlyMinor !== undefined && { monthlyAmount: formatAmount(monthlyMinor, code) }),
    ...(monthlyCount !== undefined && { monthlyCount }),
  };
}
