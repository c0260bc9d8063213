import { DomainError } from '../../../domain/errors';
import type { CancelOrder, CaptureOrder, PaymentInput, PaymentView } from '../../../domain/flows';
import { isClosed } from '../../../domain/states/payment';
import { lockPayment, type OperationRow, type PaymentRow } from '../payment';
import { type Booking, bookOperationAnswer } from './book-answer';
import { readPaymentView } from './flow-view';
import { sendOperation } from './send';

/** Captures and voids: written down before they are sent, one at a time per payment. */

/** Captures an authorized payment, in part if so ordered; the rest is released. Throws `invalid_state`. */
export async function capturePayment(deps: Booking, input: PaymentInput, order: CaptureOrder): Promise<PaymentView> {
  const opened = await openOperation(deps, input, order.operationId, 'capture', (payment) => {
    const amountMinor = order.amountMinor ?? payment.authorized_minor;
    if (amountMinor > payment.authorized_minor)
      throw new DomainError('capture_exceeds_authorized', 'the amount exceeds what was authorized');
    return amountMinor;
  });
  return carryOut(deps, input, opened);
}

/** Cancels a payment that is not captured: voids it at the processor and releases the hold. Throws `invalid_state`. */
export async function cancelPayment(deps: Booking, input: PaymentInput, order: CancelOrder): Promise<PaymentView> {
  const opened = await openOperation(deps, input, order.operationId, 'void', (payment) => payment.amount_minor);
  return carryOut(deps, input, opened);
}

/** Sends an operation that has no answer yet, and books what the processor says. `tries` spaces the next time. */
export async function carryOut(
  deps: Booking,
  input: PaymentInput,
  { payment, operation }: { payment: PaymentRow; operation: OperationRow },
  tries = 0,
): Promise<PaymentView> {
  if (operation.status !== 'pending') return readPaymentView(deps, input);
  return bookOperationAnswer(deps, operation, await sendOperation(deps, payment, operation), tries);
}

/** Writes down what is about to be asked of the processor. The same operation id finds what it wrote before. */
async function openOperation(
  { database }: Booking,
  { paymentId, tenantId }: PaymentInput,
  operationId: string,
  kind: OperationRow['kind'],
  amountFor: (payment: PaymentRow) => bigint,
): Promise<{ payment: PaymentRow; operation: OperationRow }> {
  return database.tenant(tenantId, async (trx) => {
    const payment = await lockPayment(trx, paymentId);
    const known: OperationRow | undefined = await trx('payment_operations').where({ id: operationId }).first();
    if (known) return { payment, operation: known };
    const busy = await trx('payment_operations').where({ payment_id: paymentId, status: 'pending' }).first('kind');
    if (busy) throw new DomainError('invalid_state', `a ${busy.kind} of this payment is still running`);
    const { isAllowed, done } = RULES[kind];
    if (!isAllowed(payment))
      throw new DomainError('invalid_state', `a payment that is ${payment.status} cannot be ${done}`);
    const [operation]: OperationRow[] = await trx('payment_operations')
      .insert({
        id: operationId,
        tenant_id: tenantId,
        payment_id: paymentId,
        kind,
        amount_minor: amountFor(payment),
        status: 'pending',
        cause: kind,
      })
      .returning('*');
    return { payment, operation: operation! };
  });
}

const RULES: Record<OperationRow['kind'], { isAllowed: (payment: PaymentRow) => boolean; done: string }> = {
  capture: { isAllowed: ({ status }) => status === 'authorized', done: 'captured' },
  void: { isAllowed: ({ status }) => !isClosed(status), done: 'cancelled' },
};
