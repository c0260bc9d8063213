import type { Knex } from 'knex';
import { DomainError, found } from '../../domain/errors';
import { type Actor, noteDone } from '../../foundation/audit-log/audit-log';
import { type Database, violates } from '../../foundation/db/database';
import { type Page, paged } from '../../foundation/db/page';
import { auditBooks } from './books-check';
import type { Check, CheckResult, Finding } from './check';
import { auditReports } from './report-checks';

export const AUDIT_STATUSES = ['waiting', 'running', 'done', 'failed'] as const;

/** One row of `books_audits`. */
export interface BooksAuditRow {
  id: string;
  status: (typeof AUDIT_STATUSES)[number];
  reason: string;
  started_by: string;
  /** Those that have run. */
  checks: { check: string; findings: number }[];
  findings: number;
  failure: string | null;
  created_at: Date;
  finished_at: Date | null;
}

export type NumberedFinding = Finding & { number: number };

/** Audits that are kept; older ones go when another is ordered. */
const KEPT = 50;

/** Audits of the books that operators order. A worker runs them, one at a time. */
export class BooksAudits {
  constructor(private readonly database: Database) {}

  /** The same id again answers the audit that is there. Throws `invalid_state` (409) while another one runs. */
  async order(id: string, reason: string, by: Actor): Promise<BooksAuditRow> {
    const { system } = this.database;
    const known: BooksAuditRow | undefined = await system('books_audits').where({ id }).first();
    if (known) return known;
    return system
      .transaction(async (trx) => {
        const [row]: BooksAuditRow[] = await trx('books_audits')
          .insert({ id, reason, status: 'waiting', started_by: by.id })
          .returning('*');
        const old = trx('books_audits').orderBy('id', 'desc').offset(KEPT).select('id');
        await trx('books_audits').whereIn('id', old).delete();
        await noteDone(trx, null, by, 'audits.order', id, { reason });
        return row!;
      })
      .catch((error: unknown) => {
        if (violates(error, 'books_audits_one_at_a_time'))
          throw new DomainError('invalid_state', 'An audit is under way: wait for its result');
        throw error;
      });
  }

  /** One more than the page holds, newest first. */
  async list(page: Page): Promise<BooksAuditRow[]> {
    return paged(this.database.ops('books_audits'), page);
  }

  /** Throws `not_found`. */
  async find(id: string): Promise<BooksAuditRow> {
    return found(await this.database.ops('books_audits').where({ id }).first(), 'audit');
  }

  /** What an audit found, in the order of its checks; one more than the page holds. `cursor`: a number. */
  async findings(id: string, { limit, cursor }: Page): Promise<NumberedFinding[]> {
    await this.find(id);
    const rows = this.database
      .ops('books_audit_findings')
      .where({ audit_id: id })
      .orderBy('number')
      .limit(limit + 1)
      .select('number', 'check_name as check', 'subject', 'detail');
    return cursor ? rows.where('number', '>', cursor) : rows;
  }
}

/** A worker that has not come further for so long is gone: no check may take longer. */
const GONE_AFTER_MINUTES = 15;
const CHUNK = 500;

/**
 * Runs the audit that waits, if one does, and keeps what each check found. Answers whether there was one. `more`: checks of
 * shelves above this one. `graceMs`: RECONCILIATION_GRACE_MS.
 */
export async function runWaitingAudit(
  { system, ops }: Pick<Database, 'system' | 'ops'>,
  more: readonly Check[],
  graceMs: number,
): Promise<boolean> {
  const { rows } = await system.raw(
    `UPDATE books_audits SET status = 'running', beat_at = clock_timestamp(), checks = '[]', findings = 0
     WHERE id = (SELECT id FROM books_audits WHERE status = 'waiting' OR (status = 'running'
       AND beat_at < clock_timestamp() - interval '${GONE_AFTER_MINUTES} minutes') FOR UPDATE SKIP LOCKED LIMIT 1)
     RETURNING id`,
  );
  const id: string | undefined = rows[0]?.id;
  if (!id) return false;
  await system('books_audit_findings').where({ audit_id: id }).delete();
  let number = 0;
  const keep = async (result: CheckResult) => {
    number = await keepResult(system, id, number, result);
  };
  try {
    await auditBooks(ops, more, keep);
    await auditReports(ops, graceMs, keep);
    await end(system, id, { status: 'done' });
  } catch (error) {
    await end(system, id, { status: 'failed', failure: (error as Error).name });
    throw error;
  }
  return true;
}

/** Answers the number of the last finding. Checks of one name, one for each processor, count as one. */
async function keepResult(system: Knex, id: string, before: number, result: CheckResult): Promise<number> {
  const rows = result.findings.map(({ check, subject, detail }, index) => ({
    audit_id: id,
    number: before + index + 1,
    check_name: check,
    subject,
    detail,
  }));
  await system.transaction(async (trx) => {
    await trx.batchInsert('books_audit_findings', rows, CHUNK);
    const { checks }: BooksAuditRow = await trx('books_audits').where({ id }).forUpdate().first('checks');
    const known = checks.find(({ check }) => check === result.check);
    if (known) known.findings += result.total;
    else checks.push({ check: result.check, findings: result.total });
    await trx('books_audits')
      .where({ id })
      .update({
        checks: JSON.stringify(checks),
        findings: trx.raw('findings + ?', [result.total]),
        beat_at: trx.raw('clock_timestamp()'),
      });
  });
  return before + rows.length;
}

async function end(
  system: Knex,
  id: string,
  change: { status: 'done' } | { status: 'failed'; failure: string },
): Promise<void> {
  await system('books_audits')
    .where({ id })
    .update({ ...change, finished_at: system.raw('clock_timestamp()') });
}
