import { canMoveBy, type Moves } from './moves';

/**
 * The states of a payout. `sent`: it was written down that it goes out, and its processor has yet to say how it ended.
 * `failed`: the processor refused it. Of a payout that was cancelled, refused or returned the money is back in the balance.
 */
export const PAYOUT_STATUSES = ['scheduled', 'sent', 'settled', 'returned', 'failed', 'cancelled'] as const;

export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];

/** Every move a payout may make. A bank may return what it had credited already. */
export const PAYOUT_TRANSITIONS: Moves<PayoutStatus> = {
  scheduled: ['sent', 'failed', 'cancelled'],
  sent: ['settled', 'returned', 'failed'],
  settled: ['returned'],
  returned: [],
  failed: [],
  cancelled: [],
};

export const canPayoutBecome = canMoveBy(PAYOUT_TRANSITIONS);

/** Its flow has yet to do something. */
export function isOpenPayout(status: PayoutStatus): boolean {
  return status === 'scheduled' || status === 'sent';
}
