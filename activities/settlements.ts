import type { ProcessorId } from '../src/domain/connector';
import type { SettlementInput, SettlementView } from '../src/domain/flows';
import { openLineDifferences } from '../src/money/reconciliation/differences';
import { matchLines } from '../src/money/reconciliation/matching';
import { isKept, keepReport } from '../src/money/reconciliation/reports';
import type { Dependencies } from './dependencies';

/** Books a provider's settlement batches: thousands of payments in a few statements, each line once. */
export function settlementActivities(deps: Dependencies) {
  const { system } = deps.database;

  /**
   * Books every line of the batch that agrees with what we hold and was not booked before. Lines for payments whose
   * outcome is not known here yet are counted as waiting; with `final` they become differences, for ops to resolve.
   */
  async function bookSettlement({ processor, batchId }: SettlementInput, final: boolean): Promise<SettlementView> {
    if (!(await isKept(system, processor, batchId)))
      await keepReport(
        system,
        processor,
        await deps.connectors.get(processor as ProcessorId).settlementReport(batchId),
      );
    await matchLines(system, deps.ledger, processor, batchId);
    if (final) await openLineDifferences(system, processor, { graceMs: 0, batchId });
    const { rows } = await system.raw(
      `SELECT count(*)::integer AS lines, count(*) FILTER (WHERE outcome <> 'waiting')::integer AS booked
       FROM settlement_lines WHERE processor = ? AND batch_id = ?`,
      [processor, batchId],
    );
    const { lines, booked } = rows[0];
    return { lines, booked, waiting: lines - booked };
  }

  return { bookSettlement };
}
