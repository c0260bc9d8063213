import { canMoveBy, type Moves } from './moves';

/** The states of an incoming transfer that matched no payment. */
export const UNMATCHED_TRANSFER_STATUSES = [
  'open',
  'proposed',
  'matching',
  'matched',
  'returning',
  'returned',
] as const;

export type UnmatchedTransferStatus = (typeof UNMATCHED_TRANSFER_STATUSES)[number];

/**
 * Every move it may make. `matching` and `returning` are orders to the processor; one that it refuses is open again. The
 * processor may count a transfer towards a payment by itself, whatever was decided here.
 */
export const UNMATCHED_TRANSFER_TRANSITIONS: Moves<UnmatchedTransferStatus> = {
  open: ['proposed', 'matching', 'returning', 'matched'],
  proposed: ['open', 'matching', 'returning', 'matched'],
  matching: ['matched', 'returned', 'open'],
  returning: ['returned', 'matched', 'open'],
  matched: [],
  returned: [],
};

export const canUnmatchedTransferBecome = canMoveBy(UNMATCHED_TRANSFER_TRANSITIONS);

const IN_SUSPENSE: Record<UnmatchedTransferStatus, boolean> = {
  open: true,
  proposed: true,
  matching: true,
  returning: true,
  matched: false,
  returned: false,
};

/** True while the money lies in suspense. */
export function isInSuspense(status: UnmatchedTransferStatus): boolean {
  return IN_SUSPENSE[status];
}
