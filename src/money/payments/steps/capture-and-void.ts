import type { CaptureOrder, PaymentInput, PaymentView } from '../../../domain/flows';
import type { Database } from '../../../foundation/db/database';
import { type OperationOrder, orderOperation } from '../operation';
import type { OperationRow } from '../payment';
import { type Booking, bookOperationAnswer } from './book-answer';
import { readPayment, readPaymentView } from './flow-view';
import { type Attempted, inFlightMs, sendOperation } from './send';

/** Captures and voids: written down before they are sent, one at a time per payment. */

/** Captures an authorized payment, in part if so ordered; the rest is released. Throws `invalid_state`. */
export function capturePayment(deps: Booking, input: PaymentInput, order: CaptureOrder): Promise<PaymentView> {
  const { operationId, amountMinor } = order;
  return orderAndSend(deps, input, {
    operationId,
    kind: 'capture',
    ...(amountMinor === undefined ? {} : { amountFor: () => amountMinor }),
  });
}

/** Cancels a payment that is not captured: voids it at the processor and releases the hold. Throws `invalid_state`. */
export function cancelPayment(
  deps: Booking,
  input: PaymentInput,
  { operationId }: { operationId: string },
): Promise<PaymentView> {
  return orderAndSend(deps, input, { operationId, kind: 'void' });
}

async function orderAndSend(deps: Booking, input: PaymentInput, order: OperationOrder): Promise<PaymentView> {
  await orderOperation(deps, input, order);
  const { payment, attempt, operation } = await readPayment(deps, input);
  if (!payment || operation?.id !== order.operationId) return readPaymentView(deps, input);
  return carryOut(deps, input, { payment, attempt, operation });
}

/**
 * Sends an operation that has no answer yet, and books what the processor says. A repeat goes out under the same key; who
 * repeats has asked first. `tries` spaces the next time.
 */
export async function carryOut(
  deps: Booking,
  input: PaymentInput,
  { payment, attempt, operation }: Attempted & { operation: OperationRow },
  tries = 0,
): Promise<PaymentView> {
  if (operation.status !== 'pending') return readPaymentView(deps, input);
  await noteSend(deps.database, operation, inFlightMs(deps, operation.processor ?? payment.processor));
  return bookOperationAnswer(deps, operation, await sendOperation(deps, { payment, attempt }, operation), tries);
}

function noteSend(database: Database, { id, tenant_id }: OperationRow, windowMs: number): Promise<unknown> {
  return database.tenant(tenant_id, (trx) =>
    trx('payment_operations')
      .where({ id, status: 'pending' })
      .update({
        sends: trx.raw('sends + 1'),
        sent_at: trx.raw('clock_timestamp()'),
        in_flight_until: trx.raw("clock_timestamp() + ? * interval '1 millisecond'", [windowMs]),
      }),
  );
}

/** Whether the last send of an operation may still be on its way. */
export function isInFlight({ in_flight_until }: OperationRow): boolean {
  return in_flight_until !== null && in_flight_until.getTime() > Date.now();
}
