import type { Knex } from 'knex';
import { type Actor, noteDone } from '../../foundation/audit-log/audit-log';
import type { PaymentRow } from './payment';

/** Notes in the audit log whose act it was. Runs in the transaction that writes the act down; not for a repeat of it. */
export type Noting = (trx: Knex.Transaction, payment: PaymentRow, detail: Record<string, unknown>) => Promise<void>;

/** Notes an act on the payment itself: `payment.capture`, `payment.refund`, … */
export function noting(by: Actor, action: string): Noting {
  return (trx, payment, detail) => noteDone(trx, payment.tenant_id, by, action, payment.id, detail);
}
