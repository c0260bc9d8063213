import type { BankAccounts } from '../../commerce/bank-statements/account';
import { presentBankAccount } from '../../commerce/bank-statements/present';
import { actorOf } from '../server/actor';
import { listOf, type Paging, pageOf } from '../server/conventions';
import { type Route, route } from '../server/route';
import { type AccountBody, type AccountParams, accountBody, accountParams, accountSchema, listQuery } from './schema';

const PATH = '/bank-transfer/1.0.0/accounts';

/** The tenant's own accounts, which buyers pay to. */
export function bankAccountRoutes({ bankAccounts }: { bankAccounts: BankAccounts }): Route[] {
  const common = { area: 'Bank transfers', roles: ['tenant_admin'] as const };
  return [
    route<AccountBody>({
      ...common,
      method: 'PUT',
      path: PATH,
      summary: 'Name an account that buyers pay to',
      description:
        'Changes the account with this IBAN and currency, or names a new one. From then on payments in the currency ' +
        'are asked to it. `csv` says how its bank writes CSV files; for camt.053, camt.054 and MT940 nothing has to be said.',
      body: accountBody,
      responses: { 200: { description: 'The account', schema: accountSchema } },
      handler: async (ctx) => ({
        status: 200,
        body: presentBankAccount(await bankAccounts.put(ctx.tenantId, ctx.body, actorOf(ctx))),
      }),
    }),
    route<unknown, Paging>({
      ...common,
      method: 'GET',
      path: PATH,
      summary: 'List the accounts that buyers pay to, newest first',
      query: listQuery,
      responses: { 200: { description: 'A page of accounts', schema: listOf(accountSchema) } },
      handler: async (ctx) => {
        const page = pageOf(await bankAccounts.list(ctx.tenantId, ctx.query), ctx.query.limit, ({ id }) => id);
        return { status: 200, body: { ...page, data: page.data.map(presentBankAccount) } };
      },
    }),
    route<unknown, unknown, AccountParams>({
      ...common,
      method: 'GET',
      path: `${PATH}/{accountId}`,
      summary: 'One account that buyers pay to',
      params: accountParams,
      responses: { 200: { description: 'The account', schema: accountSchema } },
      handler: async (ctx) => ({
        status: 200,
        body: presentBankAccount(await bankAccounts.find(ctx.tenantId, ctx.params.accountId)),
      }),
    }),
  ];
}
