import type { Knex } from 'knex';
import { WORKFLOW, workflowId } from '../../domain/flows';
import { type Engine, searchAttributes } from '../../foundation/temporal/engine';
import type { ActivationRow } from './activation';

type Subject = Pick<ActivationRow, 'id' | 'tenant_id' | 'organization_id' | 'number'>;

/** Has the flow of an application look at it now; starts the flow where there is none. */
export async function proceedWithActivation(engine: Engine, activation: Subject): Promise<void> {
  const { id, tenant_id, organization_id, number } = activation;
  await engine.client.workflow.signalWithStart(WORKFLOW.activation, {
    workflowId: workflowId.activation(organization_id, number),
    taskQueue: engine.taskQueue,
    args: [{ activationId: id, tenantId: tenant_id }],
    signal: 'proceed',
    signalArgs: [],
    staticSummary: `${organization_id} applies to go live (${number})`,
    typedSearchAttributes: searchAttributes({ tenant: tenant_id, organization: organization_id, kind: 'activation' }),
  });
}

/** Longer than a flow that lives takes to look. */
const OVERDUE_MS = 10_000;
const BATCH = 100;

/**
 * Wakes the flows of applications that should have been looked at: the request died before it could, the engine was away,
 * or the flow is gone. Answers how many.
 */
export async function wakeActivations(system: Knex, engine: Engine): Promise<number> {
  const activations: Subject[] = await system('activations')
    .where('look_at', '<', new Date(Date.now() - OVERDUE_MS))
    .orderBy('look_at')
    .limit(BATCH)
    .select('id', 'tenant_id', 'organization_id', 'number');
  for (const activation of activations) await proceedWithActivation(engine, activation);
  return activations.length;
}
