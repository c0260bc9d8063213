import { RESULT } from '../../../domain/result-codes';
import { declines, eventTypes, meanings, type PaymentMeaning, type RefundMeaning } from '../meanings';

export const paymentMeaning = meanings<PaymentMeaning>({
  AwaitingPayer: 'payer_action',
  Succeeded: 'captured',
  PaidOut: 'captured',
  PartlyRefunded: 'captured',
  Refunded: 'captured',
  Disputed: 'captured',
  Rejected: 'declined',
  Withdrawn: 'voided',
  Lapsed: 'voided',
});

export const refundMeaning = meanings<RefundMeaning>({ Completed: 'refunded', Failed: 'refund_declined' });

export const eventType = eventTypes({
  'order.reserved': 'authorized',
  'order.succeeded': 'captured',
  'order.processing': 'processing',
  'order.paid_out': 'settled',
  'order.withdrawn': 'voided',
  'order.lapsed': 'voided',
  'order.rejected': 'failed',
  'refund.completed': 'refunded',
  'refund.failed': 'refund_declined',
  'dispute.opened': 'charged_back',
  'dispute.represented': 'second_presentment',
  'dispute.won': 'chargeback_won',
  'dispute.lost': 'chargeback_lost',
  'payout.closed': 'settlement_batch',
});

export const refusal = declines('The payment was declined.', {
  DeclinedByBank: { code: RESULT.declined, detail: 'The payment was declined.' },
  NotEnoughMoney: { code: RESULT.insufficientFunds, detail: 'The payer has insufficient funds.' },
  LimitReached: { code: RESULT.limitExceeded, detail: 'A limit of the payer is reached.' },
  RiskRule: { code: RESULT.blockedByRiskRule, detail: 'Blocked by a risk rule of the processor.' },
  PayerRefused: { code: RESULT.declined, detail: 'The payer refused to pay.' },
  UnknownPayer: { code: RESULT.invalidPaymentData, detail: 'The payment address is not known.' },
});
