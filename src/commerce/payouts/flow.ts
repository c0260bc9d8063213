import type { Knex } from 'knex';
import { workflowId } from '../../domain/flows';
import { formatAmount } from '../../domain/money';
import type { PayoutInput } from '../../domain/payout-flow';
import type { Engine } from '../../foundation/temporal/engine';
import { type Flow, signalFlow } from '../../foundation/temporal/flows';
import type { PayoutRow } from './payout';

type Subject = Pick<
  PayoutRow,
  'id' | 'tenant_id' | 'organization_id' | 'amount_minor' | 'currency' | 'number' | 'processor' | 'status'
>;

/** Longer than a flow that lives takes to look. */
const OVERDUE_MS = 10_000;
const BATCH = 100;

/** One payout, until its processor has said how it ended. */
export const PAYOUT_FLOW: Flow<Subject, PayoutInput> = {
  workflow: 'payout',
  queue: 'flows',
  id: ({ id }) => workflowId.payout(id),
  input: ({ id, tenant_id }) => ({ payoutId: id, tenantId: tenant_id }),
  summary: ({ amount_minor, currency, number, processor }) =>
    `payout ${number}: ${formatAmount(amount_minor, currency)} ${currency} through processor ${processor}`,
  attributes: ({ tenant_id, organization_id, status, processor }) => ({
    kind: 'payout',
    tenant: tenant_id,
    organization: organization_id,
    status,
    provider: processor,
  }),
  // A bank may return what it had credited: another run hears of it.
  runs: 'again',
  signal: 'proceed',
  /** Those that should have been looked at by now; those of a schedule have no request that starts their flow. */
  unheard: (system: Knex) =>
    system('payouts')
      .where('look_at', '<=', new Date())
      .where((rows) =>
        rows
          .where('look_at', '<', new Date(Date.now() - OVERDUE_MS))
          .orWhere({ origin: 'schedule', status: 'scheduled' }),
      )
      .orderBy('look_at')
      .limit(BATCH),
  open: { none: 'one whose flow is gone becomes overdue, and is found as unheard' },
};

/** Has the flow of a payout look at it now; starts the flow where there is none. */
export function proceedWithPayout(engine: Engine, row: Subject): Promise<void> {
  return signalFlow(engine, PAYOUT_FLOW, row);
}
