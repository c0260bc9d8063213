import { RESULT } from '../../../domain/result-codes';
import { declines, eventTypes, meanings, type PaymentMeaning, type RefundMeaning } from '../meanings';

export const paymentMeaning = meanings<PaymentMeaning>({
  held: 'authorized',
  booked: 'captured',
  paid_out: 'captured',
  credited_in_part: 'captured',
  credited: 'captured',
  disputed: 'captured',
  returned: 'captured',
  rejected: 'declined',
  revoked: 'voided',
});

/** States of credit transfers (ISO 20022, ExternalPaymentTransactionStatus1Code). */
export const refundMeaning = meanings<RefundMeaning>({ ACSC: 'refunded', RJCT: 'refund_declined' });

export const eventType = eventTypes({
  'payment.held': 'authorized',
  'payment.booked': 'captured',
  'payment.paid_out': 'settled',
  'payment.rejected': 'failed',
  'payment.revoked': 'voided',
  'payment.disputed': 'charged_back',
  'dispute.represented': 'second_presentment',
  'dispute.won': 'chargeback_won',
  'dispute.lost': 'chargeback_lost',
  'collection.pre_notified': 'processing',
  'collection.submitted': 'processing',
  'collection.returned': 'returned',
  'credit.booked': 'refunded',
  'credit.rejected': 'refund_declined',
  'statement.ready': 'settlement_batch',
});

/** Response codes of cards (ISO 8583), and reason codes of direct debits (ISO 20022, ExternalStatusReason1Code). */
export const refusal = declines('The payment was declined.', {
  '05': { code: RESULT.declined, detail: 'The card was declined.' },
  '14': { code: RESULT.invalidPaymentData, detail: 'The card number is not valid.' },
  '41': { code: RESULT.lostOrStolenCard, detail: 'The card is reported lost.' },
  '43': { code: RESULT.lostOrStolenCard, detail: 'The card is reported stolen.' },
  '51': { code: RESULT.insufficientFunds, detail: 'The card has insufficient funds.' },
  '54': { code: RESULT.expiredCard, detail: 'The card has expired.' },
  '59': { code: RESULT.blockedByRiskRule, detail: 'Blocked by a risk rule of the processor.' },
  '61': { code: RESULT.limitExceeded, detail: 'The limit of the card is exceeded.' },
  N7: { code: RESULT.cvvMismatch, detail: 'The card verification value is wrong.' },
  AC01: { code: RESULT.invalidPaymentData, detail: 'AC01: the account number is not one of that bank.' },
  AC04: { code: RESULT.declined, detail: 'AC04: the account is closed.' },
  AC06: { code: RESULT.declined, detail: 'AC06: the account is blocked.' },
  AG01: { code: RESULT.declined, detail: 'AG01: the account cannot be debited.' },
  AM02: { code: RESULT.limitExceeded, detail: 'AM02: the amount is more than the account allows.' },
  AM04: { code: RESULT.insufficientFunds, detail: 'AM04: the account has insufficient funds.' },
  MD01: { code: RESULT.declined, detail: 'MD01: there is no valid mandate.' },
  MD06: { code: RESULT.declined, detail: 'MD06: the debtor asked for the money back.' },
  MS02: { code: RESULT.declined, detail: 'MS02: the debtor refused the collection.' },
  MS03: { code: RESULT.declined, detail: 'MS03: the bank gives no reason.' },
});

/** Where a collection stands that is not booked yet, for the merchant. `step`: the status, or the last word of the event. */
export function collectionDetail(step: string, { mandateId, dueAt }: { mandateId: string; dueAt: string }): string {
  const date = dueAt.slice(0, 10);
  switch (step) {
    case 'pre_notified':
      return `Mandate ${mandateId} accepted; pre-notified, collected on ${date}.`;
    case 'submitted':
      return `Mandate ${mandateId} accepted; submitted to the debtor's bank, collected on ${date}.`;
    default:
      return `Mandate ${mandateId} accepted; the debtor is being notified of the collection on ${date}.`;
  }
}
