import Joi from 'joi';
import { formatAmount } from '../../domain/money';
import type { Database } from '../../foundation/db/database';
import { balancesOf, type CustomerBalance } from '../../money/ledger/balances';
import { ENTRY_TYPES, Statement } from '../../money/ledger/statement';
import { findCustomer } from '../../people/customers/customer';
import { currency, instant, listOf, paging } from '../server/conventions';
import { wantsCsv } from '../server/csv';
import { requireOwn } from '../server/middleware/scope';
import { type CustomerParams, customerParams } from '../server/params';
import { type Route, route } from '../server/route';
import { positionIn, StatementAnswer, type StatementQuery } from './statement-answer';

const shownAmount = () => Joi.string().example('10.00');
const type = () => Joi.string().valid(...ENTRY_TYPES);

const balanceSchema = Joi.object({
  currency: currency().required(),
  available: shownAmount().required().description('May be spent now'),
  held: shownAmount().required().description('On its way out, or captured and not settled yet'),
  owed: shownAmount().required().description('What the customer owes: a chargeback of money that was spent'),
  iban: Joi.string().description('Of the wallet at the sandbox bank; absent until something was available in it'),
});

const entrySchema = Joi.object({
  entryId: Joi.string().required(),
  bookedAt: instant().required(),
  type: type().required(),
  reference: Joi.string().required().description('The top-up, refund, transfer … it is part of'),
  amount: shownAmount().required().description('Signed: negative went out'),
  balance: shownAmount().description('Right after it; absent where entries were chosen by `type` or `direction`'),
});

const statementSchema = Joi.object({
  customerId: Joi.string().required(),
  currency: currency().required(),
  from: instant(),
  to: instant(),
  openingBalance: shownAmount().required(),
  entries: Joi.array().items(entrySchema).required().description('Oldest first'),
  closingBalance: shownAmount().required(),
  nextCursor: Joi.string().allow(null).required(),
});

const statementQuery = Joi.object<StatementQuery>({
  currency: currency().required(),
  from: instant().description('Booked at this time or later'),
  to: instant().description('Booked before this time'),
  type: type(),
  direction: Joi.string().valid('credit', 'debit'),
  limit: Joi.number().integer().min(1).max(200).description('Entries per page; absent: all of them'),
  cursor: paging().cursor,
});

/** What customers have, and how it came to that. Customers see their own. */
export function statementRoutes({ database }: { database: Database }): Route[] {
  const common = {
    method: 'GET' as const,
    area: 'Wallets',
    identity: 'tenantId' as const,
    roles: ['tenant_admin', 'ops', 'customer'] as const,
    params: customerParams,
  };
  return [
    route<unknown, unknown, CustomerParams>({
      ...common,
      path: '/wallet/1.0.0/customers/{customerId}/balances',
      summary: 'Balances of a customer’s wallets, one per currency',
      responses: { 200: { description: 'All of them', schema: listOf(balanceSchema) } },
      handler: async (ctx) => {
        const { customerId } = ctx.params;
        requireOwn(ctx.principal, customerId);
        const balances = await database.tenant(ctx.tenantId, async (trx) => {
          await findCustomer(trx, customerId);
          return balancesOf(trx, customerId);
        });
        return { status: 200, body: { data: balances.map(presentBalance), nextCursor: null } };
      },
    }),
    route<unknown, StatementQuery, CustomerParams>({
      ...common,
      path: '/wallet/1.0.0/customers/{customerId}/statement',
      summary: 'Statement of a wallet',
      description:
        'Opening balance, every entry of the window and closing balance, which add up; `available` and `held` of the ' +
        'balances together. Without `limit` the whole window, streamed. With it a page, whose balances are those where the ' +
        'page begins and ends. `type` and `direction` choose entries and leave the balances as they are. CSV by `Accept: ' +
        'text/csv`, the balances in its first and last line.',
      query: statementQuery,
      responses: { 200: { description: 'The statement', schema: statementSchema, alternatives: ['text/csv'] } },
      handler: async (ctx) => {
        const { customerId } = ctx.params;
        requireOwn(ctx.principal, customerId);
        await database.tenant(ctx.tenantId, (trx) => findCustomer(trx, customerId));
        const { from, to, limit, cursor, ...chosen } = ctx.query;
        const statement = await Statement.open(database, ctx.tenantId, {
          customerId,
          ...chosen,
          ...(from && { from: new Date(from) }),
          ...(to && { to: new Date(to) }),
          ...(limit && { limit: limit + 1 }),
          ...(cursor && { after: positionIn(cursor) }),
        });
        const answer = new StatementAnswer(statement, customerId, ctx.query);
        return wantsCsv(ctx.headers.accept) ? answer.csv() : answer.json();
      },
    }),
  ];
}

function presentBalance({ currency: code, iban, availableMinor, heldMinor, owedMinor }: CustomerBalance) {
  return {
    currency: code,
    available: formatAmount(availableMinor, code),
    held: formatAmount(heldMinor, code),
    owed: formatAmount(owedMinor, code),
    ...(iban && { iban }),
  };
}
