import type { Knex } from 'knex';
import { WORKFLOW, workflowId } from '../../domain/flows';
import { type Engine, searchAttributes } from '../../foundation/temporal/engine';

interface Subject {
  id: string;
  tenant_id: string;
  organization_id: string | null;
}

/** Has the verification flow of a customer look at it now; starts the flow where there is none. */
export async function proceedWithVerification(engine: Engine, customer: Subject): Promise<void> {
  await engine.client.workflow.signalWithStart(WORKFLOW.verification, {
    workflowId: workflowId.verification(customer.id),
    taskQueue: engine.taskQueue,
    args: [{ customerId: customer.id, tenantId: customer.tenant_id }],
    signal: 'proceed',
    signalArgs: [],
    staticSummary: `verification of ${customer.id}`,
    typedSearchAttributes: searchAttributes({
      tenant: customer.tenant_id,
      organization: customer.organization_id,
      customer: customer.id,
      kind: 'verification',
    }),
  });
}

/** Longer than a flow that lives takes to look. */
const OVERDUE_MS = 10_000;
const BATCH = 100;

/**
 * Wakes the flows of customers that should have been looked at: the request died before it could, the engine was away, or
 * the flow is gone. Answers how many.
 */
export async function wakeVerifications(system: Knex, engine: Engine): Promise<number> {
  const customers: Subject[] = await system('customer_verifications as v')
    .join('customers as c', 'c.id', 'v.customer_id')
    .where('v.look_at', '<', new Date(Date.now() - OVERDUE_MS))
    .orderBy('v.look_at')
    .limit(BATCH)
    .select('c.id', 'c.tenant_id', 'c.organization_id');
  for (const customer of customers) await proceedWithVerification(engine, customer);
  return customers.length;
}
