import type { ProcessorId } from '../../domain/connector';
import { type ReconciliationInput, type SettlementInput, workflowId } from '../../domain/flows';
import type { Engine } from '../../foundation/temporal/engine';
import { type Flow, startEvery, startFlow } from '../../foundation/temporal/flows';

/** One run over the settlement reports of one processor. */
export const RECONCILIATION_FLOW: Flow<ReconciliationInput, ReconciliationInput> = {
  workflow: 'reconciliation',
  queue: 'flows',
  /** Without a run's id: of the schedule. The engine adds the time that a run was due. */
  id: ({ processor, runId }) => workflowId.reconciliation(processor, runId ?? 'scheduled'),
  input: (input) => input,
  /** A schedule can then be described by who holds no key. */
  summary: ({ processor, runId, startedBy }) =>
    runId ? `reconciliation with processor ${processor}, by ${startedBy}` : null,
  attributes: ({ processor }) => ({ kind: 'reconciliation', tenant: null, provider: processor }),
  runs: 'once',
  signal: null,
  unheard: { none: 'a run that could not be started is marked as failed; the next one catches up with it' },
  open: { none: 'the next run of the schedule does what a lost one has not done' },
};

/** One settlement batch of one processor. */
export const SETTLEMENT_FLOW: Flow<SettlementInput, SettlementInput> = {
  workflow: 'settlement',
  queue: 'flows',
  id: ({ processor, batchId }) => workflowId.settlement(processor, batchId),
  input: (input) => input,
  summary: () => null,
  attributes: ({ processor }) => ({ kind: 'settlement', tenant: null, provider: processor }),
  runs: 'once',
  signal: null,
  unheard: { none: 'its callback stays due until the flow is started; reconciliation books batches nobody announced' },
  open: { none: 'reconciliation books what a lost flow has not booked' },
};

/** Starts one run now. A second call for the same run does nothing. The row of the run must exist. */
export async function startReconciliation(
  engine: Engine,
  input: ReconciliationInput & { runId: string },
): Promise<void> {
  await startFlow(engine, RECONCILIATION_FLOW, input);
}

/** Has the engine start a run per processor every `everyMs`, however many workers ask for it. Runs never overlap. */
export async function scheduleReconciliation(
  engine: Engine,
  processors: readonly ProcessorId[],
  everyMs: number,
): Promise<void> {
  for (const processor of processors) {
    const scheduleId = workflowId.reconciliation(processor, 'schedule');
    await startEvery(engine, RECONCILIATION_FLOW, { processor, startedBy: 'schedule' }, { scheduleId, everyMs });
  }
}
