import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/client';
import type { Knex } from 'knex';
import { WORKFLOW, workflowId } from '../../domain/flows';
import { type Engine, searchAttributes } from '../../foundation/temporal/engine';
import type { CardVerificationRow } from './verification';

/** Starts the flow of a verification, however often it is called. One that was lost is started anew. */
export async function startCardVerification(
  engine: Engine,
  verification: CardVerificationRow,
  { eager = false }: { eager?: boolean } = {},
): Promise<void> {
  const { id, tenant_id, customer_id, status, processor, request_id } = verification;
  await engine.client.workflow.start(WORKFLOW.cardVerification, {
    workflowId: workflowId.cardVerification(id),
    taskQueue: engine.taskQueue,
    args: [{ verificationId: id, tenantId: tenant_id }],
    requestEagerStart: eager,
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    staticSummary: `verification of a card of ${customer_id}`,
    memo: { requestId: request_id },
    typedSearchAttributes: searchAttributes({
      tenant: tenant_id,
      customer: customer_id,
      status,
      kind: 'card_verification',
      provider: processor,
    }),
  });
}

const BATCH = 100;
/** Well beyond the time in which a request that lives starts its flow. */
const MARGIN_MS = 60_000;

/** Starts the flows of verifications whose request died before it could. Answers how many. */
export function startOrphanedVerifications(system: Knex, engine: Engine, firstAnswerMs: number): Promise<number> {
  return startAll(engine, open(system, firstAnswerMs + MARGIN_MS).where({ attempts: 0 }));
}

/** Starts anew the flows that are gone, of verifications that have not moved for `quietMs`. */
export function startLostVerifications(system: Knex, engine: Engine, quietMs: number): Promise<number> {
  return startAll(engine, open(system, quietMs).where('attempts', '>', 0));
}

function open(system: Knex, quietMs: number): Knex.QueryBuilder<object, CardVerificationRow[]> {
  return system('card_verifications')
    .whereIn('status', ['initiated', 'pending', 'requires_action'])
    .where('updated_at', '<', new Date(Date.now() - quietMs))
    .orderBy('updated_at')
    .limit(BATCH);
}

async function startAll(engine: Engine, found: Knex.QueryBuilder<object, CardVerificationRow[]>): Promise<number> {
  const rows = (await found) as CardVerificationRow[];
  for (const row of rows) await startCardVerification(engine, row);
  return rows.length;
}
