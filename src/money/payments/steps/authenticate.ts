import type { PaymentInput, PaymentView } from '../../../domain/flows';
import type { OperationRow } from '../payment';
import type { TimelineCause } from '../timeline-causes';
import { type Booking, bookAnswer, bookAnswerAtOnce } from './book-answer';
import { readPaymentView } from './flow-view';
import { type Attempted, sendAuthentication } from './send';

/** Finishes the 3-D Secure of a payment that was only just read with what the access control server said (`cres`). */
export async function authenticatePayment(
  deps: Booking,
  { payment, attempt, operation }: Attempted & { operation?: OperationRow },
  cres: string,
  cause: TimelineCause,
): Promise<PaymentView> {
  const input: PaymentInput = { paymentId: payment.id, tenantId: payment.tenant_id };
  if (payment.status !== 'requires_action' && payment.status !== 'pending') return readPaymentView(deps, input);
  const answer = await sendAuthentication(deps, payment, cres);
  // Where the processor goes on by itself, it tells how in a callback of its own.
  if (!answer) return readPaymentView(deps, input);
  return operation
    ? bookAnswer(deps, input, answer, cause)
    : bookAnswerAtOnce(deps, { payment, attempt }, answer, cause);
}
