import type { DisputeStage, ProcessorEvent } from '../../../domain/connector';
import { RESULT, type ResultCode } from '../../../domain/result-codes';

/** What a status word of processor A says about a payment we ask about. */
export type PaymentMeaning = 'authorized' | 'captured' | 'challenge' | 'declined' | 'authentication_failed' | 'voided';

// Maps, not objects: a word such as "constructor" finds nothing.
const PAYMENT_WORDS: ReadonlyMap<string, PaymentMeaning> = new Map([
  ['AUTHORISED', 'authorized'],
  ['CAPTURED', 'captured'],
  ['SETTLED', 'captured'],
  ['PARTIALLY_REFUNDED', 'captured'],
  ['REFUNDED', 'captured'],
  ['CHARGEBACK', 'captured'],
  ['CHALLENGE', 'challenge'],
  ['REFUSED', 'declined'],
  ['AUTHENTICATION_FAILED', 'authentication_failed'],
  ['CANCELLED', 'voided'],
]);

const REFUND_WORDS: ReadonlyMap<string, 'refunded' | 'refund_declined'> = new Map([
  ['REFUNDED', 'refunded'],
  ['REFUND_FAILED', 'refund_declined'],
]);

const EVENT_WORDS: ReadonlyMap<string, ProcessorEvent['type']> = new Map([
  ['AUTHENTICATED', 'authenticated'],
  ['AUTHENTICATION_FAILED', 'authentication_failed'],
  ['AUTHORISED', 'authorized'],
  ['CAPTURED', 'captured'],
  ['SETTLED', 'settled'],
  ['CANCELLED', 'voided'],
  ['REFUSED', 'failed'],
  ['REFUNDED', 'refunded'],
  ['REFUND_FAILED', 'refund_declined'],
  ['CHARGEBACK', 'charged_back'],
  ['SECOND_PRESENTMENT', 'second_presentment'],
  ['CHARGEBACK_REVERSED', 'chargeback_won'],
  ['CHARGEBACK_CONFIRMED', 'chargeback_lost'],
  ['SETTLEMENT_READY', 'settlement_batch'],
  ['CARD_UPDATED', 'card_update'],
  ['CARD_CLOSED', 'card_update'],
]);

const DISPUTE_WORDS: ReadonlyMap<string, DisputeStage> = new Map([
  ['DISPUTE_OPEN', 'open'],
  ['EVIDENCE_RECEIVED', 'evidence_submitted'],
  ['PRESENTMENT_RECEIVED', 'presented'],
  ['SECOND_PRESENTMENT', 'second_presentment'],
  ['CHARGEBACK_REVERSED', 'won'],
  ['CHARGEBACK_CONFIRMED', 'lost'],
]);

const REFUSAL_REASONS: ReadonlyMap<string, { code: ResultCode; detail: string }> = new Map([
  ['DO_NOT_HONOUR', { code: RESULT.declined, detail: 'The card was declined.' }],
  ['INSUFFICIENT_FUNDS', { code: RESULT.insufficientFunds, detail: 'The card has insufficient funds.' }],
  ['EXPIRED_CARD', { code: RESULT.expiredCard, detail: 'The card has expired.' }],
  ['CVV_MISMATCH', { code: RESULT.cvvMismatch, detail: 'The card verification value is wrong.' }],
  ['LIMIT_EXCEEDED', { code: RESULT.limitExceeded, detail: 'The limit of the card is exceeded.' }],
  ['LOST_CARD', { code: RESULT.lostOrStolenCard, detail: 'The card is reported lost.' }],
  ['STOLEN_CARD', { code: RESULT.lostOrStolenCard, detail: 'The card is reported stolen.' }],
  ['FRAUD_SUSPECTED', { code: RESULT.blockedByRiskRule, detail: 'Blocked by a risk rule of the processor.' }],
  ['INVALID_CARD', { code: RESULT.invalidPaymentData, detail: 'The processor does not accept the card data.' }],
]);

const OTHER_REFUSAL = { code: RESULT.declined, detail: 'The card was declined.' };

/** Undefined: the word is unknown, so the payment is pending. */
export function paymentMeaning(word: string): PaymentMeaning | undefined {
  return PAYMENT_WORDS.get(word);
}

/** Undefined: the word is unknown, or the processor still works on the refund. */
export function refundMeaning(word: string): 'refunded' | 'refund_declined' | undefined {
  return REFUND_WORDS.get(word);
}

/** Undefined: the word is unknown, so nothing is known of the dispute. */
export function disputeStage(word: string): DisputeStage | undefined {
  return DISPUTE_WORDS.get(word);
}

/** An unknown word means that something goes on: pending. */
export function eventType(word: string): ProcessorEvent['type'] {
  return EVENT_WORDS.get(word) ?? 'pending';
}

/** An unknown reason is a plain decline. */
export function refusal(reason: string | undefined): { code: ResultCode; detail: string } {
  return REFUSAL_REASONS.get(reason ?? '') ?? OTHER_REFUSAL;
}
