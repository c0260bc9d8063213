import type { DisputeStage } from '../../../domain/connector';
import { RESULT } from '../../../domain/result-codes';
import { declines, eventTypes, meanings, type PaymentMeaning, type RefundMeaning, SOFT_DECLINE } from '../meanings';

export const paymentMeaning = meanings<PaymentMeaning>({
  AUTHORISED: 'authorized',
  CAPTURED: 'captured',
  SETTLED: 'captured',
  PARTIALLY_REFUNDED: 'captured',
  REFUNDED: 'captured',
  CHARGEBACK: 'captured',
  CHALLENGE: 'challenge',
  REFUSED: 'declined',
  AUTHENTICATION_FAILED: 'authentication_failed',
  CANCELLED: 'voided',
});

export const refundMeaning = meanings<RefundMeaning>({ REFUNDED: 'refunded', REFUND_FAILED: 'refund_declined' });

export const eventType = eventTypes({
  AUTHENTICATED: 'authenticated',
  AUTHENTICATION_FAILED: 'authentication_failed',
  AUTHORISED: 'authorized',
  CAPTURED: 'captured',
  SETTLED: 'settled',
  CANCELLED: 'voided',
  REFUSED: 'failed',
  REFUNDED: 'refunded',
  REFUND_FAILED: 'refund_declined',
  CHARGEBACK: 'charged_back',
  SECOND_PRESENTMENT: 'second_presentment',
  CHARGEBACK_REVERSED: 'chargeback_won',
  CHARGEBACK_CONFIRMED: 'chargeback_lost',
  SETTLEMENT_READY: 'settlement_batch',
  CARD_UPDATED: 'card_update',
  CARD_CLOSED: 'card_update',
});

export const disputeStage = meanings<DisputeStage>({
  DISPUTE_OPEN: 'open',
  EVIDENCE_RECEIVED: 'evidence_submitted',
  PRESENTMENT_RECEIVED: 'presented',
  SECOND_PRESENTMENT: 'second_presentment',
  CHARGEBACK_REVERSED: 'won',
  CHARGEBACK_CONFIRMED: 'lost',
});

export const refusal = declines('The card was declined.', {
  DO_NOT_HONOUR: { code: RESULT.declined, detail: 'The card was declined.' },
  INSUFFICIENT_FUNDS: { code: RESULT.insufficientFunds, detail: 'The card has insufficient funds.' },
  EXPIRED_CARD: { code: RESULT.expiredCard, detail: 'The card has expired.' },
  CVV_MISMATCH: { code: RESULT.cvvMismatch, detail: 'The card verification value is wrong.' },
  LIMIT_EXCEEDED: { code: RESULT.limitExceeded, detail: 'The limit of the card is exceeded.' },
  LOST_CARD: { code: RESULT.lostOrStolenCard, detail: 'The card is reported lost.' },
  STOLEN_CARD: { code: RESULT.lostOrStolenCard, detail: 'The card is reported stolen.' },
  FRAUD_SUSPECTED: { code: RESULT.blockedByRiskRule, detail: 'Blocked by a risk rule of the processor.' },
  AUTHENTICATION_REQUIRED: SOFT_DECLINE,
  INVALID_CARD: { code: RESULT.invalidPaymentData, detail: 'The processor does not accept the card data.' },
});
