import type { Knex } from 'knex';
import type { Database } from '../../foundation/db/database';
import { type Page, paged } from '../../foundation/db/page';
import type { PaymentRow } from '../../money/payments/payment';
import type { InboxRow } from './inbox';

export type ReportedRow = Pick<
  InboxRow,
  'id' | 'processor' | 'receiver' | 'type' | 'event' | 'state' | 'received_at'
> & { note: string | null; handled_at: Date | null };

/**
 * What processors told about a payment and its refunds, newest first, and one more than the page where there is one. The
 * inbox belongs to no tenant: the payment, which the caller was allowed to read, says what may be looked for in it.
 */
export async function reportsOf(database: Database, payment: PaymentRow, page: Page): Promise<ReportedRow[]> {
  const { refunds, attempts } = await database.tenant(payment.tenant_id, async (trx) => ({
    refunds: (await trx('refunds').where({ payment_id: payment.id }).pluck('id')) as string[],
    attempts: (await trx('payment_attempts')
      .where({ payment_id: payment.id })
      .whereNotNull('processor_reference')
      .select('processor', 'processor_reference')) as { processor: string; processor_reference: string }[],
  }));
  const rows: Knex.QueryBuilder = database
    .system('callback_inbox')
    .where((about) => {
      about.whereIn('reference', [payment.id, ...refunds]);
      for (const { processor, processor_reference: reference } of attempts) about.orWhere({ processor, reference });
    })
    .select('id', 'processor', 'receiver', 'type', 'event', 'state', 'note', 'received_at', 'handled_at');
  return paged(rows, page);
}
