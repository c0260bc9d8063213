import type { ProcessorEvent } from '../../../domain/connector';
import { RESULT, type ResultCode } from '../../../domain/result-codes';

/** What a state of processor C says about a payment. `authenticating` and `paying`: the payer is on one of its pages. */
export type PaymentMeaning =
  | 'authorized'
  | 'captured'
  | 'authenticating'
  | 'paying'
  | 'declined'
  | 'authentication_failed'
  | 'voided';

// Maps, not objects: a word such as "constructor" finds nothing.
const PAYMENT_STATES: ReadonlyMap<string, PaymentMeaning> = new Map([
  ['APPROVED', 'authorized'],
  ['POSTED', 'captured'],
  ['FUNDED', 'captured'],
  ['PART_CREDITED', 'captured'],
  ['CREDITED', 'captured'],
  ['DISPUTED', 'captured'],
  ['ACS_PENDING', 'authenticating'],
  ['PAGE_PENDING', 'paying'],
  ['DENIED', 'declined'],
  ['ACS_DENIED', 'authentication_failed'],
  ['REVERSED', 'voided'],
]);

const REFUND_STATES: ReadonlyMap<string, 'refunded' | 'refund_declined'> = new Map([
  ['CREDITED', 'refunded'],
  ['CREDIT_DENIED', 'refund_declined'],
]);

const EVENT_STATES: ReadonlyMap<string, ProcessorEvent['type']> = new Map([
  ['APPROVED', 'authorized'],
  ['POSTED', 'captured'],
  ['FUNDED', 'settled'],
  ['REVERSED', 'voided'],
  ['DENIED', 'failed'],
  ['ACS_PASSED', 'authenticated'],
  ['ACS_DENIED', 'authentication_failed'],
  ['CREDITED', 'refunded'],
  ['CREDIT_DENIED', 'refund_declined'],
  ['DISPUTED', 'charged_back'],
  ['DISPUTE_REPRESENTED', 'second_presentment'],
  ['DISPUTE_WON', 'chargeback_won'],
  ['DISPUTE_LOST', 'chargeback_lost'],
  ['BATCH_CLOSED', 'settlement_batch'],
]);

/** Response codes of ISO 8583 (field 39), as this processor passes them on. */
const RESPONSE_CODES: ReadonlyMap<string, { code: ResultCode; detail: string }> = new Map([
  ['05', { code: RESULT.declined, detail: 'The card was declined.' }],
  ['14', { code: RESULT.invalidPaymentData, detail: 'The processor does not accept the card data.' }],
  ['17', { code: RESULT.declined, detail: 'The payer refused the payment.' }],
  ['41', { code: RESULT.lostOrStolenCard, detail: 'The card is reported lost.' }],
  ['43', { code: RESULT.lostOrStolenCard, detail: 'The card is reported stolen.' }],
  ['51', { code: RESULT.insufficientFunds, detail: 'The card has insufficient funds.' }],
  ['54', { code: RESULT.expiredCard, detail: 'The card has expired.' }],
  ['59', { code: RESULT.blockedByRiskRule, detail: 'Blocked by a risk rule of the processor.' }],
  ['61', { code: RESULT.limitExceeded, detail: 'The limit of the card is exceeded.' }],
  ['N7', { code: RESULT.cvvMismatch, detail: 'The card verification value is wrong.' }],
]);

const OTHER_REFUSAL = { code: RESULT.declined, detail: 'The payment was declined.' };

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

/** An unknown response code is a plain decline. */
export function refusal(responseCode: string | undefined): { code: ResultCode; detail: string } {
  return RESPONSE_CODES.get(responseCode ?? '') ?? OTHER_REFUSAL;
}
