import type { Knex } from 'knex';
import { DomainError } from '../domain/errors';
import type { ResultCode } from '../domain/result-codes';
import { canMove, type PaymentStatus } from '../domain/states/payment';
import type { Ledger, Transfer } from '../ledger/ledger';
import type { PaymentRow } from './payment';

/** One step of a payment: its new status, why, and the money it moves. */
export interface PaymentChange {
  to: PaymentStatus;
  resultCode: ResultCode;
  /** A sentence for `status.detail` and the timeline. */
  detail: string;
  /** What caused it: `authorize`, `callback cbk_…`, `inquiry`, `settlement a/…`. */
  cause: string;
  columns?: Partial<Omit<PaymentRow, 'id' | 'status' | 'result_code' | 'status_detail'>>;
  transfers?: readonly Transfer[];
}

/**
 * Moves a payment, writes its timeline and books its entries, all in the caller's transaction. A change that keeps the
 * status only updates the reason. Throws DomainError `invalid_state` when the table does not allow the move, or when
 * somebody else moved the payment since it was read.
 */
export async function applyChange(
  trx: Knex.Transaction,
  ledger: Ledger,
  payment: PaymentRow,
  change: PaymentChange,
): Promise<PaymentRow> {
  if (payment.status !== change.to && !canMove(payment.status, change.to))
    throw new DomainError('invalid_state', `a payment that is ${payment.status} cannot become ${change.to}`);
  const [moved]: PaymentRow[] = await trx('payments')
    .where({ id: payment.id, status: payment.status })
    .update({
      ...change.columns,
      status: change.to,
      result_code: change.resultCode,
      status_detail: change.detail,
      updated_at: trx.raw('clock_timestamp()'),
    })
    .returning('*');
  if (!moved) throw new DomainError('invalid_state', `payment ${payment.id} is no longer ${payment.status}`);
  await trx('payment_events').insert({
    payment_id: payment.id,
    tenant_id: payment.tenant_id,
    from_status: payment.status,
    to_status: change.to,
    result_code: change.resultCode,
    cause: change.cause,
    detail: change.detail,
  });
  if (change.transfers?.length) await ledger.book(trx, payment.tenant_id, payment.currency, change.transfers);
  return moved;
}
