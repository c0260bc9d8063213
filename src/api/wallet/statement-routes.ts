import Joi from 'joi';
import { formatAmount } from '../../domain/money';
import type { Database } from '../../foundation/db/database';
import { balancesOf, type CustomerBalance } from '../../money/ledger/balances';
import { Statement } from '../../money/ledger/statement';
import { ENTRY_TYPES } from '../../money/ledger/wallet-entries';
import { findCustomer } from '../../people/customers/customer';
import { currency, instant, listOf, paging } from '../server/conventions';
import { wantsCsv } from '../server/csv';
import { requireOwn } from '../server/middleware/scope';
import { type CustomerParams, customerParams } from '../server/params';
import { PDF, wantsPdf } from '../server/pdf';
import { type Route, route } from '../server/route';
import { positionIn, StatementAnswer, type StatementQuery } from './statement-answer';

const shownAmount = () => Joi.string().example('10.00');
const type = () => Joi.string().valid(...ENTRY_TYPES);

const balanceSchema = Joi.object({
  currency: currency().required(),
  available: shownAmount().required().description('Money that can be spent now'),
  held: shownAmount().required().description('Money that is on its way out, or captured but not settled yet'),
  owed: shownAmount().required().description('Money that the customer owes, after a chargeback of money already spent'),
  iban: Joi.string().description('IBAN of the wallet at the sandbox bank. Absent until the wallet had available money'),
});

const entrySchema = Joi.object({
  entryId: Joi.string().required(),
  bookedAt: instant().required(),
  type: type().required(),
  reference: Joi.string().required().description('The top-up, refund, transfer … to which the entry belongs'),
  amount: shownAmount().required().description('Signed. A negative amount left the wallet'),
  balance: shownAmount().description(
    'Balance right after the entry. Absent if you select entries by `type` or `direction`',
  ),
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
  limit: Joi.number().integer().min(1).max(200).description('Entries per page. If absent, all entries'),
  cursor: paging().cursor,
});

/** Balances and statements of customers. Customers see their own. */
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
      responses: { 200: { description: 'All balances of the customer', schema: listOf(balanceSchema) } },
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
        'The statement has the opening balance, every entry of the window and the closing balance. The balances are ' +
        'the sum of `available` and `held`. Without `limit` you get the whole window as a stream. With `limit` you ' +
        'get a page, and the balances are those at the beginning and the end of the page. `type` and `direction` ' +
        'select entries but do not change the balances. With `Accept: text/csv` the answer is CSV, and its first and ' +
        'last line have the balances. With `Accept: application/pdf` it is a paper to print.',
      query: statementQuery,
      responses: { 200: { description: 'The statement', schema: statementSchema, alternatives: ['text/csv', PDF] } },
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
        if (wantsPdf(ctx.headers.accept)) return answer.pdf();
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
