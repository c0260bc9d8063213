import type { DisputeStage, ProcessorEvent, SettlementLine } from '../../../domain/connector';
import type { PaymentStanding } from '../../../domain/processor-answers';
import { RESULT, type ResultCode } from '../../../domain/result-codes';
import { meanings, type RefundMeaning } from '../meanings';

/** What a PaymentIntent's `status` says; undefined for one that is unknown: the payment is pending. */
export type PaymentMeaning = 'captured' | 'authorized' | 'challenge' | 'refused' | 'voided';

export const paymentMeaning = meanings<PaymentMeaning>({
  succeeded: 'captured',
  requires_capture: 'authorized',
  requires_action: 'challenge',
  requires_payment_method: 'refused',
  canceled: 'voided',
});

export const refundMeaning = meanings<RefundMeaning>({
  succeeded: 'refunded',
  failed: 'refund_declined',
  canceled: 'refund_declined',
});

/** The `warning_` words are of an inquiry by the payer's bank, before any money moves. */
export const disputeStage = meanings<DisputeStage>({
  needs_response: 'open',
  under_review: 'evidence_submitted',
  won: 'won',
  lost: 'lost',
  warning_needs_response: 'open',
  warning_under_review: 'evidence_submitted',
  warning_closed: 'won',
});

/** What the events about a PaymentIntent mean. All others are pending. */
const PAYMENT_EVENTS: ReadonlyMap<string, ProcessorEvent['type']> = new Map([
  ['payment_intent.succeeded', 'captured'],
  ['payment_intent.amount_capturable_updated', 'authorized'],
  ['payment_intent.payment_failed', 'failed'],
  ['payment_intent.canceled', 'voided'],
  ['payment_intent.processing', 'processing'],
]);

/** `reporting_category` of a balance transaction, where it is about a payment. */
export const lineKind = meanings<SettlementLine['kind']>({
  charge: 'capture',
  refund: 'refund',
  dispute: 'chargeback',
  dispute_reversal: 'chargeback_reversal',
});

/** `decline_code` of the issuer, or the `code` of Stripe's own refusal (docs.stripe.com/declines/codes, /error-codes). */
const REFUSALS: ReadonlyMap<string, [ResultCode, string]> = new Map([
  ['insufficient_funds', [RESULT.insufficientFunds, 'The card has insufficient funds.']],
  ['expired_card', [RESULT.expiredCard, 'The card has expired.']],
  ['incorrect_cvc', [RESULT.cvvMismatch, 'The card verification value is wrong.']],
  ['invalid_cvc', [RESULT.cvvMismatch, 'The card verification value is wrong.']],
  ['card_velocity_exceeded', [RESULT.limitExceeded, 'The limit of the card is exceeded.']],
  ['withdrawal_count_limit_exceeded', [RESULT.limitExceeded, 'The limit of the card is exceeded.']],
  ['lost_card', [RESULT.lostOrStolenCard, 'The card is reported lost.']],
  ['stolen_card', [RESULT.lostOrStolenCard, 'The card is reported stolen.']],
  ['pickup_card', [RESULT.lostOrStolenCard, 'The issuer wants the card withheld.']],
  ['fraudulent', [RESULT.blockedByRiskRule, 'Blocked by a risk rule of the processor.']],
  ['highest_risk_level', [RESULT.blockedByRiskRule, 'Blocked by a risk rule of the processor.']],
  ['merchant_blacklist', [RESULT.blockedByRiskRule, 'Blocked by a list of the merchant at the processor.']],
  ['incorrect_number', [RESULT.invalidPaymentData, 'The card number is wrong.']],
  ['invalid_number', [RESULT.invalidPaymentData, 'The card number is wrong.']],
  ['invalid_expiry_month', [RESULT.invalidPaymentData, 'The expiry date of the card is wrong.']],
  ['invalid_expiry_year', [RESULT.invalidPaymentData, 'The expiry date of the card is wrong.']],
  ['invalid_amount', [RESULT.invalidPaymentData, 'The amount is not possible with this card.']],
]);

const OTHER_REFUSAL: [ResultCode, string] = [RESULT.declined, 'The card was declined.'];

const AUTHENTICATION_FAILURES: ReadonlySet<string> = new Set([
  'payment_intent_authentication_failure',
  'authentication_not_handled',
]);

export function paymentEvent(type: string): ProcessorEvent['type'] {
  return PAYMENT_EVENTS.get(type) ?? 'pending';
}

/** What an event about a dispute says. Money moves with `funds_…`; an inquiry by the bank moves none. */
export function disputeEvent(type: string, status: string): ProcessorEvent['type'] {
  const isInquiry = status.startsWith('warning_');
  switch (type) {
    case 'charge.dispute.created':
      return isInquiry ? 'pending' : 'charged_back';
    case 'charge.dispute.funds_withdrawn':
      return 'charged_back';
    case 'charge.dispute.funds_reinstated':
      return status === 'won' ? 'chargeback_won' : 'second_presentment';
    case 'charge.dispute.closed':
      return status === 'won' ? 'chargeback_won' : status === 'lost' ? 'chargeback_lost' : 'pending';
    default:
      return 'pending';
  }
}

const AUTHENTICATION_REQUIRED = 'authentication_required';

/** Why a card was refused. An unknown code is a plain decline. */
export function refusal({
  code,
  declineCode,
}: {
  code?: string;
  declineCode?: string;
}): Extract<PaymentStanding, { kind: 'declined' | 'soft_declined' | 'authentication_failed' }> {
  if (code === AUTHENTICATION_REQUIRED || declineCode === AUTHENTICATION_REQUIRED)
    return { kind: 'soft_declined', detail: 'The issuer wants the payer to authenticate.' };
  if (AUTHENTICATION_FAILURES.has(code ?? '') || AUTHENTICATION_FAILURES.has(declineCode ?? ''))
    return { kind: 'authentication_failed', detail: '3-D Secure authentication failed.' };
  const [result, detail] = REFUSALS.get(declineCode ?? '') ?? REFUSALS.get(code ?? '') ?? OTHER_REFUSAL;
  return { kind: 'declined', code: result, detail };
}
