import { canMoveBy, type Moves } from './moves';

/** The states of a payment link. */
export const PAYMENT_LINK_STATUSES = ['pending_approval', 'active', 'disabled', 'rejected', 'paid', 'expired'] as const;

export type PaymentLinkStatus = (typeof PAYMENT_LINK_STATUSES)[number];

/** Every move a payment link may make. A payment that began in time may end after the link was disabled or expired. */
export const PAYMENT_LINK_TRANSITIONS: Moves<PaymentLinkStatus> = {
  pending_approval: ['active', 'rejected', 'expired'],
  active: ['disabled', 'paid', 'expired'],
  disabled: ['active', 'paid', 'expired'],
  rejected: [],
  paid: [],
  expired: ['paid'],
};

export const canPaymentLinkBecome = canMoveBy(PAYMENT_LINK_TRANSITIONS);

const OVER: Record<PaymentLinkStatus, boolean> = {
  pending_approval: false,
  active: false,
  disabled: false,
  rejected: true,
  paid: true,
  expired: true,
};

/** Nobody can begin to pay by it any more, and it never comes back. */
export function isOverPaymentLink(status: PaymentLinkStatus): boolean {
  return OVER[status];
}
