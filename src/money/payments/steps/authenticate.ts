import type { CallbackEffect } from '../../../domain/callback';
import type { PaymentInput, PaymentView } from '../../../domain/flows';
import type { OperationRow } from '../payment';
import type { TimelineCause } from '../timeline-causes';
import { type Booking, bookAnswer, bookAtOnce } from './book-answer';
import { readPaymentView } from './flow-view';
import { type Attempted, sendAuthentication } from './send';

/**
 * Finishes the 3-D Secure of a payment that was only just read with what the access control server said (`cres`), in a
 * callback of this id. `notes`: what became of the callback is noted with it, where it is booked in one step.
 */
export async function authenticatePayment(
  deps: Booking,
  { payment, attempt, operation, notes }: Attempted & { operation?: OperationRow; notes: boolean },
  { id, cres }: { id: string; cres: string },
  cause: TimelineCause,
): Promise<CallbackEffect<PaymentView>> {
  const input: PaymentInput = { paymentId: payment.id, tenantId: payment.tenant_id };
  const end = 'applied';
  if (payment.status !== 'requires_action' && payment.status !== 'pending')
    return { view: await readPaymentView(deps, input), end };
  const answer = await sendAuthentication(deps, payment, cres);
  // Where the processor goes on by itself, it tells how in a callback of its own.
  if (!answer) return { view: await readPaymentView(deps, input), end };
  const callback = notes ? ({ id, end } as const) : undefined;
  const view = operation ? undefined : await bookAtOnce(deps, { payment, attempt }, answer, cause, callback);
  return view ? { view, end, isNoted: notes } : { view: await bookAnswer(deps, input, answer, cause), end };
}
