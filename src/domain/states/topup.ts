import type { PaymentStatus } from './payment';

/** The states of a top-up, in the words of the API. */
export const TOPUP_STATUSES = [
  'initiated',
  'pending',
  'awaiting_3ds',
  'authorized',
  'captured',
  'settled',
  'partially_refunded',
  'refunded',
  'cancelled',
  'failed',
  'expired',
  'charged_back',
] as const satisfies readonly (PaymentStatus | 'awaiting_3ds')[];

export type TopupStatus = (typeof TOPUP_STATUSES)[number];

/** A top-up is where its payment is; what the payer of a card has to do is 3-D Secure. */
export function topupStatusOf(status: PaymentStatus): TopupStatus {
  return status === 'requires_action' ? 'awaiting_3ds' : status;
}

export function paymentStatusOf(status: TopupStatus): PaymentStatus {
  return status === 'awaiting_3ds' ? 'requires_action' : status;
}
