import type { Knex } from 'knex';
import { type UnmatchedTransferInput, workflowId } from '../../domain/flows';
import { formatAmount } from '../../domain/money';
import type { Flow } from '../../foundation/temporal/flows';
import type { UnmatchedTransferRow } from './unmatched-transfer';

const BATCH = 100;

const ordered = (system: Knex): Knex.QueryBuilder<object, UnmatchedTransferRow[]> =>
  system('unmatched_transfers').whereIn('status', ['matching', 'returning']);

/** One decision about an incoming transfer that matched no payment, until the processor has carried it out or refused it. */
export const UNMATCHED_TRANSFER_FLOW: Flow<UnmatchedTransferRow, UnmatchedTransferInput> = {
  workflow: 'unmatchedTransfer',
  queue: 'flows',
  id: ({ id }) => workflowId.unmatchedTransfer(id),
  input: ({ id }) => ({ id }),
  summary: ({ amount_minor, currency, decision, payment_id, processor }) =>
    `${formatAmount(amount_minor, currency)} ${currency} at processor ${processor} ${
      decision === 'match' ? `goes to ${payment_id}` : 'goes back to its sender'
    }`,
  attributes: ({ tenant_id, status, processor }) => ({
    kind: 'unmatched_transfer',
    tenant: tenant_id,
    status,
    provider: processor,
  }),
  // After a refusal, operators may decide again.
  runs: 'again',
  signal: null,
  // Nobody starts it but the workers' rounds: an operator's decision is answered once it is written down.
  unheard: (system) => ordered(system).where({ sends: 0 }).limit(BATCH),
  open: (system) => ordered(system).where('sends', '>', 0),
};
