import type { Knex } from 'knex';
import { newId } from '../domain/ids';
import type { PaymentRow } from '../payments/payment';
import { presentPayment } from '../payments/present';

/** One line of the outbox, before it is written. `body` is what is signed and sent. */
export interface Notice {
  id: string;
  type: string;
  url: string;
  /** Scheme, host and port of `url`. */
  endpoint: string;
  body: string;
}

/**
 * What the merchant is told about a payment that stands as `payment` says; undefined where no `notificationUrl` was
 * given. Times that the database has yet to choose are written as `@<id>` (see payment_move).
 */
export function noticeOf(payment: PaymentRow, type: string, besides: object = {}): Notice | undefined {
  const url = payment.request.notificationUrl;
  if (!url) return undefined;
  const id = newId('notification');
  const at = `@${id}`;
  const data = { ...presentPayment(payment), timestamp: at, ...besides };
  return { id, type, url, endpoint: new URL(url).origin, body: JSON.stringify({ id, type, createdAt: at, data }) };
}

/**
 * Writes to the outbox what payments moved other than by `payment_move` (settlement, or a step that is no change of
 * status) have to tell, in the transaction of that step. `payments` are the rows as they stand after it.
 */
export async function enqueueNotices(
  trx: Knex.Transaction,
  payments: readonly PaymentRow[],
  type: string,
  besides: object = {},
): Promise<void> {
  const rows = payments.flatMap((payment) => {
    const notice = noticeOf(payment, type, besides);
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
