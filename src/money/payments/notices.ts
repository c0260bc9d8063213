import type { Knex } from 'knex';
import { newId } from '../../domain/ids';
import { type NotificationType, paymentNotification, topupNotification } from '../../domain/notification-type';
import { topupStatusOf } from '../../domain/states/topup';
import type { PaymentRow } from './payment';
import { presentPayment } from './present';
import { presentTopup } from './present-topup';
import type { TopupRow } from './topup';

/** One line of the outbox, before it is written. `body` is what is signed and sent. */
export interface Notice {
  id: string;
  type: NotificationType;
  url: string;
  /** Scheme, host and port of `url`. */
  endpoint: string;
  body: string;
}

/** A payment as it stands, and where it is for a wallet its top-up. */
export interface Told {
  payment: PaymentRow;
  topup?: TopupRow;
}

/**
 * What is told about a payment or top-up: that it is in its status by now, unless `type` says something else. Undefined
 * where no `notificationUrl` was given, or nothing is told of that status. Times that the database has yet to choose are written as `@<id>` (see payment_move).
 */
export function noticeOf(
  { payment, topup }: Told,
  besides: object = {},
  type: NotificationType | undefined = topup
    ? topupNotification(topupStatusOf(payment.status))
    : paymentNotification(payment.status),
): Notice | undefined {
  const url = payment.request.notificationUrl;
  if (!url || !type) return undefined;
  const id = newId('notification');
  const at = `@${id}`;
  const record = topup
    ? { ...presentTopup({ topup, payment }), updatedAt: at }
    : { ...presentPayment(payment), timestamp: at };
  const data = { ...record, ...besides };
  return { id, type, url, endpoint: new URL(url).origin, body: JSON.stringify({ id, type, createdAt: at, data }) };
}

/**
 * Writes to the outbox what payments moved other than by `payment_move` (settlement, or a step that is no change of
 * status) have to tell, in the transaction of that step. `payments` are the rows as they stand after it.
 */
export async function enqueueNotices(
  trx: Knex.Transaction,
  payments: readonly PaymentRow[],
  type?: NotificationType,
  besides: object = {},
): Promise<void> {
  const topups = await topupsOf(trx, payments);
  const rows = payments.flatMap((payment) => {
    const notice = noticeOf({ payment, topup: topups.get(payment.id) }, besides, type);
    if (!notice) return [];
    const at = payment.updated_at.toISOString();
    return {
      ...notice,
      body: notice.body.replaceAll(`@${notice.id}`, at),
      tenant_id: payment.tenant_id,
      organization_id: payment.organization_id,
      terminal_id: payment.terminal_id,
      payment_id: payment.id,
      sequence: payment.version,
    };
  });
  if (rows.length === 0) return;
  await trx('notifications').insert(rows);
  for (const endpoint of new Set(rows.map((row) => `${row.organization_id} ${row.endpoint}`)))
    await trx.raw("SELECT pg_notify('tillway_notification', ?)", [endpoint]);
}

async function topupsOf(trx: Knex.Transaction, payments: readonly PaymentRow[]): Promise<Map<string, TopupRow>> {
  const ids = payments.filter(({ beneficiary }) => beneficiary === 'wallet').map(({ id }) => id);
  const rows: TopupRow[] = ids.length === 0 ? [] : await trx('topups').whereIn('payment_id', ids);
  return new Map(rows.map((row) => [row.payment_id, row]));
}
