import type { ProcessorEvent } from '../../../domain/connector';
import { RESULT, type ResultCode } from '../../../domain/result-codes';

/** What a state of processor F says about an order we ask about. */
export type OrderMeaning = 'waiting' | 'captured' | 'declined' | 'voided';

// Maps, not objects: a word such as "constructor" finds nothing.
const ORDER_STATES: ReadonlyMap<string, OrderMeaning> = new Map([
  ['AwaitingPayer', 'waiting'],
  ['Succeeded', 'captured'],
  ['PaidOut', 'captured'],
  ['PartlyRefunded', 'captured'],
  ['Refunded', 'captured'],
  ['Disputed', 'captured'],
  ['Rejected', 'declined'],
  ['Withdrawn', 'voided'],
  ['Lapsed', 'voided'],
]);

const REFUND_STATES: ReadonlyMap<string, 'refunded' | 'refund_declined'> = new Map([
  ['Completed', 'refunded'],
  ['Failed', 'refund_declined'],
]);

const EVENTS: ReadonlyMap<string, ProcessorEvent['type']> = new Map([
  ['order.reserved', 'authorized'],
  ['order.succeeded', 'captured'],
  ['order.processing', 'processing'],
  ['order.paid_out', 'settled'],
  ['order.withdrawn', 'voided'],
  ['order.lapsed', 'voided'],
  ['order.rejected', 'failed'],
  ['refund.completed', 'refunded'],
  ['refund.failed', 'refund_declined'],
  ['dispute.opened', 'charged_back'],
  ['dispute.represented', 'second_presentment'],
  ['dispute.won', 'chargeback_won'],
  ['dispute.lost', 'chargeback_lost'],
  ['payout.closed', 'settlement_batch'],
]);

const REJECTIONS: ReadonlyMap<string, { code: ResultCode; detail: string }> = new Map([
  ['DeclinedByBank', { code: RESULT.declined, detail: 'The payment was declined.' }],
  ['NotEnoughMoney', { code: RESULT.insufficientFunds, detail: 'The payer has insufficient funds.' }],
  ['LimitReached', { code: RESULT.limitExceeded, detail: 'A limit of the payer is reached.' }],
  ['RiskRule', { code: RESULT.blockedByRiskRule, detail: 'Blocked by a risk rule of the processor.' }],
  ['PayerRefused', { code: RESULT.declined, detail: 'The payer refused to pay.' }],
  ['UnknownPayer', { code: RESULT.invalidPaymentData, detail: 'The payment address is not known.' }],
]);

const OTHER_REJECTION = { code: RESULT.declined, detail: 'The payment was declined.' };

/** Undefined: the state is unknown, so the payment is pending. */
export function orderMeaning(state: string): OrderMeaning | undefined {
  return ORDER_STATES.get(state);
}

/** Undefined: the state is unknown, or the processor still works on the refund. */
export function refundMeaning(state: string): 'refunded' | 'refund_declined' | undefined {
  return REFUND_STATES.get(state);
}

/** An unknown event means that something goes on: pending. */
export function eventType(event: string): ProcessorEvent['type'] {
  return EVENTS.get(event) ?? 'pending';
}

/** An unknown reason is a plain decline. */
export function rejection(reason: string | undefined): { code: ResultCode; detail: string } {
  return REJECTIONS.get(reason ?? '') ?? OTHER_REJECTION;
}
