import type { Knex } from 'knex';
import { DomainError } from '../../domain/errors';
import type { PayoutNotificationType } from '../../domain/notification-type';
import { canPayoutBecome, isOpenPayout, type PayoutStatus } from '../../domain/states/payout';
import { tell } from '../../foundation/outbox/outbox';
import type { PayoutRow } from './payout';
import { presentPayout } from './present-payout';

type Change = Partial<Pick<PayoutRow, 'account_id' | 'processor_reference' | 'sends' | 'sent_at' | 'review_since'>>;

/** Moves a locked row; `lookAt` where it is still open then. Throws `invalid_state` where the table does not allow it. */
export async function movePayout(
  trx: Knex.Transaction,
  row: PayoutRow,
  to: PayoutStatus,
  { detail, lookAt, ...change }: Change & { detail: string; lookAt?: Date },
): Promise<PayoutRow> {
  if (!canPayoutBecome(row.status, to))
    throw new DomainError('invalid_state', `A payout that is ${row.status} cannot become ${to}`);
  const [moved]: PayoutRow[] = await trx('payouts')
    .where({ id: row.id })
    .update({
      ...change,
      status: to,
      status_detail: detail,
      look_at: isOpenPayout(to) ? (lookAt ?? row.look_at) : null,
      updated_at: trx.raw('clock_timestamp()'),
    })
    .returning('*');
  await tellOfPayout(trx, moved!);
  return moved!;
}

/** What its seller is told of a payout in a status; null: nothing, somebody took it back. */
const TOLD: Record<PayoutStatus, PayoutNotificationType | null> = {
  scheduled: 'payout.scheduled',
  sent: 'payout.sent',
  settled: 'payout.settled',
  returned: 'payout.returned',
  failed: 'payout.failed',
  cancelled: null,
};

/** Tells the seller that a payout, which the caller has just written, has come to its status. */
export async function tellOfPayout(trx: Knex.Transaction, row: PayoutRow): Promise<void> {
  const type = TOLD[row.status];
  if (!type) return;
  const { tenant_id: tenantId, organization_id: organizationId, id: subjectId } = row;
  await tell(trx, { tenantId, organizationId, subjectId, type, data: presentPayout(row) });
}
