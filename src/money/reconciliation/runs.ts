import type { Knex } from 'knex';
import type { ProcessorId } from '../../domain/connector';
import type { RunCounts } from '../../domain/flows';

/** One row of `reconciliation_runs`. */
export interface RunRow {
  id: string;
  processor: ProcessorId;
  status: 'running' | 'done' | 'failed';
  /** `schedule`, or the operator's client. */
  started_by: string;
  /** How long a movement may be in no report, and a line match nothing, in milliseconds. */
  grace_ms: bigint;
  counts: RunCounts | null;
  started_at: Date;
  finished_at: Date | null;
}

/** Looked at once more: the processor's clock is not ours, and a batch may close while it is listed. */
const OVERLAP_MS = 3_600_000;

export async function beginRun(
  system: Knex,
  { id, processor, startedBy, graceMs }: { id: string; processor: ProcessorId; startedBy: string; graceMs: number },
): Promise<RunRow> {
  await system('reconciliation_runs')
    .insert({ id, processor, status: 'running', started_by: startedBy, grace_ms: graceMs })
    .onConflict('id')
    .ignore();
  return readRun(system, id);
}

export async function readRun(system: Knex, id: string): Promise<RunRow> {
  return system('reconciliation_runs').where({ id }).first();
}

/** From when on this run lists batches: shortly before the last run that ended well, else from the beginning. */
export async function sinceOf(system: Knex, processor: ProcessorId, runId: string): Promise<Date> {
  const last = await system('reconciliation_runs')
    .where({ processor, status: 'done' })
    .whereNot({ id: runId })
    .max({ at: 'started_at' })
    .first();
  return new Date(Math.max(0, (last?.at?.getTime() ?? 0) - OVERLAP_MS));
}

/** Ends a run; a repeat answers the counts of the first. */
export async function finishRun(
  system: Knex,
  runId: string,
  { batches, recovered }: { batches: number; recovered: number },
): Promise<RunCounts> {
  const run = await readRun(system, runId);
  if (run.counts) return run.counts;
  const before = await system('reconciliation_runs')
    .where({ processor: run.processor, status: 'done' })
    .where('started_at', '<', run.started_at)
    .max({ at: 'started_at' })
    .first();
  const since = before?.at ?? new Date(0);
  const { rows } = await system.raw(
    `SELECT
       (SELECT count(*) FROM settlement_lines WHERE processor = :processor AND outcome = 'matched'
         AND booked_at >= :since)::integer AS matched,
       count(*) FILTER (WHERE status = 'matched_later' AND closed_at >= :since)::integer AS "matchedLater",
       count(*) FILTER (WHERE status = 'open' AND kind = 'missing_here')::integer AS "missingHere",
       count(*) FILTER (WHERE status = 'open' AND kind = 'missing_there')::integer AS "missingThere",
       count(*) FILTER (WHERE status = 'open' AND kind = 'different_amount')::integer AS "differentAmount",
       count(*) FILTER (WHERE status = 'open' AND kind = 'different_fee')::integer AS "differentFee"
     FROM reconciliation_differences WHERE processor = :processor`,
    { processor: run.processor, since },
  );
  const counts: RunCounts = { batches, recovered, ...rows[0] };
  await system('reconciliation_runs')
    .where({ id: runId })
    .update({ status: 'done', counts: JSON.stringify(counts), finished_at: system.fn.now() });
  return counts;
}
