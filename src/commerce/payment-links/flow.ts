import { workflowId } from '../../domain/flows';
import type { PaymentLinkInput } from '../../domain/payment-link-flow';
import type { Engine } from '../../foundation/temporal/engine';
import { type Flow, signalFlow } from '../../foundation/temporal/flows';
import type { PaymentLinkRow } from './payment-link';

type Subject = Pick<PaymentLinkRow, 'id' | 'tenant_id' | 'organization_id' | 'status'>;

const BATCH = 500;
/** What a request has just written down is told to the flow by the request. */
const MARGIN_MS = 1_000;

/**
 * One payment link, from its request until it is paid, rejected or expired. The flow has no timer: the workers look for
 * links that are due, so that a hundred thousand waiting ones cost rows and nothing else.
 */
export const PAYMENT_LINK_FLOW: Flow<Subject, PaymentLinkInput> = {
  workflow: 'paymentLink',
  queue: 'flows',
  id: ({ id }) => workflowId.paymentLink(id),
  input: ({ id, tenant_id }) => ({ paymentLinkId: id, tenantId: tenant_id }),
  summary: ({ id }) => `payment link ${id}`,
  attributes: ({ tenant_id, organization_id, status }) => ({
    kind: 'payment_link',
    tenant: tenant_id,
    organization: organization_id,
    status,
  }),
  runs: 'again',
  signal: 'proceed',
  /** Those of which something is due. */
  unheard: (system) =>
    system('payment_links')
      .where('look_at', '<', new Date(Date.now() - MARGIN_MS))
      .orderBy('look_at')
      .limit(BATCH)
      .select('id', 'tenant_id', 'organization_id', 'status'),
  open: { none: 'one whose flow is gone is found as soon as something is due' },
};

/** Has the flow of a link look at it now; starts the flow where there is none. */
export function proceedWithPaymentLink(engine: Engine, row: Subject): Promise<void> {
  return signalFlow(engine, PAYMENT_LINK_FLOW, row);
}
