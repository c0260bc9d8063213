import { canMoveBy, type Moves } from './moves';

/** The states of a refund. */
export const REFUND_STATUSES = ['pending', 'succeeded', 'declined'] as const;

export type RefundStatus = (typeof REFUND_STATUSES)[number];

/**
 * Every move a refund may make. Its amount is reserved while it is pending. A processor may change its word: a refund that
 * it had declined reaches the payer after all, or one that it had made comes back from the payer's bank.
 */
export const REFUND_TRANSITIONS: Moves<RefundStatus> = {
  pending: ['succeeded', 'declined'],
  succeeded: ['declined'],
  declined: ['succeeded'],
};

export const canRefundBecome = canMoveBy(REFUND_TRANSITIONS);
