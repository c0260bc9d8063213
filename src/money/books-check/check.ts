import type { Knex } from 'knex';
import { type Narrowable, narrowed, type Since } from './since';

/** Something in the books that is not as it must be. */
export interface Finding {
  check: string;
  subject: string;
  detail: string;
}

export interface Check {
  name: string;
  /** Rows of (subject, detail), one per finding. */
  sql: string;
  /** The tables of which an audit since the last one reads no more than was touched. Absent: it reads them whole. */
  since?: readonly Narrowable[];
  /** What the SQL names. */
  bindings?: Knex.ValueDict;
}

/** What one check came to. */
export interface CheckResult {
  check: string;
  /** How many there are in all. */
  total: number;
  /** The first of them, at most `MOST_FINDINGS`. */
  findings: Finding[];
}

/** What checks came to. */
export interface Checked {
  checks: number;
  /** The first of each check, at most `MOST_FINDINGS`. */
  findings: Finding[];
  /** How many there are in all. */
  total: number;
}

/** More of one check would fill the memory, and nobody reads them. */
export const MOST_FINDINGS = 1_000;

/** A login's own limit is meant for requests; a check reads whole tables. */
const CHECK_MS = 600_000;

/**
 * Runs checks on one snapshot of the database, which may change meanwhile. Each reads whole tables in memory that does not
 * grow with them: what does not fit goes through temporary files of Postgres. `reads`: the role of operators. `each`: told after
 * each check. `since`: what was touched since an audit that found nothing, where no more is to be read.
 */
export async function runChecks(
  reads: Knex,
  checks: readonly Check[],
  each: (result: CheckResult) => Promise<void> = async () => {},
  since?: Since,
): Promise<Checked> {
  const findings: Finding[] = [];
  let total = 0;
  await reads.transaction(
    async (trx) => {
      await trx.raw(`SET LOCAL statement_timeout = ${CHECK_MS}; SET LOCAL work_mem = '64MB'; SET LOCAL jit = off`);
      const touched = since && {
        payments: since.payments,
        transfers: since.transfers,
        entryId: `${since.entryId}`,
      };
      for (const { name, sql, bindings = {}, since: tables = [] } of checks) {
        // Apart, so that the limit does not make the planner choose what is fast for a few rows only.
        const parts = [...(touched ? narrowed(tables) : []), `found AS MATERIALIZED (${sql})`];
        const limited = `WITH ${parts.join(', ')}
          SELECT subject, detail, count(*) OVER ()::integer AS total FROM found LIMIT ${MOST_FINDINGS}`;
        const { rows }: { rows: { subject: string; detail: string; total: number }[] } = await trx
          .raw(limited, { ...bindings, ...touched })
          .options({ query_timeout: CHECK_MS });
        total += rows[0]?.total ?? 0;
        const found = rows.map(({ subject, detail }) => ({ check: name, subject, detail }));
        findings.push(...found);
        await each({ check: name, total: rows[0]?.total ?? 0, findings: found });
      }
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );
  return { checks: new Set(checks.map(({ name }) => name)).size, findings, total };
}
