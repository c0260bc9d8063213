import type { ConsentInput } from '../../domain/consent-flow';
import { workflowId } from '../../domain/flows';
import type { Engine } from '../../foundation/temporal/engine';
import { type Flow, signalFlow } from '../../foundation/temporal/flows';
import type { ConsentRow } from './consent';

type Subject = Pick<ConsentRow, 'id' | 'tenant_id' | 'customer_id' | 'kind' | 'status'>;

const BATCH = 500;
/** A running flow looks sooner than this. */
const OVERDUE_MS = 10_000;

/** One consent, from its request until it ends. Its timer is what is due next: a reminder, or the end of its time. */
export const CONSENT_FLOW: Flow<Subject, ConsentInput> = {
  workflow: 'consent',
  queue: 'flows',
  id: ({ id }) => workflowId.consent(id),
  input: ({ id, tenant_id }) => ({ consentId: id, tenantId: tenant_id }),
  summary: ({ id, kind }) => `${kind} consent ${id}`,
  attributes: ({ tenant_id, customer_id, status }) => ({
    kind: 'consent',
    tenant: tenant_id,
    customer: customer_id,
    status,
  }),
  runs: 'again',
  signal: 'proceed',
  /** Those that should have been looked at by now. */
  unheard: (system) =>
    system('consents')
      .where('look_at', '<', new Date(Date.now() - OVERDUE_MS))
      .orderBy('look_at')
      .limit(BATCH)
      .select('id', 'tenant_id', 'customer_id', 'kind', 'status'),
  open: { none: 'a consent whose flow is gone stays overdue, and is found as unheard' },
};

/** Has the flow of a consent look at it now; starts the flow where there is none. */
export function proceedWithConsent(engine: Engine, row: Subject): Promise<void> {
  return signalFlow(engine, CONSENT_FLOW, row);
}
