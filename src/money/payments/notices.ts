import type { Knex } from 'knex';
import { type NotificationType, paymentNotification, topupNotification } from '../../domain/notification-type';
import { topupStatusOf } from '../../domain/states/topup';
import { enqueueNotices, type Notice, noticeOf, type QueuedNotice } from '../../foundation/outbox/outbox';
import type { PaymentRow } from './payment';
import { presentPayment } from './present';
import { presentTopup } from './present-topup';
import type { TopupRow } from './topup';

/** A payment as it stands, and where it is for a wallet its top-up. */
export interface Told {
  payment: PaymentRow;
  topup?: TopupRow;
}

/**
 * What is told about a payment or top-up: that it is in its status by now, unless `type` says something else. Undefined
 * where nothing is told of that status. Times that the database has yet to choose are written as `@<id>` (see payment_move).
 */
export function paymentNotice(
  { payment, topup }: Told,
  besides: object = {},
  type: NotificationType | undefined = topup
    ? topupNotification(topupStatusOf(payment.status))
    : paymentNotification(payment.status),
): Notice | undefined {
  if (!type) return undefined;
  const recordOf = (at: string) => ({
    ...(topup ? { ...presentTopup({ topup, payment }), updatedAt: at } : { ...presentPayment(payment), timestamp: at }),
    ...besides,
  });
  return noticeOf(type, recordOf, payment.request.notificationUrl);
}

/**
 * Queues what payments of one tenant that moved other than by `payment_move` (settlement, or a step that is no change of
 * status) have to tell, in the transaction of that step. `payments` are the rows as they stand after it.
 */
export async function tellOfPayments(
  trx: Knex.Transaction,
  payments: readonly PaymentRow[],
  type?: NotificationType,
  besides: object = {},
): Promise<void> {
  const topups = await topupsOf(trx, payments);
  const byTenant = new Map<string, QueuedNotice[]>();
  for (const payment of payments) {
    const notice = paymentNotice({ payment, topup: topups.get(payment.id) }, besides, type);
    if (!notice) continue;
    const notices = byTenant.get(payment.tenant_id) ?? [];
    notices.push({
      ...notice,
      organization: payment.organization_id,
      terminal: payment.terminal_id,
      payment: payment.id,
      sequence: payment.version,
      at: payment.updated_at,
    });
    byTenant.set(payment.tenant_id, notices);
  }
  for (const [tenantId, notices] of byTenant) await enqueueNotices(trx, tenantId, notices);
}

async function topupsOf(trx: Knex.Transaction, payments: readonly PaymentRow[]): Promise<Map<string, TopupRow>> {
  const ids = payments.filter(({ beneficiary }) => beneficiary === 'wallet').map(({ id }) => id);
  const rows: TopupRow[] = ids.length === 0 ? [] : await trx('topups').whereIn('payment_id', ids);
  return new Map(rows.map((row) => [row.payment_id, row]));
}
