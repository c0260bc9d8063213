import { WorkflowIdReusePolicy } from '@temporalio/client';
import type { Knex } from 'knex';
import type { ProcessorId } from '../../domain/connector';
import { WORKFLOW, workflowId } from '../../domain/flows';
import { type Engine, searchAttributes } from '../../foundation/temporal/engine';
import type { DisputeRow } from './dispute';

/** The flow of one dispute, and whose it is. */
export interface DisputeFlow {
  processor: ProcessorId;
  caseId: string;
  payment: { id: string; tenant_id: string; organization_id: string };
}

/**
 * Signals a dispute's flow, starting it where there is none. Throws WorkflowExecutionAlreadyStartedError once it has
 * ended, unless `again`: a further run finds in Postgres what was done.
 */
export async function signalDispute(
  engine: Engine,
  { processor, caseId, payment }: DisputeFlow,
  signal: string,
  signalArgs: unknown[],
  { again = false }: { again?: boolean } = {},
): Promise<void> {
  await engine.client.workflow.signalWithStart(WORKFLOW.dispute, {
    workflowId: workflowId.dispute(processor, caseId),
    taskQueue: engine.taskQueue,
    args: [{ processor, caseId }],
    signal,
    signalArgs,
    workflowIdReusePolicy: again ? WorkflowIdReusePolicy.ALLOW_DUPLICATE : WorkflowIdReusePolicy.REJECT_DUPLICATE,
    staticSummary: `dispute on ${payment.id}`,
    typedSearchAttributes: searchAttributes({
      tenant: payment.tenant_id,
      organization: payment.organization_id,
      kind: 'dispute',
      provider: processor,
    }),
  });
}

/** Has the flow of a dispute that has not ended look at Postgres now: at what was ordered, or at where it stands. */
export function proceedWithDispute(engine: Engine, dispute: DisputeRow): Promise<void> {
  const payment = { ...dispute, id: dispute.payment_id };
  const flow = { processor: dispute.processor, caseId: dispute.case_id, payment };
  return signalDispute(engine, flow, 'proceed', [], { again: true });
}

const BATCH = 100;

/** Wakes the flow of disputes whose merchant ordered something while the engine was away. */
export async function wakeOrderedDisputes(system: Knex, engine: Engine, firstAnswerMs: number): Promise<number> {
  const disputes: DisputeRow[] = await system('disputes')
    .whereIn(
      'id',
      system('dispute_operations')
        .where({ status: 'pending', attempts: 0 })
        .where('created_at', '<', new Date(Date.now() - firstAnswerMs))
        .limit(BATCH)
        .select('dispute_id'),
    )
    .whereNotIn('status', ['won', 'lost']);
  for (const dispute of disputes) await proceedWithDispute(engine, dispute);
  return disputes.length;
}
