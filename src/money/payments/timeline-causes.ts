/**
 * Why a payment, its refund or its dispute took a step, as its timeline says it to the merchant and to ops. Built and read
 * here and nowhere else. What is booked has a cause of its own: see the ledger's.
 */
export type TimelineCause =
  | 'request'
  | 'requested'
  | 'abandoned request'
  | 'authorize'
  | 'routing'
  | 'attempt limits'
  | 'inquiry'
  | 'capture'
  | 'void'
  | 'expiry'
  | 'refund'
  | 'late money returned'
  | 'it fits by now'
  | `callback ${string}/${string}`
  | `operator ${string}`
  | `operation ${string}`
  | `settlement ${string}`
  | `refund ${string}`;

export const becauseOf = {
  callback: ({ processor, eventId }: { processor: string; eventId: string }): TimelineCause =>
    `callback ${processor}/${eventId}`,
  /** `act`: what the operator asked for, on a line that changes nothing by itself. */
  operator: (operator: string, act?: string): TimelineCause => `operator ${operator}${act ? `: ${act}` : ''}`,
  /** An order of the merchant's to do with a dispute. */
  operation: (operationId: string): TimelineCause => `operation ${operationId}`,
  settlement: (processor: string): TimelineCause => `settlement ${processor}`,
  refund: (refundId: string): TimelineCause => `refund ${refundId}`,
  declinedRefund: (refundId: string): TimelineCause => `refund ${refundId} declined`,
};

/** Pattern of LIKE for the steps that refunds are the cause of. */
export const LIKE_OF_REFUNDS = 'refund ref%';

/** The refund that caused a step of its payment, and whether by being declined. Undefined for every other cause. */
export function refundIn(cause: string): { refundId: string; isDeclined: boolean } | undefined {
  const [word, refundId, end] = cause.split(' ');
  return word === 'refund' && refundId ? { refundId, isDeclined: end === 'declined' } : undefined;
}
