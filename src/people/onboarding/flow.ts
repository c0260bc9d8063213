import { type ActivationInput, workflowId } from '../../domain/flows';
import type { Engine } from '../../foundation/temporal/engine';
import { type Flow, signalFlow } from '../../foundation/temporal/flows';
import type { ActivationRow } from './activation';

type Subject = Pick<ActivationRow, 'id' | 'tenant_id' | 'organization_id' | 'number'>;

/** Longer than a flow that lives takes to look. */
const OVERDUE_MS = 10_000;
const BATCH = 100;

/** One application of a merchant to go live. */
export const ACTIVATION_FLOW: Flow<Subject, ActivationInput> = {
  workflow: 'activation',
  queue: 'flows',
  id: ({ organization_id, number }) => workflowId.activation(organization_id, number),
  input: ({ id, tenant_id }) => ({ activationId: id, tenantId: tenant_id }),
  summary: ({ organization_id, number }) => `${organization_id} applies to go live (${number})`,
  attributes: ({ tenant_id, organization_id }) => ({
    kind: 'activation',
    tenant: tenant_id,
    organization: organization_id,
  }),
  runs: 'again',
  signal: 'proceed',
  /** Applications that should have been looked at by now. */
  unheard: (system) =>
    system('activations')
      .where('look_at', '<', new Date(Date.now() - OVERDUE_MS))
      .orderBy('look_at')
      .limit(BATCH)
      .select('id', 'tenant_id', 'organization_id', 'number'),
  open: { none: 'an application whose flow is gone stays overdue, and is found as unheard' },
};

/** Has the flow of an application look at it now; starts the flow where there is none. */
export function proceedWithActivation(engine: Engine, activation: Subject): Promise<void> {
  return signalFlow(engine, ACTIVATION_FLOW, activation);
}
