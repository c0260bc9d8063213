import type { PaymentInput, PaymentView } from '../../../domain/flows';
import { RESULT, type ResultCode } from '../../../domain/result-codes';
import { isClosed } from '../../../domain/states/payment';
import { end } from '../outcome';
import type { PaymentRow } from '../payment';
import { type Booking, bookAnswer, bookLocked, recordChange } from './book-answer';
import { readPayment, readPaymentView } from './flow-view';
import { askAboutPayment, sendExpiry } from './send';

/** Timers of the engine and our clock need not agree to the last moment. */
const CLOCK_MARGIN_MS = 1_000;

/**
 * The payer takes time, or has no more of it: asks the processor, and when the time is up cancels there and ends the
 * payment.
 */
export async function expirePayment(deps: Booking, input: PaymentInput): Promise<PaymentView> {
  const { payment } = await readPayment(deps, input);
  if (!payment || isClosed(payment.status)) return readPaymentView(deps, input);
  const found = await askAboutPayment(deps, payment);
  const waiting = found.kind === 'challenge' || found.kind === 'payer_action';
  const hasTime = (payment.waits_until?.getTime() ?? 0) > Date.now() + CLOCK_MARGIN_MS;
  if (hasTime && waiting) return readPaymentView(deps, input);
  const abandoned = waiting || found.kind === 'pending';
  const uncaptured = payment.status === 'authorized' && found.kind === 'authorized';
  if (hasTime || (!abandoned && !uncaptured)) return bookAnswer(deps, input, found, 'inquiry');
  const answer = await sendExpiry(deps, payment);
  if (answer.kind !== 'voided') return bookAnswer(deps, input, answer, 'expiry');
  return bookLocked(deps, input, 0, (trx, current) => {
    const [code, detail] = reasonOf(uncaptured, current);
    return recordChange(trx, deps, current, end(current, 'expired', code, detail, 'expiry'));
  });
}

function reasonOf(uncaptured: boolean, payment: PaymentRow): [ResultCode, string] {
  if (uncaptured) return [RESULT.expiredUnanswered, 'The authorization expired without a capture.'];
  if (payment.result_code === RESULT.waitingForPayer)
    return [RESULT.expiredUnanswered, 'The payer did not pay in time.'];
  return [RESULT.authenticationAbandoned, 'The payer did not finish 3-D Secure in time.'];
}
