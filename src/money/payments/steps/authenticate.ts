import type { PaymentInput, PaymentView } from '../../../domain/flows';
import type { TimelineCause } from '../timeline-causes';
import { type Booking, bookAnswer, bookAnswerAtOnce } from './book-answer';
import { readPayment, readPaymentView } from './flow-view';
import { sendAuthentication } from './send';

/** Finishes 3-D Secure with what the access control server said (`cres`). */
export async function authenticatePayment(
  deps: Booking,
  input: PaymentInput,
  cres: string,
  cause: TimelineCause,
): Promise<PaymentView> {
  const { payment, attempt, operation } = await readPayment(deps, input);
  if (!payment || (payment.status !== 'requires_action' && payment.status !== 'pending'))
    return readPaymentView(deps, input);
  const answer = await sendAuthentication(deps, payment, cres);
  // Where the processor goes on by itself, it tells how in a callback of its own.
  if (!answer) return readPaymentView(deps, input);
  return operation
    ? bookAnswer(deps, input, answer, cause)
    : bookAnswerAtOnce(deps, { payment, attempt }, answer, cause);
}
