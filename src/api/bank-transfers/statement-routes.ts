import type { BankAccounts } from '../../commerce/bank-statements/account';
import { presentBankLine, presentBankStatement } from '../../commerce/bank-statements/present';
import type { BankStatementRow } from '../../commerce/bank-statements/statement';
import type { BankStatements } from '../../commerce/bank-statements/upload';
import { actorOf } from '../server/actor';
import { listOf, numericCursor, pageOf } from '../server/conventions';
import { type Route, route } from '../server/route';
import {
  type LineQuery,
  lineQuery,
  lineSchema,
  type StatementParams,
  type StatementQuery,
  statementParams,
  statementQuery,
  statementSchema,
  type UploadQuery,
  uploadedSchema,
  uploadQuery,
} from './schema';

const PATH = '/bank-transfer/1.0.0/statements';
/** The content says what it is: banks and browsers name these types as they like. */
const TYPES = ['application/xml', 'text/xml', 'text/plain', 'text/csv', 'application/octet-stream'];

interface StatementDependencies {
  bankAccounts: BankAccounts;
  bankStatements: BankStatements;
  bankStatementLimitBytes: number;
}

/** Statements of the tenant's own accounts: uploaded, then booked by the workers. */
export function statementRoutes({
  bankAccounts,
  bankStatements,
  bankStatementLimitBytes,
}: StatementDependencies): Route[] {
  const common = { area: 'Bank transfers', roles: ['tenant_admin'] as const };
  const present = async (tenantId: string, row: BankStatementRow, outcomes?: Record<string, number>) =>
    presentBankStatement(row, (await bankAccounts.find(tenantId, row.account_id)).currency, outcomes);
  return [
    route<unknown, UploadQuery>({
      ...common,
      method: 'POST',
      path: PATH,
      summary: 'Upload statements of a bank',
      description:
        'Send the file as the bank wrote it: camt.053 or camt.054 (versions 02 to 10), MT940, or CSV by the mapping of the ' +
        'account. The content says which it is. A file is taken whole or not at all: the answer is 422 `statement_refused` if ' +
        'it cannot be read, or if opening balance, lines and closing balance do not add up. What is in it is booked ' +
        'afterwards, each movement once, in whatever files it comes again. The same file answers 200 with what it came to.',
      query: uploadQuery,
      uploads: TYPES,
      bodyLimit: bankStatementLimitBytes,
      responses: {
        200: { description: 'The file was there before', schema: uploadedSchema },
        202: { description: 'Its statements are being booked', schema: uploadedSchema },
      },
      handler: async (ctx) => {
        const { tenantId, upload, query } = ctx;
        const { statements, isKnown } = await bankStatements.upload(tenantId, upload.content, actorOf(ctx), query);
        const shown = await Promise.all(statements.map((row) => present(tenantId, row)));
        return { status: isKnown ? 200 : 202, body: { statements: shown, known: isKnown } };
      },
    }),
    route<unknown, StatementQuery>({
      ...common,
      method: 'GET',
      path: PATH,
      summary: 'List statements, newest first',
      query: statementQuery,
      responses: { 200: { description: 'A page of statements', schema: listOf(statementSchema) } },
      handler: async (ctx) => {
        const rows = await bankStatements.list(ctx.tenantId, ctx.query);
        const page = pageOf(rows, ctx.query.limit, ({ id }) => id);
        return {
          status: 200,
          body: { ...page, data: await Promise.all(page.data.map((row) => present(ctx.tenantId, row))) },
        };
      },
    }),
    route<unknown, unknown, StatementParams>({
      ...common,
      method: 'GET',
      path: `${PATH}/{statementId}`,
      summary: 'One statement, and what its lines came to',
      params: statementParams,
      responses: { 200: { description: 'The statement', schema: statementSchema } },
      handler: async (ctx) => {
        const { statement, outcomes } = await bankStatements.find(ctx.tenantId, ctx.params.statementId);
        return { status: 200, body: await present(ctx.tenantId, statement, outcomes) };
      },
    }),
    route<unknown, LineQuery, StatementParams>({
      ...common,
      method: 'GET',
      path: `${PATH}/{statementId}/lines`,
      summary: 'The lines of a statement, in the order of the bank',
      params: statementParams,
      query: lineQuery,
      responses: { 200: { description: 'A page of lines', schema: listOf(lineSchema) } },
      handler: async (ctx) => {
        const { limit, cursor, outcome } = ctx.query;
        const after = cursor ? Number(numericCursor(cursor).slice(0, 9)) : 0;
        const { lines, currency } = await bankStatements.lines(ctx.tenantId, ctx.params.statementId, {
          limit,
          after,
          ...(outcome && { outcome }),
        });
        const page = pageOf(lines, limit, ({ number }) => `${number}`);
        return { status: 200, body: { ...page, data: page.data.map((line) => presentBankLine(line, currency)) } };
      },
    }),
  ];
}
