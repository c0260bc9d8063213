import Joi from 'joi';
import type { Page } from '../../foundation/db/page';
import {
  AUDIT_STATUSES,
  type BooksAuditRow,
  type BooksAudits,
  type NumberedFinding,
} from '../../money/books-check/audit';
import { actorOf } from '../server/actor';
import { anyId, id, instant, listOf, numericCursor, pageOf, paging } from '../server/conventions';
import { type Route, route } from '../server/route';
import { type ReasonBody, reasonBody } from './payout-schema';

const BASE = '/ops/1.0.0/audits';
const ONE = `${BASE}/{auditId}`;

const auditSchema = Joi.object({
  auditId: id('booksAudit').required(),
  status: Joi.string()
    .valid(...AUDIT_STATUSES)
    .required(),
  reason: Joi.string().required(),
  startedBy: Joi.string().required(),
  inOrder: Joi.boolean().description('Present once it is done: nothing was found'),
  findings: Joi.number().integer().required().description('What all checks have found until now'),
  checks: Joi.array()
    .items(Joi.object({ check: Joi.string().required(), findings: Joi.number().integer().required() }))
    .required()
    .description('Those that have run, in their order'),
  failure: Joi.string().description('Of an audit that could not end: what it failed with'),
  createdAt: instant().required(),
  finishedAt: instant(),
});

const findingSchema = Joi.object({
  check: Joi.string().required().description('What should be true'),
  subject: Joi.string().required().description('What it is not true of'),
  detail: Joi.string().required(),
});

interface AuditParams {
  auditId: string;
}

/** Audits of the books, run by a worker. */
export function auditRoutes({ booksAudits }: { booksAudits: BooksAudits }): Route[] {
  const common = { area: 'Operations', roles: ['ops'] as const };
  const params = Joi.object<AuditParams>({ auditId: anyId() });
  return [
    route<ReasonBody>({
      ...common,
      method: 'POST',
      path: BASE,
      summary: 'Audit the books now',
      description:
        'Runs the checks of `npm run audit` but for those against simulated processors: our own books, and the ' +
        'settlement reports. It reads one snapshot, and may take minutes. The answer is 409 while another one runs.',
      body: reasonBody,
      idempotent: true,
      responses: { 202: { description: 'It is run', schema: auditSchema } },
      handler: async (ctx) => {
        const row = await booksAudits.order(ctx.resourceId('booksAudit'), ctx.body.reason, actorOf(ctx));
        return { status: 202, body: presentAudit(row) };
      },
    }),
    route<unknown, Page>({
      ...common,
      method: 'GET',
      path: BASE,
      summary: 'Audits of the books, newest first. The last fifty are kept',
      query: Joi.object<Page>({ ...paging() }),
      responses: { 200: { description: 'A page of audits', schema: listOf(auditSchema) } },
      handler: async (ctx) => {
        const page = pageOf(await booksAudits.list(ctx.query), ctx.query.limit, (row) => row.id);
        return { status: 200, body: { ...page, data: page.data.map(presentAudit) } };
      },
    }),
    route<unknown, unknown, AuditParams>({
      ...common,
      method: 'GET',
      path: ONE,
      summary: 'One audit with each check',
      params,
      responses: { 200: { description: 'The audit', schema: auditSchema } },
      handler: async (ctx) => ({ status: 200, body: presentAudit(await booksAudits.find(ctx.params.auditId)) }),
    }),
    route<unknown, Page, AuditParams>({
      ...common,
      method: 'GET',
      path: `${ONE}/findings`,
      summary: 'What an audit found, check by check; the first 1,000 of each',
      params,
      query: Joi.object<Page>({ ...paging() }),
      responses: { 200: { description: 'A page of findings', schema: listOf(findingSchema) } },
      handler: async (ctx) => {
        const { limit, cursor } = ctx.query;
        const after = { limit, ...(cursor !== undefined && { cursor: numericCursor(cursor) }) };
        const page = pageOf(await booksAudits.findings(ctx.params.auditId, after), limit, (row) => `${row.number}`);
        return { status: 200, body: { ...page, data: page.data.map(presentFinding) } };
      },
    }),
  ];
}

function presentFinding({ check, subject, detail }: NumberedFinding): Record<string, unknown> {
  return { check, subject, detail };
}

function presentAudit(row: BooksAuditRow): Record<string, unknown> {
  return {
    auditId: row.id,
    status: row.status,
    reason: row.reason,
    startedBy: row.started_by,
    ...(row.status === 'done' && { inOrder: row.findings === 0 }),
    findings: row.findings,
    checks: row.checks,
    ...(row.failure && { failure: row.failure }),
    createdAt: row.created_at,
    ...(row.finished_at && { finishedAt: row.finished_at }),
  };
}
