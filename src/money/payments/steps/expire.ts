import type { PaymentInput, PaymentView } from '../../../domain/flows';
import type { PaymentInquiry, VoidAnswer } from '../../../domain/processor-answers';
import { RESULT, type ResultCode } from '../../../domain/result-codes';
import { isClosed } from '../../../domain/states/payment';
import type { PaymentChange } from '../change';
import { end, hasEndedThere } from '../outcome';
import type { PaymentRow } from '../payment';
import { type Booking, bookAnswer, bookLocked, flagWhenLongUnknown, recordChange } from './book-answer';
import { readPayment, readPaymentView } from './flow-view';
import { type Attempted, askAboutPayment, sendExpiry } from './send';

/** Timers of the engine and our clock need not agree to the last moment. */
const CLOCK_MARGIN_MS = 1_000;

/**
 * The payer takes time, or has no more of it: asks the processor, and when the time is up cancels there and ends the
 * payment. It ends only on the processor's word that nothing was taken and nothing can be any more; until then it stays
 * open and the processor is asked again. `tries` spaces the next time.
 */
export async function expirePayment(deps: Booking, input: PaymentInput, tries = 0): Promise<PaymentView> {
  const { payment, attempt } = await readPayment(deps, input);
  if (!payment || isClosed(payment.status)) return readPaymentView(deps, input);
  const found = await askAboutPayment(deps, { payment, attempt });
  if (isTimeUp(payment)) return endInTime(deps, input, { payment, attempt }, found, tries);
  const waiting = found.kind === 'challenge' || found.kind === 'payer_action';
  return waiting ? readPaymentView(deps, input) : bookAnswer(deps, input, found, 'inquiry', tries);
}

/** Whether nobody may pay, or capture, any more. */
export function isTimeUp({ waits_until }: PaymentRow): boolean {
  return waits_until !== null && waits_until.getTime() <= Date.now() + CLOCK_MARGIN_MS;
}

/** Cancels a payment at the processor whose time is up, if that still waits for somebody there. `found`: how it stands. */
export async function endInTime(
  deps: Booking,
  input: PaymentInput,
  { payment, attempt }: Attempted,
  found: PaymentInquiry,
  tries: number,
): Promise<PaymentView> {
  const isUncaptured = payment.status === 'authorized';
  const isWaiting = isUncaptured ? found.kind === 'authorized' : waitsForMoney(found);
  // The answer to an earlier void may have been lost.
  const isVoided = found.kind === 'voided';
  if (!isWaiting && !isVoided) return bookAnswer(deps, input, found, 'inquiry', tries);
  const answer = isVoided ? found : await sendExpiry(deps, { payment, attempt });
  if (answer.kind === 'refused' && answer.standing && hasEndedThere(answer.standing))
    return bookAnswer(deps, input, answer.standing, 'expiry', tries);
  return bookLocked(deps, input, tries, async (trx, current) => {
    if (isClosed(current.status)) return current;
    const change = answer.kind === 'voided' ? expiry(isUncaptured, current) : notYet(deps, current, answer);
    return recordChange(trx, deps, current, change);
  });
}

const WAITS: Record<PaymentInquiry['kind'], boolean> = {
  challenge: true,
  payer_action: true,
  pending: true,
  authorized: false,
  captured: false,
  declined: false,
  authentication_failed: false,
  voided: false,
  not_found: false,
  unknown: false,
};

/** Whether somebody may still pay at the processor, or is expected to. */
export function waitsForMoney({ kind }: PaymentInquiry): boolean {
  return WAITS[kind];
}

function expiry(uncaptured: boolean, payment: PaymentRow): PaymentChange {
  const [code, detail] = reasonOf(uncaptured, payment);
  return end(payment, 'expired', code, detail, 'expiry', { status: 'voided' });
}

/** Nothing is known for certain while the payer's page or the authorization may still be good. */
function notYet(deps: Booking, payment: PaymentRow, answer: VoidAnswer): PaymentChange {
  const why = 'detail' in answer ? answer.detail : 'the processor does not know it';
  return flagWhenLongUnknown(deps, payment, {
    to: payment.status,
    resultCode: payment.result_code,
    detail: `The time is up, and the processor has not cancelled it yet: ${why}.`,
    cause: 'expiry',
    columns: { unknown_since: payment.unknown_since ?? new Date() },
  });
}

function reasonOf(uncaptured: boolean, payment: PaymentRow): [ResultCode, string] {
  if (uncaptured) return [RESULT.expiredUnanswered, 'The authorization expired without a capture.'];
  if (payment.result_code === RESULT.waitingForPayer)
    return [RESULT.expiredUnanswered, 'The payer did not pay in time.'];
  return [RESULT.authenticationAbandoned, 'The payer did not finish 3-D Secure in time.'];
}
