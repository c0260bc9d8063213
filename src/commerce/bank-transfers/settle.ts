import type { Knex } from 'knex';
import { OWN_BANK } from '../../domain/connector';
import type { Database } from '../../foundation/db/database';
import { causeOf } from '../../money/ledger/causes';
import type { Ledger } from '../../money/ledger/ledger';
import * as bookings from '../../money/payments/bookings';
import type { PaymentRow } from '../../money/payments/payment';
import { becauseOf } from '../../money/payments/timeline-causes';
import { settle } from '../../money/reconciliation/matching';
import type { BankTransferRequestRow } from './request';

/**
 * Settles payments that were captured at a tenant's own bank: the line of its statement was the settlement. The seller pays the
 * tenant's fee of it. Each payment once, whatever processes do it. Answers how many. Runs as the system role.
 */
export async function settleTransfers(
  { database, ledger }: { database: Pick<Database, 'system'>; ledger: Ledger },
  limit: number,
): Promise<number> {
  const unsettled = (system: Knex) =>
    system('payments as p').where({ 'p.processor': OWN_BANK, 'p.settled_at': null }).where('p.captured_minor', '>', 0);
  // Mostly there is nothing to do: one short statement, and no transaction, finds that out.
  if (!(await unsettled(database.system).first('p.id'))) return 0;
  return database.system.transaction(async (trx) => {
    const rows: (PaymentRow & Pick<BankTransferRequestRow, 'fee_minor'>)[] = await unsettled(trx)
      .join('bank_transfer_requests as r', 'r.payment_id', 'p.id')
      .orderBy('p.id')
      .limit(limit)
      .forUpdate('p')
      .skipLocked()
      .select('p.*', 'r.fee_minor');
    const captures = rows.map(({ id }) => causeOf('payment', id, 'capture'));
    if (rows.length > 0) await settle(trx, ledger, becauseOf.settlement(OWN_BANK), captures);
    for (const row of rows) await ledger.book(trx, row.tenant_id, row.currency, bookings.fee(row, row.fee_minor));
    return rows.length;
  });
}
