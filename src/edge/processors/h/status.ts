import type { ProcessorEvent } from '../../../domain/connector';
import { RESULT, type ResultCode } from '../../../domain/result-codes';

/** What a status of processor H says about an invoice we ask about. */
export type InvoiceMeaning = 'waiting' | 'confirming' | 'captured' | 'declined' | 'voided';

// Maps, not objects: a word such as "constructor" finds nothing.
const INVOICE_STATUSES: ReadonlyMap<string, InvoiceMeaning> = new Map([
  ['open', 'waiting'],
  ['underpaid', 'waiting'],
  ['confirming', 'confirming'],
  ['confirmed', 'captured'],
  ['paid_out', 'captured'],
  ['partly_returned', 'captured'],
  ['returned', 'captured'],
  ['clawed_back', 'captured'],
  ['rejected', 'declined'],
  ['closed', 'voided'],
  ['expired', 'voided'],
]);

const RETURN_STATUSES: ReadonlyMap<string, 'refunded' | 'refund_declined'> = new Map([
  ['sent', 'refunded'],
  ['refused', 'refund_declined'],
]);

const TOPICS: ReadonlyMap<string, ProcessorEvent['type']> = new Map([
  ['invoice/accepted', 'authorized'],
  ['invoice/incoming', 'transfer_received'],
  ['invoice/confirming', 'processing'],
  ['invoice/confirmed', 'captured'],
  ['invoice/paid_out', 'settled'],
  ['invoice/rejected', 'failed'],
  ['invoice/closed', 'voided'],
  ['invoice/expired', 'voided'],
  ['return/sent', 'refunded'],
  ['return/refused', 'refund_declined'],
  ['clawback/opened', 'charged_back'],
  ['clawback/contested', 'second_presentment'],
  ['clawback/won', 'chargeback_won'],
  ['clawback/lost', 'chargeback_lost'],
  ['payout/closed', 'settlement_batch'],
]);

const REJECTIONS: ReadonlyMap<string, { code: ResultCode; detail: string }> = new Map([
  ['screening', { code: RESULT.blockedByRiskRule, detail: 'The processor does not take money from this sender.' }],
  ['limit', { code: RESULT.limitExceeded, detail: 'A limit of the processor is exceeded.' }],
  ['no_funds', { code: RESULT.insufficientFunds, detail: 'The payer has insufficient funds.' }],
  ['payer', { code: RESULT.declined, detail: 'The payer refused to pay.' }],
  ['declined', { code: RESULT.declined, detail: 'The payment was declined.' }],
]);

const OTHER_REJECTION = { code: RESULT.declined, detail: 'The payment was declined.' };

/** Undefined: the status is unknown, so the payment is pending. */
export function invoiceMeaning(status: string): InvoiceMeaning | undefined {
  return INVOICE_STATUSES.get(status);
}

/** Undefined: the status is unknown, or the processor still works on it. */
export function returnMeaning(status: string): 'refunded' | 'refund_declined' | undefined {
  return RETURN_STATUSES.get(status);
}

/** An unknown topic means that something goes on: pending. */
export function eventType(topic: string): ProcessorEvent['type'] {
  return TOPICS.get(topic) ?? 'pending';
}

/** An unknown reason is a plain decline. */
export function rejection(reason: string | undefined): { code: ResultCode; detail: string } {
  return REJECTIONS.get(reason ?? '') ?? OTHER_REJECTION;
}
