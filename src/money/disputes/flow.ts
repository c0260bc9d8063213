import { type DisputeInput, workflowId } from '../../domain/flows';
import type { Flow } from '../../foundation/temporal/flows';
import type { DisputeRow } from './dispute';

const BATCH = 100;
const ENDED = ['won', 'lost'];

/** A case at a processor, and whose it is. The dispute itself need not be known here yet. */
export type DisputeCase = Pick<DisputeRow, 'processor' | 'case_id' | 'payment_id' | 'tenant_id' | 'organization_id'>;

/**
 * One dispute, from the chargeback until it is won or lost. It runs again for what comes after its end: that may be money
 * that moved at the processor and not here.
 */
export const DISPUTE_FLOW: Flow<DisputeCase, DisputeInput> = {
  workflow: 'dispute',
  queue: 'flows',
  id: ({ processor, case_id }) => workflowId.dispute(processor, case_id),
  input: ({ processor, case_id }) => ({ processor, caseId: case_id }),
  summary: ({ payment_id }) => `dispute on ${payment_id}`,
  attributes: ({ tenant_id, organization_id, processor }) => ({
    kind: 'dispute',
    tenant: tenant_id,
    organization: organization_id,
    provider: processor,
  }),
  runs: 'again',
  signal: 'proceed',
  /** Those whose merchant ordered something while the engine was away. */
  unheard: (system, firstAnswerMs) =>
    system('disputes')
      .whereIn(
        'id',
        system('dispute_operations')
          .where({ status: 'pending', attempts: 0 })
          .where('created_at', '<', new Date(Date.now() - firstAnswerMs))
          .limit(BATCH)
          .select('dispute_id'),
      )
      .whereNotIn('status', ENDED),
  open: (system) => system('disputes').whereNotIn('status', ENDED),
};
