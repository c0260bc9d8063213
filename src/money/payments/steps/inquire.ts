import type { PaymentInput, PaymentView } from '../../../domain/flows';
import { isClosed } from '../../../domain/states/payment';
import type { PaymentRow } from '../payment';
import { type Authorizing, nextProcessor, prepareForPayer, sendElsewhere } from './authorize';
import { bookAnswer } from './book-answer';
import { carryOut } from './capture-and-void';
import { endInTime, isTimeUp } from './expire';
import { readPayment, readPaymentView } from './flow-view';
import { askAboutPayment, inFlightMs } from './send';

/** Asks the processor by our reference what became of the payment. `tries` spaces the next time. */
export async function inquirePayment(deps: Authorizing, input: PaymentInput, tries: number): Promise<PaymentView> {
  const { payment, operation } = await readPayment(deps, input);
  if (!payment || isClosed(payment.status)) return readPaymentView(deps, input);
  const answer = await askAboutPayment(deps, payment);
  const notYetDone = operation && answer.kind === 'authorized';
  const inFlight = operation && Date.now() - operation.sent_at.getTime() < inFlightMs(deps, payment);
  if (notYetDone && inFlight) return readPaymentView(deps, input, tries);
  if (notYetDone) return carryOut(deps, input, { payment, operation }, tries);
  if (answer.kind === 'challenge' && !isTimeUp(payment) && payment.status === 'requires_action')
    return readPaymentView(deps, input, tries);
  if (!operation && isTimeUp(payment)) return endInTime(deps, input, payment, answer, tries);
  const next = nextProcessor(payment);
  if (answer.kind === 'not_found' && !operation && next && wasDropped(deps, payment))
    return sendElsewhere(deps, payment, next);
  return bookAnswer(deps, input, await prepareForPayer(deps, payment, answer), 'inquiry', tries);
}

/** "Not found" is an answer only once the request can no longer be on its way. */
function wasDropped(deps: Authorizing, payment: PaymentRow): boolean {
  const sentAt = payment.submitted_at ?? payment.created_at;
  return payment.status === 'pending' && Date.now() - sentAt.getTime() >= inFlightMs(deps, payment);
}
