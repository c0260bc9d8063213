/** The states of a transfer between customers (contract, section 8). */
export const TRANSFER_STATUSES = ['held', 'settled', 'expired', 'declined', 'cancelled', 'reversed', 'failed'] as const;

export type TransferStatus = (typeof TRANSFER_STATUSES)[number];

/** Every move a transfer may make. It begins `held`, `settled` or, where it was to be made by a schedule, `failed`. */
export const TRANSFER_TRANSITIONS: Record<TransferStatus, readonly TransferStatus[]> = {
  // Still held, for another reason: the invited person has joined and is to accept.
  held: ['held', 'settled', 'expired', 'declined', 'cancelled'],
  settled: ['reversed'],
  expired: [],
  declined: [],
  cancelled: [],
  reversed: [],
  failed: [],
};

export function canTransferBecome(from: TransferStatus, to: TransferStatus): boolean {
  return TRANSFER_TRANSITIONS[from].includes(to);
}

/** The states of a request for money. */
export const REQUEST_STATUSES = ['pending', 'paid', 'declined', 'cancelled', 'expired'] as const;
export type RequestStatus = (typeof REQUEST_STATUSES)[number];

/** The states of a schedule: it ends with its last transfer. */
export const SCHEDULE_STATUSES = ['active', 'ended', 'cancelled'] as const;
export type ScheduleStatus = (typeof SCHEDULE_STATUSES)[number];
