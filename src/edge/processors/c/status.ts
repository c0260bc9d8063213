import { RESULT } from '../../../domain/result-codes';
import { declines, eventTypes, meanings, type PaymentMeaning, type RefundMeaning, SOFT_DECLINE } from '../meanings';

export const paymentMeaning = meanings<PaymentMeaning>({
  APPROVED: 'authorized',
  POSTED: 'captured',
  FUNDED: 'captured',
  PART_CREDITED: 'captured',
  CREDITED: 'captured',
  DISPUTED: 'captured',
  ACS_PENDING: 'challenge',
  PAGE_PENDING: 'payer_action',
  DENIED: 'declined',
  ACS_DENIED: 'authentication_failed',
  REVERSED: 'voided',
});

export const refundMeaning = meanings<RefundMeaning>({ CREDITED: 'refunded', CREDIT_DENIED: 'refund_declined' });

export const eventType = eventTypes({
  APPROVED: 'authorized',
  POSTED: 'captured',
  FUNDED: 'settled',
  REVERSED: 'voided',
  DENIED: 'failed',
  ACS_PASSED: 'authenticated',
  ACS_DENIED: 'authentication_failed',
  CREDITED: 'refunded',
  CREDIT_DENIED: 'refund_declined',
  DISPUTED: 'charged_back',
  DISPUTE_REPRESENTED: 'second_presentment',
  DISPUTE_WON: 'chargeback_won',
  DISPUTE_LOST: 'chargeback_lost',
  BATCH_CLOSED: 'settlement_batch',
});

/** Response codes of ISO 8583 (field 39), as this processor passes them on. */
export const refusal = declines('The payment was declined.', {
  '05': { code: RESULT.declined, detail: 'The card was declined.' },
  '14': { code: RESULT.invalidPaymentData, detail: 'The processor does not accept the card data.' },
  '17': { code: RESULT.declined, detail: 'The payer refused the payment.' },
  '41': { code: RESULT.lostOrStolenCard, detail: 'The card is reported lost.' },
  '43': { code: RESULT.lostOrStolenCard, detail: 'The card is reported stolen.' },
  '51': { code: RESULT.insufficientFunds, detail: 'The card has insufficient funds.' },
  '54': { code: RESULT.expiredCard, detail: 'The card has expired.' },
  '59': { code: RESULT.blockedByRiskRule, detail: 'Blocked by a risk rule of the processor.' },
  '61': { code: RESULT.limitExceeded, detail: 'The limit of the card is exceeded.' },
  '65': SOFT_DECLINE,
  N7: { code: RESULT.cvvMismatch, detail: 'The card verification value is wrong.' },
});
