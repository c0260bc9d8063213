import type { PaymentInput, PaymentView } from '../../../domain/flows';
import type { PaymentInquiry } from '../../../domain/processor-answers';
import { isClosed } from '../../../domain/states/payment';
import { isTimeUp } from '../outcome';
import type { OperationRow } from '../payment';
import { type Authorizing, nextProcessor, prepareForPayer, sendAuthenticated, sendElsewhere } from './authorize';
import { bookAnswer } from './book-answer';
import { carryOut, isInFlight } from './capture-and-void';
import { endInTime, waitsForMoney } from './expire';
import { readPayment, readPaymentView } from './flow-view';
import { type Attempted, askAboutPayment, inFlightUntil } from './send';

/** Asks the processor by our reference what became of the payment. `tries` spaces the next time. */
export async function inquirePayment(deps: Authorizing, input: PaymentInput, tries: number): Promise<PaymentView> {
  const { payment, attempt, operation } = await readPayment(deps, input);
  if (!payment || isClosed(payment.status)) return readPaymentView(deps, input);
  const answer = await askAboutPayment(deps, { payment, attempt });
  // A void that is made twice does no harm.
  if (operation && isUndone(operation, answer))
    return operation.kind === 'capture' && isInFlight(operation)
      ? readPaymentView(deps, input, tries)
      : carryOut(deps, input, { payment, attempt, operation }, tries);
  if (operation) return bookAnswer(deps, input, answer, 'inquiry', tries);
  if (isTimeUp(payment)) return endInTime(deps, input, { payment, attempt }, answer, tries);
  if (answer.kind === 'challenge' && payment.status === 'requires_action') return readPaymentView(deps, input, tries);
  if (answer.kind === 'soft_declined') {
    const again = await sendAuthenticated(deps, { payment, attempt }, answer, tries);
    if (again) return again;
  }
  const next = nextProcessor(payment);
  const elsewhere =
    answer.kind === 'not_found' && next && wasDropped(deps, { payment, attempt })
      ? await sendElsewhere(deps, payment, next)
      : undefined;
  if (elsewhere) return elsewhere;
  return bookAnswer(deps, input, await prepareForPayer(deps, payment, answer), 'inquiry', tries);
}

/** Goes on with what was ordered: an operation that never left is sent at once, about every other the processor is asked. */
export async function proceedWithPayment(deps: Authorizing, input: PaymentInput): Promise<PaymentView> {
  const { payment, attempt, operation } = await readPayment(deps, input);
  if (!payment || isClosed(payment.status) || !operation) return readPaymentView(deps, input);
  const isFresh = operation.sends === 0 && payment.status !== 'initiated';
  return isFresh ? carryOut(deps, input, { payment, attempt, operation }) : inquirePayment(deps, input, 0);
}

/** Whether the payment stands at the processor as if the operation had not been made, so that it is sent again. */
function isUndone({ kind }: OperationRow, found: PaymentInquiry): boolean {
  return found.kind === 'authorized' || (kind === 'void' && waitsForMoney(found));
}

/** "Not found" is an answer only once the request can no longer be on its way. */
function wasDropped(deps: Authorizing, attempted: Attempted): boolean {
  return attempted.payment.status === 'pending' && inFlightUntil(deps, attempted) <= new Date();
}
