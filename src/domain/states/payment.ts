import { canMoveBy, type Moves } from './moves';

/** The states of a payment, in the words of the API (`transactionStatus`). */
export const PAYMENT_STATUSES = [
  'initiated',
  'pending',
  'requires_action',
  'authorized',
  'captured',
  'settled',
  'partially_refunded',
  'refunded',
  'cancelled',
  'failed',
  'expired',
  'charged_back',
] as const;

export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

/**
 * Every move a payment may make. What is not listed is refused and books nothing.
 * From `captured` on, the status follows from the amounts (see statusAfterCapture).
 */
export const PAYMENT_TRANSITIONS: Moves<PaymentStatus> = {
  initiated: ['pending', 'requires_action', 'authorized', 'captured', 'failed', 'cancelled', 'expired'],
  pending: ['requires_action', 'authorized', 'captured', 'failed', 'cancelled', 'expired'],
  requires_action: ['pending', 'authorized', 'captured', 'failed', 'cancelled', 'expired'],
  authorized: ['captured', 'cancelled', 'expired'],
  captured: ['settled', 'partially_refunded', 'refunded', 'charged_back'],
  settled: ['partially_refunded', 'refunded', 'charged_back'],
  // A refund that comes back from the payer's bank leads back.
  partially_refunded: ['captured', 'settled', 'refunded', 'charged_back'],
  refunded: ['captured', 'settled', 'partially_refunded', 'charged_back'],
  charged_back: ['captured', 'settled', 'partially_refunded', 'refunded'],
  cancelled: [],
  failed: [],
  expired: [],
};

export const canPaymentBecome = canMoveBy(PAYMENT_TRANSITIONS);

/** Where a payment stands for its own flow: it goes on, it has taken the money, or it ended without. */
const STANDING: Record<PaymentStatus, 'open' | 'taken' | 'ended without money'> = {
  initiated: 'open',
  pending: 'open',
  requires_action: 'open',
  authorized: 'open',
  captured: 'taken',
  settled: 'taken',
  partially_refunded: 'taken',
  refunded: 'taken',
  charged_back: 'taken',
  cancelled: 'ended without money',
  failed: 'ended without money',
  expired: 'ended without money',
};

/** The statuses in which a payment has a flow that runs. */
export const OPEN_STATUSES = PAYMENT_STATUSES.filter((status) => STANDING[status] === 'open');

/** True when the payment's own workflow has nothing left to do: captured, or ended without money. */
export function isClosed(status: PaymentStatus): boolean {
  return STANDING[status] !== 'open';
}

/** True for the ends in which no money was taken. A verified success that arrives later is late money. */
export function endedWithoutMoney(status: PaymentStatus): boolean {
  return STANDING[status] === 'ended without money';
}

/** True from the first capture on, whatever was given back since. */
export function hasTakenMoney(status: PaymentStatus): boolean {
  return STANDING[status] === 'taken';
}

export interface CapturedAmounts {
  capturedMinor: bigint;
  refundedMinor: bigint;
  chargedBackMinor: bigint;
  settled: boolean;
}

/** The status of a captured payment, computed from its captures, refunds, disputes and settlement. */
export function statusAfterCapture(amounts: CapturedAmounts): PaymentStatus {
  if (amounts.chargedBackMinor > 0n) return 'charged_back';
  if (amounts.refundedMinor >= amounts.capturedMinor) return 'refunded';
  if (amounts.refundedMinor > 0n) return 'partially_refunded';
  return amounts.settled ? 'settled' : 'captured';
}
