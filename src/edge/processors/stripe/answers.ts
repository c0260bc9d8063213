import type { PayerAction, PaymentStanding, RefundStanding, Unknown } from '../../../domain/processor-answers';
import type { Heard } from '../answers';
import { failureOf } from './failure';
import { paymentMeaning, refundMeaning, refusal } from './status';
import { type PaymentIntent, type Refund, readPaymentIntent, readRefund } from './wire';

const UNREADABLE: Unknown = { kind: 'unknown', detail: "Stripe's answer cannot be read" };

/** Stripe states no end of a challenge. Ours comes sooner. */
const CHALLENGE_TTL_MS = 24 * 3_600_000;

/** What a call that Stripe answers with a PaymentIntent says about the payment `reference`. */
export async function heardOfPayment(call: Promise<unknown>, reference: string): Promise<Heard<PaymentStanding>> {
  try {
    return about(readPaymentIntent(await call), reference);
  } catch (error) {
    const failure = failureOf(error);
    if (failure.kind !== 'declined' && failure.kind !== 'invalid') return failure;
    const { payment } = failure;
    if (failure.kind === 'declined') return { ...refusal(failure.refusal), processorReference: payment?.id };
    // The state of the payment does not allow the call: Stripe sends it along.
    return payment ? about(payment, reference) : { kind: 'invalid' };
  }
}

/** Another payment's answer would be booked as this one's. */
function about(payment: PaymentIntent | undefined, reference: string): PaymentStanding | Unknown {
  return payment?.reference === reference ? answerOf(payment) : UNREADABLE;
}

function answerOf(payment: PaymentIntent): PaymentStanding | Unknown {
  const processorReference = payment.id;
  switch (paymentMeaning(payment.status)) {
    case 'captured':
      return payment.received ? { kind: 'captured', processorReference, money: payment.received } : UNREADABLE;
    case 'authorized':
      return payment.capturable ? { kind: 'authorized', processorReference, money: payment.capturable } : UNREADABLE;
    case 'challenge':
      return payment.redirectUrl
        ? { kind: 'challenge', processorReference, action: redirect(payment.redirectUrl) }
        : UNREADABLE;
    case 'refused':
      // Without a refusal nobody has tried to pay it yet: the request that does is still at work.
      return payment.refusal
        ? { ...refusal(payment.refusal), processorReference }
        : { kind: 'pending', processorReference, detail: 'Stripe has it and works on it.' };
    case 'voided':
      return { kind: 'voided', processorReference };
    case undefined:
      return { kind: 'pending', processorReference, detail: 'Stripe works on it.' };
  }
}

function redirect(url: string): PayerAction {
  return { type: 'redirect', method: 'GET', url, expiresAt: new Date(Date.now() + CHALLENGE_TTL_MS).toISOString() };
}

/** What a call that Stripe answers with a Refund says about the refund `reference`. */
export async function heardOfRefund(call: Promise<unknown>, reference: string): Promise<Heard<RefundStanding>> {
  try {
    const refund = readRefund(await call);
    return refund?.reference === reference ? answerOfRefund(refund) : UNREADABLE;
  } catch (error) {
    const failure = failureOf(error);
    return failure.kind === 'declined' || failure.kind === 'invalid' ? { kind: 'invalid' } : failure;
  }
}

/** What the list of a payment's refunds says about the refund `reference`. */
export async function refundAmong(
  call: Promise<unknown[] | undefined>,
  reference: string,
): Promise<Heard<RefundStanding>> {
  try {
    const refunds = await call;
    if (!refunds) return { kind: 'unknown', detail: 'too many refunds of the payment to look through at Stripe' };
    const refund = refunds.map(readRefund).find((one) => one?.reference === reference);
    return refund ? answerOfRefund(refund) : { kind: 'not_found' };
  } catch (error) {
    const failure = failureOf(error);
    return failure.kind === 'unknown' || failure.kind === 'not_charged'
      ? failure
      : { kind: 'unknown', detail: 'Stripe does not list the refunds of the payment' };
  }
}

function answerOfRefund(refund: Refund): RefundStanding {
  const processorReference = refund.id;
  switch (refundMeaning(refund.status)) {
    case 'refunded':
      return { kind: 'refunded', processorReference, money: refund.money };
    case 'refund_declined':
      return { kind: 'refund_declined', processorReference, detail: 'Stripe declined the refund.' };
    case undefined:
      return { kind: 'pending', processorReference, detail: 'Stripe works on the refund.' };
  }
}
