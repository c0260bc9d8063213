import { RESULT } from '../../../domain/result-codes';
import { declines, eventTypes, meanings, type PaymentMeaning, type RefundMeaning } from '../meanings';

export const paymentMeaning = meanings<PaymentMeaning>({
  open: 'payer_action',
  underpaid: 'payer_action',
  confirmed: 'captured',
  paid_out: 'captured',
  partly_returned: 'captured',
  returned: 'captured',
  clawed_back: 'captured',
  rejected: 'declined',
  closed: 'voided',
  expired: 'voided',
});

export const refundMeaning = meanings<RefundMeaning>({ sent: 'refunded', refused: 'refund_declined' });

export const eventType = eventTypes({
  'invoice/accepted': 'authorized',
  'invoice/incoming': 'transfer_received',
  'invoice/confirming': 'processing',
  'invoice/confirmed': 'captured',
  'invoice/paid_out': 'settled',
  'invoice/rejected': 'failed',
  'invoice/closed': 'voided',
  'invoice/expired': 'voided',
  'return/sent': 'refunded',
  'return/refused': 'refund_declined',
  'clawback/opened': 'charged_back',
  'clawback/contested': 'second_presentment',
  'clawback/won': 'chargeback_won',
  'clawback/lost': 'chargeback_lost',
  'payout/closed': 'settlement_batch',
});

export const refusal = declines('The payment was declined.', {
  screening: { code: RESULT.blockedByRiskRule, detail: 'The processor does not take money from this sender.' },
  limit: { code: RESULT.limitExceeded, detail: 'A limit of the processor is exceeded.' },
  no_funds: { code: RESULT.insufficientFunds, detail: 'The payer has insufficient funds.' },
  payer: { code: RESULT.declined, detail: 'The payer refused to pay.' },
  declined: { code: RESULT.declined, detail: 'The payment was declined.' },
});
