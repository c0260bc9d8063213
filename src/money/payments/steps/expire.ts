import type { PaymentInput, PaymentView } from '../../../domain/flows';
import type { PaymentInquiry } from '../../../domain/processor-answers';
import { isClosed } from '../../../domain/states/payment';
import { orderExpiry } from '../operation';
import { changeForExpiry, isTimeUp } from '../outcome';
import { type Booking, bookAnswer, bookLocked, outcomeContext, recordChange } from './book-answer';
import { carryOut } from './capture-and-void';
import { readPayment, readPaymentView } from './flow-view';
import { type Attempted, askAboutPayment } from './send';

/**
 * The payer takes time, or has no more of it: asks the processor, and when the time is up cancels there and ends the
 * payment. It ends only on the processor's word that nothing was taken and nothing can be any more; until then it stays
 * open and the processor is asked again. `tries` spaces the next time.
 */
export async function expirePayment(deps: Booking, input: PaymentInput, tries = 0): Promise<PaymentView> {
  const { payment, attempt, operation } = await readPayment(deps, input);
  // An operation under way goes on by itself.
  if (!payment || isClosed(payment.status) || operation) return readPaymentView(deps, input, tries);
  const found = await askAboutPayment(deps, { payment, attempt });
  if (isTimeUp(payment)) return endInTime(deps, input, { payment, attempt }, found, tries);
  const waiting = found.kind === 'challenge' || found.kind === 'payer_action';
  return waiting ? readPaymentView(deps, input) : bookAnswer(deps, input, found, 'inquiry', tries);
}

/**
 * Cancels a payment at the processor whose time is up, if that still waits for somebody there. `found`: how it stands. The
 * void is an operation like any other: written down first, and asked for until the processor has decided.
 */
export async function endInTime(
  deps: Booking,
  input: PaymentInput,
  { payment, attempt }: Attempted,
  found: PaymentInquiry,
  tries: number,
): Promise<PaymentView> {
  if (found.kind === 'voided')
    return bookLocked(deps, input, tries, async (trx, current) =>
      isClosed(current.status)
        ? current
        : recordChange(trx, deps, current, changeForExpiry(current, found, outcomeContext(deps, 'expiry', new Date()))),
    );
  const isWaiting = payment.status === 'authorized' ? found.kind === 'authorized' : waitsForMoney(found);
  if (!isWaiting) return bookAnswer(deps, input, found, 'inquiry', tries);
  const operation = await orderExpiry(deps.database, input);
  return operation
    ? carryOut(deps, input, { payment, attempt, operation }, tries)
    : readPaymentView(deps, input, tries);
}

const WAITS: Record<PaymentInquiry['kind'], boolean> = {
  challenge: true,
  payer_action: true,
  pending: true,
  authorized: false,
  captured: false,
  declined: false,
  soft_declined: false,
  authentication_failed: false,
  voided: false,
  not_found: false,
  unknown: false,
};

/** Whether somebody may still pay at the processor, or is expected to. */
export function waitsForMoney({ kind }: PaymentInquiry): boolean {
  return WAITS[kind];
}
