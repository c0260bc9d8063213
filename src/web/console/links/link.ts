import type { Tone } from '../parts/status';
import type { Answer, RecordOf } from '../server/api';

export type PaymentLink = RecordOf<'/payment-links/1.0.0/links'>;
export type WholeLink = Answer<'/payment-links/1.0.0/links/{linkId}'>;

/** A new status of the API does not compile before it has a tone. */
export const LINK_TONES: Record<PaymentLink['status'], Tone> = {
  pending_approval: 'waiting',
  active: 'good',
  disabled: 'plain',
  rejected: 'bad',
  paid: 'good',
  expired: 'plain',
};

/** Where the browser gets the QR code of a link. */
export function qrOf(linkId: string): string {
  return `/payment-links/1.0.0/links/${encodeURIComponent(linkId)}/qr`;
}
