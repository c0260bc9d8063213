import { RESULT } from '../../../domain/result-codes';
import { declines, eventTypes, meanings, type PaymentMeaning, type RefundMeaning, SOFT_DECLINE } from '../meanings';

export const paymentMeaning = meanings<PaymentMeaning>({
  '10': 'challenge',
  '20': 'authorized',
  '30': 'captured',
  '31': 'captured',
  '32': 'captured',
  '33': 'captured',
  '40': 'captured',
  '50': 'declined',
  '51': 'authentication_failed',
  '60': 'voided',
});

export const refundMeaning = meanings<RefundMeaning>({ '81': 'refunded', '82': 'refund_declined' });

export const eventType = eventTypes({
  '11': 'authenticated',
  '20': 'authorized',
  '30': 'captured',
  '31': 'settled',
  '32': 'captured',
  '33': 'captured',
  '40': 'charged_back',
  '41': 'chargeback_won',
  '42': 'chargeback_lost',
  '43': 'second_presentment',
  '50': 'failed',
  '51': 'authentication_failed',
  '60': 'voided',
  '81': 'refunded',
  '82': 'refund_declined',
  '90': 'settlement_batch',
});

export const refusal = declines('The card was declined.', {
  D05: { code: RESULT.declined, detail: 'The card was declined.' },
  D14: { code: RESULT.invalidPaymentData, detail: 'The processor does not accept the card data.' },
  D41: { code: RESULT.lostOrStolenCard, detail: 'The card is reported lost.' },
  D43: { code: RESULT.lostOrStolenCard, detail: 'The card is reported stolen.' },
  D51: { code: RESULT.insufficientFunds, detail: 'The card has insufficient funds.' },
  D54: { code: RESULT.expiredCard, detail: 'The card has expired.' },
  D61: { code: RESULT.limitExceeded, detail: 'The limit of the card is exceeded.' },
  D65: SOFT_DECLINE,
  D82: { code: RESULT.cvvMismatch, detail: 'The card verification value is wrong.' },
  R01: { code: RESULT.blockedByRiskRule, detail: 'Blocked by a risk rule of the processor.' },
});
