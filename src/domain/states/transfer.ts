import { canMoveBy, type Moves } from './moves';

/** The states of a transfer between customers (contract, section 8). */
export const TRANSFER_STATUSES = ['held', 'settled', 'expired', 'declined', 'cancelled', 'reversed', 'failed'] as const;

export type TransferStatus = (typeof TRANSFER_STATUSES)[number];

/** Every move a transfer may make. It begins `held`, `settled` or, where it was to be made by a schedule, `failed`. */
export const TRANSFER_TRANSITIONS: Moves<TransferStatus> = {
  // Still held, for another reason: the invited person has joined and is to accept.
  held: ['held', 'settled', 'expired', 'declined', 'cancelled'],
  settled: ['reversed'],
  expired: [],
  declined: [],
  cancelled: [],
  reversed: [],
  failed: [],
};

export const canTransferBecome = canMoveBy(TRANSFER_TRANSITIONS);
