import { RESULT } from '../../../domain/result-codes';
import { declines, eventTypes, meanings, type PaymentMeaning, type RefundMeaning } from '../meanings';

export const paymentMeaning = meanings<PaymentMeaning>({
  'page-open': 'payer_action',
  'page-closed': 'voided',
  held: 'authorized',
  charged: 'captured',
  'paid-out': 'captured',
  'part-refunded': 'captured',
  refunded: 'captured',
  disputed: 'captured',
  refused: 'declined',
  released: 'voided',
});

export const refundMeaning = meanings<RefundMeaning>({ refunded: 'refunded', 'refund-refused': 'refund_declined' });

export const eventType = eventTypes({
  held: 'authorized',
  charged: 'captured',
  'paid-out': 'settled',
  released: 'voided',
  'page-closed': 'voided',
  refused: 'failed',
  refunded: 'refunded',
  'refund-refused': 'refund_declined',
  disputed: 'charged_back',
  'dispute-answered': 'second_presentment',
  'dispute-won': 'chargeback_won',
  'dispute-lost': 'chargeback_lost',
  'statement-closed': 'settlement_batch',
});

export const refusal = declines('The payment was declined.', {
  '001': { code: RESULT.lostOrStolenCard, detail: 'The card is blocked.' },
  '002': { code: RESULT.lostOrStolenCard, detail: 'The card is reported stolen.' },
  '004': { code: RESULT.declined, detail: 'The payment was declined.' },
  '006': { code: RESULT.cvvMismatch, detail: 'The card verification value is wrong.' },
  '014': { code: RESULT.insufficientFunds, detail: 'The payer has insufficient funds.' },
  '015': { code: RESULT.limitExceeded, detail: 'The limit of the card is exceeded.' },
  '033': { code: RESULT.invalidPaymentData, detail: 'The card number is not valid.' },
  '036': { code: RESULT.expiredCard, detail: 'The card has expired.' },
  '061': { code: RESULT.blockedByRiskRule, detail: 'Blocked by a risk rule of the processor.' },
  '099': { code: RESULT.declined, detail: 'The payer refused the payment.' },
});
