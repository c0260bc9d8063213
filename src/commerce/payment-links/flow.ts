import { type PaymentLinkInput, workflowId } from '../../domain/flows';
import type { Engine } from '../../foundation/temporal/engine';
import { type Flow, signalFlow } from '../../foundation/temporal/flows';
import type { PaymentLinkRow } from './payment-link';

type Subject = Pick<PaymentLinkRow, 'id' | 'tenant_id' | 'organization_id'>;

/** Longer than a flow that lives takes to look. */
const OVERDUE_MS = 10_000;
const BATCH = 100;

/** One payment link, until it is approved or its time is up. */
export const PAYMENT_LINK_FLOW: Flow<Subject, PaymentLinkInput> = {
  workflow: 'paymentLink',
  queue: 'flows',
  id: ({ id }) => workflowId.paymentLink(id),
  input: ({ id, tenant_id }) => ({ paymentLinkId: id, tenantId: tenant_id }),
  summary: ({ id }) => `payment link ${id}`,
  attributes: ({ tenant_id, organization_id }) => ({
    kind: 'payment_link',
    tenant: tenant_id,
    organization: organization_id,
  }),
  runs: 'again',
  signal: 'proceed',
  /** Those that should have been looked at by now. */
  unheard: (system) =>
    system('payment_links')
      .where('look_at', '<', new Date(Date.now() - OVERDUE_MS))
      .orderBy('look_at')
      .limit(BATCH)
      .select('id', 'tenant_id', 'organization_id'),
  open: { none: 'one whose flow is gone becomes overdue, and is found as unheard' },
};

/** Has the flow of a payment link look at it now; starts the flow where there is none. */
export function proceedWithPaymentLink(engine: Engine, row: Subject): Promise<void> {
  return signalFlow(engine, PAYMENT_LINK_FLOW, row);
}
