import type { ReconciliationInput, ReconciliationRecovery, ReconciliationView } from '../../domain/flows';
import { idFromUuid } from '../../domain/ids';
import type { Config } from '../../foundation/config/config';
import { bookBatch, type Settling } from './book-batch';
import { openLineDifferences, openMissingThere } from './differences';
import { matchLines } from './matching';
import { beginRun, finishRun, readRun, sinceOf } from './runs';

/** Holding a processor's settlement reports against the ledger. Every step is safe to repeat. */

/** Batches that one call looks into, so that it ends well before its time is up. */
const BATCHES_PER_CALL = 50;

/** Writes the run down unless that was done before, and answers its id. `seed`: the engine's own id of the run. */
export async function beginReconciliation(
  { database, timers }: Pick<Settling, 'database'> & { timers: Config['timers'] },
  { runId, processor, startedBy }: ReconciliationInput,
  seed: string,
): Promise<string> {
  const id = runId ?? idFromUuid('reconciliationRun', seed);
  await beginRun(database.system, { id, processor, startedBy, graceMs: timers.reconciliationGraceMs });
  return id;
}

/** Books closed batches whose announcement never came, a number at a time. */
export async function recoverBatches(deps: Settling, runId: string): Promise<ReconciliationRecovery> {
  const { system } = deps.database;
  const { processor } = await readRun(system, runId);
  const since = await sinceOf(system, processor, runId);
  const closed = await deps.connectors.get(processor).settlementBatches(since.toISOString());
  const { rows } = await system.raw(
    `SELECT c.id FROM unnest(?::text[]) WITH ORDINALITY AS c(id, n) WHERE NOT EXISTS (
       SELECT 1 FROM settlement_batches b WHERE b.processor = ? AND b.batch_id = c.id) ORDER BY n LIMIT ?`,
    [closed, processor, BATCHES_PER_CALL + 1],
  );
  const missed: string[] = rows.map(({ id }: { id: string }) => id);
  for (const batchId of missed.slice(0, BATCHES_PER_CALL)) await bookBatch(deps, { processor, batchId }, false);
  return {
    batches: closed.length,
    recovered: Math.min(missed.length, BATCHES_PER_CALL),
    more: missed.length > BATCHES_PER_CALL,
  };
}

/** Compares line by line, opens what differs, and ends the run with its counts. */
export async function compareBooks(
  { database: { system }, ledger }: Settling,
  runId: string,
  recovery: ReconciliationRecovery,
): Promise<ReconciliationView> {
  const { processor, grace_ms } = await readRun(system, runId);
  const graceMs = Number(grace_ms);
  const since = new Date((await sinceOf(system, processor, runId)).getTime() - graceMs);
  await matchLines(system, ledger, processor);
  await openLineDifferences(system, processor, { graceMs });
  await openMissingThere(system, processor, { graceMs, since });
  return finishRun(system, runId, recovery);
}
