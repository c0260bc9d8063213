import type { ProcessorEvent } from '../../../domain/connector';
import { RESULT, type ResultCode } from '../../../domain/result-codes';

/** What a state number of processor G says about a payment. */
export type PaymentMeaning = 'authorized' | 'captured' | 'challenge' | 'declined' | 'authentication_failed' | 'voided';

const PAYMENT_STATES: ReadonlyMap<string, PaymentMeaning> = new Map([
  ['10', 'challenge'],
  ['20', 'authorized'],
  ['30', 'captured'],
  ['31', 'captured'],
  ['32', 'captured'],
  ['33', 'captured'],
  ['40', 'captured'],
  ['50', 'declined'],
  ['51', 'authentication_failed'],
  ['60', 'voided'],
]);

const REFUND_STATES: ReadonlyMap<string, 'refunded' | 'refund_declined'> = new Map([
  ['81', 'refunded'],
  ['82', 'refund_declined'],
]);

const EVENT_STATES: ReadonlyMap<string, ProcessorEvent['type']> = new Map([
  ['11', 'authenticated'],
  ['20', 'authorized'],
  ['30', 'captured'],
  ['31', 'settled'],
  ['32', 'captured'],
  ['33', 'captured'],
  ['40', 'charged_back'],
  ['41', 'chargeback_won'],
  ['42', 'chargeback_lost'],
  ['43', 'second_presentment'],
  ['50', 'failed'],
  ['51', 'authentication_failed'],
  ['60', 'voided'],
  ['81', 'refunded'],
  ['82', 'refund_declined'],
  ['90', 'settlement_batch'],
]);

const DECLINES: ReadonlyMap<string, { code: ResultCode; detail: string }> = new Map([
  ['D05', { code: RESULT.declined, detail: 'The card was declined.' }],
  ['D14', { code: RESULT.invalidPaymentData, detail: 'The processor does not accept the card data.' }],
  ['D41', { code: RESULT.lostOrStolenCard, detail: 'The card is reported lost.' }],
  ['D43', { code: RESULT.lostOrStolenCard, detail: 'The card is reported stolen.' }],
  ['D51', { code: RESULT.insufficientFunds, detail: 'The card has insufficient funds.' }],
  ['D54', { code: RESULT.expiredCard, detail: 'The card has expired.' }],
  ['D61', { code: RESULT.limitExceeded, detail: 'The limit of the card is exceeded.' }],
  ['D82', { code: RESULT.cvvMismatch, detail: 'The card verification value is wrong.' }],
  ['R01', { code: RESULT.blockedByRiskRule, detail: 'Blocked by a risk rule of the processor.' }],
]);

const OTHER_DECLINE = { code: RESULT.declined, detail: 'The card was declined.' };

/** Undefined: the state is unknown, so the payment is pending. */
export function paymentMeaning(state: string): PaymentMeaning | undefined {
  return PAYMENT_STATES.get(state);
}

/** Undefined: the state is unknown, or the processor still works on the refund. */
export function refundMeaning(state: string): 'refunded' | 'refund_declined' | undefined {
  return REFUND_STATES.get(state);
}

/** An unknown state means that something goes on: pending. */
export function eventType(state: string): ProcessorEvent['type'] {
  return EVENT_STATES.get(state) ?? 'pending';
}

/** An unknown reason is a plain decline. */
export function refusal(reason: string | undefined): { code: ResultCode; detail: string } {
  return DECLINES.get(reason ?? '') ?? OTHER_DECLINE;
}
