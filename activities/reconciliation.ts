import type { ProcessorId } from '../src/domain/connector';
import type { ReconciliationInput, ReconciliationRecovery, ReconciliationView } from '../src/domain/flows';
import { idFromUuid } from '../src/domain/ids';
import { openLineDifferences, openMissingThere } from '../src/money/reconciliation/differences';
import { matchLines } from '../src/money/reconciliation/matching';
import { beginRun, finishRun, readRun, sinceOf } from '../src/money/reconciliation/runs';
import type { Dependencies } from './dependencies';
import type { settlementActivities } from './settlements';

/** Batches that one call looks into, so that it ends well before its time is up. */
const BATCHES_PER_CALL = 50;

/** Holds a processor's settlement reports against the ledger. Every step is safe to repeat. */
export function reconciliationActivities(deps: Dependencies, settlements: ReturnType<typeof settlementActivities>) {
  const { system } = deps.database;

  /** Writes the run down, unless whoever started it did, and answers its id. `seed`: the engine's own id of the run. */
  async function beginReconciliation(input: ReconciliationInput, seed: string): Promise<string> {
    const { id } = await beginRun(system, {
      id: input.runId ?? idFromUuid('reconciliationRun', seed),
      processor: input.processor,
      startedBy: input.startedBy,
      graceMs: deps.timers.reconciliationGraceMs,
    });
    return id;
  }

  /** Books closed batches whose announcement never came, a number at a time. */
  async function recoverBatches(runId: string): Promise<ReconciliationRecovery> {
    const { processor } = await readRun(system, runId);
    const since = await sinceOf(system, processor, runId);
    const closed = await deps.connectors.get(processor as ProcessorId).settlementBatches(since.toISOString());
    const { rows } = await system.raw(
      `SELECT c.id FROM unnest(?::text[]) WITH ORDINALITY AS c(id, n) WHERE NOT EXISTS (
         SELECT 1 FROM settlement_batches b WHERE b.processor = ? AND b.batch_id = c.id) ORDER BY n LIMIT ?`,
      [closed, processor, BATCHES_PER_CALL + 1],
    );
    const missed: string[] = rows.map(({ id }: { id: string }) => id);
    for (const batchId of missed.slice(0, BATCHES_PER_CALL))
      await settlements.bookSettlement({ processor, batchId }, false);
    return {
      batches: closed.length,
      recovered: Math.min(missed.length, BATCHES_PER_CALL),
      more: missed.length > BATCHES_PER_CALL,
    };
  }

  /** Compares line by line, opens what differs, and ends the run with its counts. */
  async function compareBooks(runId: string, recovery: ReconciliationRecovery): Promise<ReconciliationView> {
    const { processor, grace_ms } = await readRun(system, runId);
    const graceMs = Number(grace_ms);
    const since = new Date((await sinceOf(system, processor, runId)).getTime() - graceMs);
    await matchLines(system, deps.ledger, processor);
    await openLineDifferences(system, processor, { graceMs });
    await openMissingThere(system, processor, { graceMs, since });
    return finishRun(system, runId, recovery);
  }

  return { beginReconciliation, recoverBatches, compareBooks };
}
