import { type VerificationInput, workflowId } from '../../domain/flows';
import type { Engine } from '../../foundation/temporal/engine';
import { type Flow, signalFlow } from '../../foundation/temporal/flows';

interface Subject {
  id: string;
  tenant_id: string;
  organization_id: string | null;
}

/** Longer than a flow that lives takes to look. */
const OVERDUE_MS = 10_000;
const BATCH = 100;

/** The verification of one customer, round after round. */
export const KYC_FLOW: Flow<Subject, VerificationInput> = {
  workflow: 'verification',
  queue: 'flows',
  id: ({ id }) => workflowId.verification(id),
  input: ({ id, tenant_id }) => ({ customerId: id, tenantId: tenant_id }),
  summary: ({ id }) => `verification of ${id}`,
  attributes: ({ id, tenant_id, organization_id }) => ({
    kind: 'verification',
    tenant: tenant_id,
    organization: organization_id,
    customer: id,
  }),
  runs: 'again',
  signal: 'proceed',
  /** Customers that should have been looked at by now. */
  unheard: (system): PromiseLike<Subject[]> =>
    system('customer_verifications as v')
      .join('customers as c', 'c.id', 'v.customer_id')
      .where('v.look_at', '<', new Date(Date.now() - OVERDUE_MS))
      .orderBy('v.look_at')
      .limit(BATCH)
      .select('c.id', 'c.tenant_id', 'c.organization_id'),
  open: { none: 'a customer whose flow is gone stays overdue, and is found as unheard' },
};

/** Has the verification flow of a customer look at it now; starts the flow where there is none. */
export function proceedWithKyc(engine: Engine, customer: Subject): Promise<void> {
  return signalFlow(engine, KYC_FLOW, customer);
}
