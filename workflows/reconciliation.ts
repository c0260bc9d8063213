import { workflowInfo } from '@temporalio/workflow';
import type { ReconciliationInput, ReconciliationView } from '../src/domain/flows';
import { tell } from './flow';
import { remote } from './options';

/** One run over one processor. It books batches that were not announced, then compares reports and ledger by line. */
export async function reconciliation(input: ReconciliationInput): Promise<ReconciliationView> {
  const runId = await remote.beginReconciliation(input, workflowInfo().runId);
  const recovery = { batches: 0, recovered: 0, more: true };
  while (recovery.more) {
    tell('listing', 'provider', `Books batches that were not announced; ${recovery.recovered} so far.`);
    const found = await remote.recoverBatches(runId);
    recovery.batches = found.batches;
    recovery.recovered += found.recovered;
    recovery.more = found.more;
  }
  const counts = await remote.compareBooks(runId, recovery);
  const open = counts.missingHere + counts.missingThere + counts.differentAmount + counts.differentFee;
  tell('done', open > 0 ? 'operator' : 'nobody', `${counts.matched} lines matched, ${open} differences are open.`);
  return counts;
}
