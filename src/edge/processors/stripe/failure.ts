import Stripe from 'stripe';
import { NoAnswer } from './transport';
import { type PaymentIntent, type Refusal, readPaymentIntent } from './wire';

/**
 * What an error of the SDK says about the call that failed. Its message is never passed on: it may quote what was sent.
 * `declined` is the issuer's or Stripe's refusal of the card, `invalid` of the request; with the payment, where Stripe
 * sends it along.
 */
export type Failure =
  | { kind: 'not_charged'; detail: string }
  | { kind: 'unknown'; detail: string }
  | { kind: 'not_found' }
  | { kind: 'declined'; refusal: Refusal; payment?: PaymentIntent }
  | { kind: 'invalid'; refusal: Refusal; payment?: PaymentIntent };

const { errors } = Stripe;

export function failureOf(error: unknown): Failure {
  if (!(error instanceof errors.StripeError)) return { kind: 'unknown', detail: "Stripe's answer cannot be read" };
  const cause: unknown = error.detail;
  if (cause instanceof NoAnswer) return cause.result;
  // An earlier call under this key was sent other parameters, and may have had its effect.
  if (error instanceof errors.StripeIdempotencyError)
    return { kind: 'unknown', detail: 'Stripe knows the key from another request' };
  if (error instanceof errors.StripeRateLimitError) return turnedAway(error);
  if (error instanceof errors.StripeAuthenticationError || error instanceof errors.StripePermissionError)
    return turnedAway(error);
  if (error.statusCode === 404) return { kind: 'not_found' };
  if (error instanceof errors.StripeCardError) return refusedAs('declined', error);
  if (error instanceof errors.StripeInvalidRequestError) return refusedAs('invalid', error);
  return { kind: 'unknown', detail: `Stripe answered ${error.statusCode ?? 'what cannot be read'}` };
}

/** Not so where another request holds the object: that may be an earlier one of ours. */
function turnedAway({ statusCode, code }: InstanceType<typeof errors.StripeError>): Failure {
  if (code === 'lock_timeout') return { kind: 'unknown', detail: 'another request holds the payment at Stripe' };
  return { kind: 'not_charged', detail: `Stripe turned the request away (${statusCode})` };
}

function refusedAs(kind: 'declined' | 'invalid', error: InstanceType<typeof errors.StripeError>): Failure {
  const refusal = { code: error.code, declineCode: error.decline_code };
  return { kind, refusal, payment: readPaymentIntent(error.payment_intent) };
}
