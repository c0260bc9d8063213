import type { Tone } from '../parts/status';
import type { RecordOf } from '../server/api';

export type Payment = RecordOf<'/ipg/1.0.0/payment/payments'>;

/** A new status of the API does not compile before it has a tone. */
export const STATUS_TONES: Record<Payment['transactionStatus'], Tone> = {
  initiated: 'moving',
  pending: 'moving',
  requires_action: 'waiting',
  authorized: 'moving',
  captured: 'good',
  settled: 'good',
  partially_refunded: 'plain',
  refunded: 'plain',
  cancelled: 'plain',
  failed: 'bad',
  expired: 'bad',
  charged_back: 'bad',
};

/** What the payment is still on its way in. */
export const MOVING: readonly Payment['transactionStatus'][] = ['initiated', 'pending', 'requires_action'];

export const OPERATION_TONES: Record<'pending' | 'succeeded' | 'failed', Tone> = {
  pending: 'moving',
  succeeded: 'good',
  failed: 'bad',
};

/** Whom money of the payment goes back to, in words. */
export function payerOf({ card, firstName, lastName, paymentBrand }: Payment): string {
  const name = [firstName, lastName].filter(Boolean).join(' ') || card?.holder || paymentBrand;
  return card ? `${name} (${paymentBrand} •••• ${card.last4Digits})` : name;
}
