import { notFound } from '../../domain/errors';
import type { Database } from '../../foundation/db/database';
import { statement } from '../../foundation/db/named-statements';
import type { PaymentRow } from './payment';

/** The payments that a request may see. */
export interface PaymentScope {
  tenantId: string;
  organizationId: string;
  /** Set for a client that signed in as one merchant account. */
  terminalId?: string;
}

const BY_ID = statement('payment_by_id', 'SELECT * FROM payment_by_id($1, $2, $3)');
const BY_TRANSACTION_ID = statement('payment_by_transaction_id', 'SELECT * FROM payment_by_transaction_id($1, $2, $3)');

/** One payment of the scope, in one round trip. Throws `not_found` for anybody else's. */
export function paymentById(database: Database, scope: PaymentScope, paymentId: string): Promise<PaymentRow> {
  return visible(database, scope, BY_ID, paymentId);
}

/** The same by the merchant's own id. */
export function paymentByTransactionId(database: Database, scope: PaymentScope, id: string): Promise<PaymentRow> {
  return visible(database, scope, BY_TRANSACTION_ID, id);
}

async function visible(
  database: Database,
  { tenantId, organizationId, terminalId }: PaymentScope,
  by: typeof BY_ID,
  id: string,
): Promise<PaymentRow> {
  const [payment] = await database.named.app.rows<PaymentRow>(by, [tenantId, organizationId, id]);
  if (!payment || (terminalId && payment.terminal_id !== terminalId)) throw notFound('payment');
  return payment;
}
