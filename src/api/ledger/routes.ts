import Joi from 'joi';
import type { Knex } from 'knex';
import { found } from '../../domain/errors';
import { formatAmount } from '../../domain/money';
import type { Database } from '../../foundation/db/database';
import type { Paper } from '../../foundation/paper/paper';
import { anyId, currency, formed, instant, listOf, numericCursor, pageOf, paging } from '../server/conventions';
import { PDF, pdfAnswer, wantsPdf } from '../server/pdf';
import { type Route, route } from '../server/route';

const AREA = 'Ledger';
const roles = ['tenant_admin', 'ops'] as const;

interface AccountQuery {
  limit: number;
  cursor?: string;
  currency?: string;
  kind?: string;
}

interface TransferQuery {
  limit: number;
  cursor?: string;
  accountId?: string;
  cause?: string;
}

const amountSchema = Joi.string().example('10.00').description('Signed. A debit balance is positive');

const accountSchema = Joi.object({
  accountId: Joi.string().required(),
  kind: Joi.string().required(),
  owner: Joi.string().required(),
  currency: currency().required(),
  balance: amountSchema.required(),
});

const transferSchema = Joi.object({
  transferId: Joi.string().required(),
  debitAccountId: Joi.string().required(),
  creditAccountId: Joi.string().required(),
  amount: Joi.string().required(),
  currency: currency().required(),
  phase: Joi.string().valid('posted', 'pending', 'post', 'void').required(),
  pendingTransferId: Joi.string(),
  cause: Joi.string().required(),
  bookedAt: instant().required(),
});

const trialSchema = Joi.object({
  currency: currency().required(),
  debits: Joi.string().required(),
  credits: Joi.string().required(),
  difference: Joi.string().required().description('Always zero'),
});

interface Trial {
  currency: string;
  debits: string;
  credits: string;
  difference: string;
}

interface AccountParams {
  accountId: string;
}

interface AccountRow {
  id: bigint;
  kind: string;
  owner: string;
  currency: string;
  balance: string;
}

function withBalance(trx: Knex): Knex.QueryBuilder {
  return trx('ledger_account_balances').select('*', trx.raw('signed_minor::text AS balance'));
}

/** The last text of all that begin with the one before it. */
const LAST_CHARACTER = '\u{10FFFF}';

function presentAccount({ id, kind, owner, currency, balance }: AccountRow): Record<string, unknown> {
  return { accountId: `${id}`, kind, owner, currency, balance: formatAmount(BigInt(balance), currency) };
}

/** The books, for tenant admins and ops: accounts with balances, transfers, trial balance. */
export function ledgerRoutes({ database }: { database: Database }): Route[] {
  const common = { method: 'GET' as const, area: AREA, roles, identity: 'tenantId' as const };
  return [
    route<unknown, AccountQuery>({
      ...common,
      path: '/ledger/1.0.0/accounts',
      summary: 'Accounts with their balances, newest first',
      query: Joi.object({ ...paging(), currency: currency(), kind: Joi.string().max(40) }),
      responses: { 200: { description: 'A page of accounts', schema: listOf(accountSchema) } },
      handler: async (ctx) => {
        const { limit, cursor, kind, currency: code } = ctx.query;
        const rows: AccountRow[] = await database.tenant(ctx.tenantId, (trx) => {
          const accounts = withBalance(trx)
            .orderBy('id', 'desc')
            .limit(limit + 1);
          if (cursor) accounts.where('id', '<', numericCursor(cursor));
          if (kind) accounts.where({ kind });
          if (code) accounts.where({ currency: code });
          return accounts;
        });
        const page = pageOf(rows, limit, (row) => `${row.id}`);
        return { status: 200, body: { ...page, data: page.data.map(presentAccount) } };
      },
    }),
    route<unknown, unknown, AccountParams>({
      ...common,
      path: '/ledger/1.0.0/accounts/{accountId}',
      summary: 'One account with its balance',
      params: Joi.object<AccountParams>({ accountId: anyId() }),
      responses: { 200: { description: 'The account', schema: accountSchema } },
      handler: async (ctx) => {
        const { accountId } = ctx.params;
        const row = await database.tenant(ctx.tenantId, (trx) =>
          withBalance(trx).where('id', numericCursor(accountId)).first(),
        );
        return { status: 200, body: presentAccount(found<AccountRow>(row, 'account')) };
      },
    }),
    route<unknown, TransferQuery>({
      ...common,
      path: '/ledger/1.0.0/transfers',
      summary: 'Transfers, newest first',
      query: Joi.object({
        ...paging(),
        accountId: formed(/^\d{1,18}$/, 'must be the `accountId` of a ledger account, which has digits only'),
        cause: Joi.string().max(200).description('The first characters of the cause, such as a payment id'),
      }),
      responses: { 200: { description: 'A page of transfers', schema: listOf(transferSchema) } },
      handler: async (ctx) => {
        const { limit, cursor, accountId, cause } = ctx.query;
        const rows = await database.tenant(ctx.tenantId, (trx) => {
          const page = (side: object) => {
            const transfers = trx('ledger_transfers')
              .where(side)
              .orderBy('id', 'desc')
              .limit(limit + 1);
            if (cursor) transfers.where('id', '<', numericCursor(cursor));
            // These operators compare bytes, and row-level security trusts them with an index.
            if (cause) transfers.whereRaw('cause ~>=~ ? AND cause ~<~ ?', [cause, cause + LAST_CHARACTER]);
            return transfers;
          };
          if (!accountId) return page({});
          // Each side by its own index: an account may have millions.
          const sides = trx.unionAll(
            [page({ debit_account_id: accountId }), page({ credit_account_id: accountId })],
            true,
          );
          return trx
            .from(sides.as('t'))
            .orderBy('id', 'desc')
            .limit(limit + 1);
        });
        const page = pageOf(rows, limit, (row) => `${row.id}`);
        const data = page.data.map((row) => ({
          transferId: `${row.id}`,
          debitAccountId: `${row.debit_account_id}`,
          creditAccountId: `${row.credit_account_id}`,
          amount: formatAmount(row.amount_minor, row.currency),
          currency: row.currency,
          phase: row.phase,
          pendingTransferId: row.pending_id === null ? undefined : `${row.pending_id}`,
          cause: row.cause,
          bookedAt: row.booked_at,
        }));
        return { status: 200, body: { ...page, data } };
      },
    }),
    route({
      ...common,
      path: '/ledger/1.0.0/trial-balance',
      summary: 'The sum of all balances per currency, which is always zero',
      responses: {
        200: { description: 'One line per currency', schema: listOf(trialSchema), alternatives: [PDF] },
      },
      handler: async (ctx) => {
        const rows = await database.tenant(ctx.tenantId, (trx) =>
          trx
            .from(trx.raw('ledger_trial_balance()'))
            .select('currency', trx.raw('debit_minor::text AS debits'), trx.raw('credit_minor::text AS credits')),
        );
        const data: Trial[] = rows.map((row: { currency: string; debits: string; credits: string }) => ({
          currency: row.currency,
          debits: formatAmount(BigInt(row.debits), row.currency),
          credits: formatAmount(BigInt(row.credits), row.currency),
          difference: formatAmount(BigInt(row.debits) - BigInt(row.credits), row.currency),
        }));
        if (wantsPdf(ctx.headers.accept)) return pdfAnswer('trial-balance', trialPaper(ctx.tenantId, data));
        return { status: 200, body: { data, nextCursor: null }, headers: { vary: 'accept' } };
      },
    }),
  ];
}

function trialPaper(tenantId: string, lines: readonly Trial[]): Paper {
  const createdAt = new Date();
  return {
    title: 'Trial balance',
    createdAt,
    facts: [
      ['Tenant', tenantId],
      ['At', createdAt.toISOString()],
    ],
    columns: [
      { heading: 'Currency', share: 2 },
      ...['Debits', 'Credits', 'Difference'].map((heading) => ({ heading, share: 3, end: true })),
    ],
    rows: lines.map(({ currency: code, debits, credits, difference }) => ({
      cells: [code, debits, credits, difference],
    })),
  };
}
