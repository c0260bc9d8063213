import type { Access } from '../../open-banking/account-information/access';
import type { AccountInformationService, Listed } from '../../open-banking/account-information/service';
import type { RequestContext } from '../server/context';
import { type Answer, type Entrance, type Route, route } from '../server/route';
import { bodyOf } from './body';
import {
  type AccountParams,
  accountParams,
  accountPartyAnswer,
  accountsAnswer,
  balancesAnswer,
  beneficiariesAnswer,
  bookingTime,
  directDebitsAnswer,
  type PageQuery,
  pageQuery,
  partiesAnswer,
  partyAnswer,
  type StatementParams,
  type StatementsQuery,
  standingOrdersAnswer,
  statementParams,
  statementsAnswer,
  statementsQuery,
  type TransactionsQuery,
  transactionsAnswer,
  transactionsQuery,
} from './schema';

export interface AccountInformationDependencies {
  accountInformation: AccountInformationService;
  /** Base address of the entrance, for links. */
  authUrl: string;
}

const BASE = '/open-banking/2.0.0';
const ACCOUNTS = `${BASE}/accounts`;
const ACCOUNT = `${ACCOUNTS}/{AccountId}`;
const STATEMENTS = `${ACCOUNT}/statements`;
const entrance = { scope: 'accounts', token: 'consent', errors: 'obie' } satisfies Entrance;
const common = { method: 'GET', area: 'Account information', roles: ['tpp'], entrance } as const;
const UNATTENDED =
  'Without `x-fapi-customer-ip-address` four readings of each resource of each account are allowed in 24 hours; the ' +
  'pages of one reading count once.';
const PAGED = `The pages of one reading may be asked for within an hour. ${UNATTENDED}`;

/** Account information of UK Open Banking 3.1.11. */
export function accountInformationRoutes({ accountInformation, authUrl }: AccountInformationDependencies): Route[] {
  const asked = <Query extends Partial<PageQuery>>({ path, query }: RequestContext<unknown, Query, unknown>) => {
    const { cursor, ...filters } = query;
    return { base: authUrl, path, filters: filters as Record<string, string | number | undefined>, cursor };
  };
  const whole = (ctx: RequestContext<unknown, object, unknown>, name: string, items: object): Answer => ({
    status: 200,
    body: bodyOf(asked(ctx), { [name]: items }),
  });
  const listed = (ctx: RequestContext<unknown, PageQuery, unknown>, name: string, page: Listed<object>): Answer => ({
    status: 200,
    body: bodyOf(asked(ctx), { [name]: page.items }, page),
  });
  /** Entries, with the dates outside which the customer shares none. */
  const trimmed = (
    ctx: RequestContext<unknown, PageQuery, unknown>,
    { sharingFrom: from, sharingTo: to }: Access,
    page: Listed<object>,
  ): Answer => ({ status: 200, body: bodyOf(asked(ctx), { Transaction: page.items }, page, { from, to }) });
  return [
    route<unknown, object>({
      ...common,
      path: ACCOUNTS,
      summary: 'List the accounts that the customer shares',
      description: `Needs ReadAccountsBasic or ReadAccountsDetail. ${UNATTENDED}`,
      responses: { 200: { description: 'The accounts', schema: accountsAnswer } },
      handler: async (ctx) => whole(ctx, 'Account', await accountInformation.accounts(accessOf(ctx))),
    }),
    route<unknown, object, AccountParams>({
      ...common,
      path: ACCOUNT,
      summary: 'Read an account',
      description: `Needs ReadAccountsBasic or ReadAccountsDetail. ${UNATTENDED}`,
      params: accountParams,
      responses: { 200: { description: 'The account', schema: accountsAnswer } },
      handler: async (ctx) =>
        whole(ctx, 'Account', [await accountInformation.account(accessOf(ctx), ctx.params.AccountId)]),
    }),
    route<unknown, object, AccountParams>({
      ...common,
      path: `${ACCOUNT}/balances`,
      summary: 'Read the balances of an account',
      description: `Needs ReadBalances. ${UNATTENDED}`,
      params: accountParams,
      responses: { 200: { description: 'What is available, and what is booked', schema: balancesAnswer } },
      handler: async (ctx) =>
        whole(ctx, 'Balance', await accountInformation.balances(accessOf(ctx), ctx.params.AccountId)),
    }),
    route<unknown, PageQuery, AccountParams>({
      ...common,
      path: `${ACCOUNT}/beneficiaries`,
      summary: 'List the recipients that the customer has saved',
      description: `Needs ReadBeneficiariesBasic or ReadBeneficiariesDetail. ${PAGED}`,
      params: accountParams,
      query: pageQuery,
      responses: { 200: { description: 'Saved recipients, newest first', schema: beneficiariesAnswer } },
      handler: async (ctx) =>
        listed(
          ctx,
          'Beneficiary',
          await accountInformation.beneficiaries(accessOf(ctx), ctx.params.AccountId, ctx.query),
        ),
    }),
    route<unknown, PageQuery, AccountParams>({
      ...common,
      path: `${ACCOUNT}/direct-debits`,
      summary: 'List the direct debit mandates against an account',
      description: `Needs ReadDirectDebits. ${PAGED}`,
      params: accountParams,
      query: pageQuery,
      responses: { 200: { description: 'Mandates, newest first', schema: directDebitsAnswer } },
      handler: async (ctx) =>
        listed(
          ctx,
          'DirectDebit',
          await accountInformation.directDebits(accessOf(ctx), ctx.params.AccountId, ctx.query),
        ),
    }),
    route<unknown, PageQuery, AccountParams>({
      ...common,
      path: `${ACCOUNT}/standing-orders`,
      summary: 'List the standing orders of an account',
      description: `Those that are not over. Needs ReadStandingOrdersBasic or ReadStandingOrdersDetail. ${PAGED}`,
      params: accountParams,
      query: pageQuery,
      responses: { 200: { description: 'Standing orders, newest first', schema: standingOrdersAnswer } },
      handler: async (ctx) =>
        listed(
          ctx,
          'StandingOrder',
          await accountInformation.standingOrders(accessOf(ctx), ctx.params.AccountId, ctx.query),
        ),
    }),
    route<unknown, TransactionsQuery, AccountParams>({
      ...common,
      path: `${ACCOUNT}/transactions`,
      summary: 'List the entries of an account',
      description:
        'Newest first. Needs ReadTransactionsBasic or ReadTransactionsDetail, and ReadTransactionsCredits, ' +
        'ReadTransactionsDebits or both. What was booked outside the sharing dates of the consent is left out. What is ' +
        `booked after the first page was read is in none of the other pages. ${PAGED}`,
      params: accountParams,
      query: transactionsQuery,
      responses: { 200: { description: 'Entries, newest first', schema: transactionsAnswer } },
      async handler(ctx) {
        const access = accessOf(ctx);
        const { limit, cursor, fromBookingDateTime, toBookingDateTime } = ctx.query;
        const page = await accountInformation.transactions(access, ctx.params.AccountId, {
          limit,
          cursor,
          from: boundOf(fromBookingDateTime),
          to: boundOf(toBookingDateTime),
        });
        return trimmed(ctx, access, page);
      },
    }),
    route<unknown, object>({
      ...common,
      path: `${BASE}/party`,
      summary: 'Read the customer who has given the consent',
      description: `Needs ReadPartyPSU. ${UNATTENDED}`,
      responses: { 200: { description: 'The customer', schema: partyAnswer } },
      handler: async (ctx) => whole(ctx, 'Party', await accountInformation.party(accessOf(ctx))),
    }),
    route<unknown, object, AccountParams>({
      ...common,
      path: `${ACCOUNT}/party`,
      summary: 'Read the owner of an account',
      description: `Needs ReadParty. ${UNATTENDED}`,
      params: accountParams,
      responses: { 200: { description: 'The owner', schema: accountPartyAnswer } },
      handler: async (ctx) =>
        whole(ctx, 'Party', await accountInformation.accountParty(accessOf(ctx), ctx.params.AccountId)),
    }),
    route<unknown, object, AccountParams>({
      ...common,
      path: `${ACCOUNT}/parties`,
      summary: 'List the parties of an account',
      description: `Its owner: an account has no other. Needs ReadParty, and counts with the owner. ${UNATTENDED}`,
      params: accountParams,
      responses: { 200: { description: 'The owner', schema: partiesAnswer } },
      handler: async (ctx) =>
        whole(ctx, 'Party', [await accountInformation.accountParty(accessOf(ctx), ctx.params.AccountId)]),
    }),
    route<unknown, StatementsQuery, AccountParams>({
      ...common,
      path: STATEMENTS,
      summary: 'List the statements of an account',
      description:
        'One for each calendar month (UTC) that lies within the sharing dates of the consent, newest first. Needs ' +
        `ReadStatementsBasic or ReadStatementsDetail. ${PAGED}`,
      params: accountParams,
      query: statementsQuery,
      responses: { 200: { description: 'Statements, newest first', schema: statementsAnswer } },
      async handler(ctx) {
        const { limit, cursor, fromStatementDateTime: from, toStatementDateTime: to } = ctx.query;
        const page = { limit, cursor, from: boundOf(from), to: boundOf(to) };
        return listed(ctx, 'Statement', await accountInformation.statements(accessOf(ctx), ctx.params.AccountId, page));
      },
    }),
    route<unknown, object, StatementParams>({
      ...common,
      path: `${STATEMENTS}/{StatementId}`,
      summary: 'Read a statement',
      description: `Needs ReadStatementsBasic or ReadStatementsDetail. ${UNATTENDED}`,
      params: statementParams,
      responses: { 200: { description: 'The statement', schema: statementsAnswer } },
      async handler(ctx) {
        const { AccountId, StatementId } = ctx.params;
        return whole(ctx, 'Statement', [await accountInformation.statement(accessOf(ctx), AccountId, StatementId)]);
      },
    }),
    route<unknown, PageQuery, StatementParams>({
      ...common,
      path: `${STATEMENTS}/{StatementId}/transactions`,
      summary: 'List the entries of a statement',
      description: `Needs what the statement needs, and what the entries of the account need. They count with these. ${PAGED}`,
      params: statementParams,
      query: pageQuery,
      responses: { 200: { description: 'Entries, newest first', schema: transactionsAnswer } },
      async handler(ctx) {
        const access = accessOf(ctx);
        const { AccountId, StatementId } = ctx.params;
        const page = await accountInformation.statementTransactions(access, AccountId, StatementId, ctx.query);
        return trimmed(ctx, access, page);
      },
    }),
  ];
}

function boundOf(time: string | undefined): Date | undefined {
  return time === undefined ? undefined : bookingTime(time);
}

function accessOf({ consent, customerPresent }: RequestContext<unknown, unknown, unknown>): Access {
  return {
    consentId: consent.id,
    tenantId: consent.tenant_id,
    customerId: consent.customer_id!,
    permissions: consent.permissions,
    accounts: consent.accounts,
    sharingFrom: consent.sharing_from,
    sharingTo: consent.sharing_to,
    customerPresent,
  };
}
