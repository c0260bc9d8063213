import type { ProcessorId } from '../../domain/connector';
import { type LateCallbackInput, workflowId } from '../../domain/flows';
import type { Flow } from '../../foundation/temporal/flows';

/** A callback about something whose flow has ended. */
export interface LateCallback {
  processor: ProcessorId;
  eventId: string;
  inboxId: string;
  tenantId: string;
  organizationId: string;
}

/** One callback that came after its flow had ended. */
export const LATE_CALLBACK_FLOW: Flow<LateCallback, LateCallbackInput> = {
  workflow: 'lateCallback',
  queue: 'flows',
  id: ({ processor, eventId }) => workflowId.lateCallback(processor, eventId),
  input: ({ inboxId }) => ({ inboxId }),
  summary: () => null,
  attributes: ({ processor, tenantId, organizationId }) => ({
    kind: 'late_callback',
    tenant: tenantId,
    organization: organizationId,
    provider: processor,
  }),
  /** Its callback takes effect once: a run that was lost is started anew when the callback is delivered again. */
  runs: 'again',
  signal: null,
  unheard: { none: 'the callback stays due in the inbox until its flow has applied it' },
  open: { none: 'a lost one leaves its callback due in the inbox, and the next delivery starts it anew' },
};
