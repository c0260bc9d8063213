import { canMoveBy, type Moves } from './moves';

/** The states of a payment link. */
export const PAYMENT_LINK_STATUSES = ['waiting', 'approved', 'expired'] as const;

export type PaymentLinkStatus = (typeof PAYMENT_LINK_STATUSES)[number];

/** Every move a payment link may make. */
export const PAYMENT_LINK_TRANSITIONS: Moves<PaymentLinkStatus> = {
  waiting: ['approved', 'expired'],
  approved: [],
  expired: [],
};

export const canPaymentLinkBecome = canMoveBy(PAYMENT_LINK_TRANSITIONS);

/** Something may still become of it. */
export function isOpenPaymentLink(status: PaymentLinkStatus): boolean {
  return PAYMENT_LINK_TRANSITIONS[status].length > 0;
}
