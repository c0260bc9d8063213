import type { ProcessorEvent } from '../../../domain/connector';
import { RESULT, type ResultCode } from '../../../domain/result-codes';

/** What a status of processor D says about a transaction. `paying`: its payer is on the hosted page. */
export type TransactionMeaning = 'paying' | 'authorized' | 'captured' | 'declined' | 'voided';

// Maps, not objects: a word such as "constructor" finds nothing.
const TRANSACTION_STATUSES: ReadonlyMap<string, TransactionMeaning> = new Map([
  ['page-open', 'paying'],
  ['page-closed', 'voided'],
  ['held', 'authorized'],
  ['charged', 'captured'],
  ['paid-out', 'captured'],
  ['part-refunded', 'captured'],
  ['refunded', 'captured'],
  ['disputed', 'captured'],
  ['refused', 'declined'],
  ['released', 'voided'],
]);

const REFUND_STATUSES: ReadonlyMap<string, 'refunded' | 'refund_declined'> = new Map([
  ['refunded', 'refunded'],
  ['refund-refused', 'refund_declined'],
]);

const EVENT_STATUSES: ReadonlyMap<string, ProcessorEvent['type']> = new Map([
  ['held', 'authorized'],
  ['charged', 'captured'],
  ['paid-out', 'settled'],
  ['released', 'voided'],
  ['page-closed', 'voided'],
  ['refused', 'failed'],
  ['refunded', 'refunded'],
  ['refund-refused', 'refund_declined'],
  ['disputed', 'charged_back'],
  ['dispute-answered', 'second_presentment'],
  ['dispute-won', 'chargeback_won'],
  ['dispute-lost', 'chargeback_lost'],
  ['statement-closed', 'settlement_batch'],
]);

const RETURN_CODES: ReadonlyMap<string, { code: ResultCode; detail: string }> = new Map([
  ['001', { code: RESULT.lostOrStolenCard, detail: 'The card is blocked.' }],
  ['002', { code: RESULT.lostOrStolenCard, detail: 'The card is reported stolen.' }],
  ['004', { code: RESULT.declined, detail: 'The payment was declined.' }],
  ['006', { code: RESULT.cvvMismatch, detail: 'The card verification value is wrong.' }],
  ['014', { code: RESULT.insufficientFunds, detail: 'The payer has insufficient funds.' }],
  ['015', { code: RESULT.limitExceeded, detail: 'The limit of the card is exceeded.' }],
  ['033', { code: RESULT.invalidPaymentData, detail: 'The card number is not valid.' }],
  ['036', { code: RESULT.expiredCard, detail: 'The card has expired.' }],
  ['061', { code: RESULT.blockedByRiskRule, detail: 'Blocked by a risk rule of the processor.' }],
  ['099', { code: RESULT.declined, detail: 'The payer refused the payment.' }],
]);

const OTHER_REFUSAL = { code: RESULT.declined, detail: 'The payment was declined.' };

/** Undefined: the status is unknown, so the payment is pending. */
export function transactionMeaning(status: string): TransactionMeaning | undefined {
  return TRANSACTION_STATUSES.get(status);
}

/** Undefined: the status is unknown, or the processor still works on the refund. */
export function refundMeaning(status: string): 'refunded' | 'refund_declined' | undefined {
  return REFUND_STATUSES.get(status);
}

/** An unknown status means that something goes on: pending. */
export function eventType(status: string): ProcessorEvent['type'] {
  return EVENT_STATUSES.get(status) ?? 'pending';
}

/** An unknown return code is a plain decline. */
export function refusal(returnCode: string | undefined): { code: ResultCode; detail: string } {
  return RETURN_CODES.get(returnCode ?? '') ?? OTHER_REFUSAL;
}
