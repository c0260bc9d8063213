import {
  ScheduleAlreadyRunning,
  ScheduleOverlapPolicy,
  WorkflowExecutionAlreadyStartedError,
  WorkflowIdReusePolicy,
} from '@temporalio/client';
import type { ProcessorId } from '../../domain/connector';
import { type ReconciliationInput, WORKFLOW, workflowId } from '../../domain/flows';
import { type Engine, searchAttributes } from '../../foundation/temporal/engine';

/** Starts one run now, once however often it is called. Its row must be there. */
export async function startReconciliation(
  engine: Engine,
  input: ReconciliationInput & { runId: string },
): Promise<void> {
  try {
    await engine.client.workflow.start(WORKFLOW.reconciliation, {
      workflowId: workflowId.reconciliation(input.processor, input.runId),
      taskQueue: engine.taskQueue,
      args: [input],
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      staticSummary: `reconciliation with processor ${input.processor}, by ${input.startedBy}`,
      typedSearchAttributes: searchAttributes({ kind: 'reconciliation', provider: input.processor }),
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

/**
 * Has the engine start a run per processor every `everyMs`. Made once, however many workers ask for it; a schedule that
 * is there takes over a changed interval, and stays paused if ops paused it. Runs never overlap.
 */
export async function scheduleReconciliation(
  engine: Engine,
  processors: readonly ProcessorId[],
  everyMs: number,
): Promise<void> {
  for (const processor of processors) {
    const scheduleId = workflowId.reconciliation(processor, 'schedule');
    const spec = { intervals: [{ every: everyMs }] };
    const input: ReconciliationInput = { processor, startedBy: 'schedule' };
    try {
      await engine.client.schedule.create({
        scheduleId,
        spec,
        action: {
          type: 'startWorkflow',
          workflowType: WORKFLOW.reconciliation,
          workflowId: workflowId.reconciliation(processor, 'scheduled'),
          taskQueue: engine.taskQueue,
          args: [input],
          typedSearchAttributes: searchAttributes({ kind: 'reconciliation', provider: processor }),
        },
        policies: { overlap: ScheduleOverlapPolicy.SKIP },
      });
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
      await engine.client.schedule.getHandle(scheduleId).update((known) => ({ ...known, spec }));
    }
  }
}
