import { ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import { WORKFLOW, workflowId } from '../../domain/flows';
import { type Engine, searchAttributes } from '../../foundation/temporal/engine';

/** Has the engine look for cards that expire soon every `everyMs`. Made once; a changed interval is taken over. */
export async function scheduleCardExpiry(engine: Engine, everyMs: number): Promise<void> {
  const scheduleId = workflowId.cardExpiry('schedule');
  const spec = { intervals: [{ every: everyMs }] };
  try {
    await engine.client.schedule.create({
      scheduleId,
      spec,
      action: {
        type: 'startWorkflow',
        workflowType: WORKFLOW.cardExpiry,
        workflowId: workflowId.cardExpiry('scheduled'),
        taskQueue: engine.taskQueue,
        typedSearchAttributes: searchAttributes({ kind: 'card_expiry' }),
      },
      policies: { overlap: ScheduleOverlapPolicy.SKIP },
    });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    await engine.client.schedule.getHandle(scheduleId).update((known) => ({ ...known, spec }));
  }
}
