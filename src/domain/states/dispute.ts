import { canMoveBy, type Moves } from './moves';

/** The states of a dispute. `flagged`: it does not fit what was captured, so nothing is booked until ops look at it. */
export const DISPUTE_STATUSES = ['flagged', 'open', 'evidence_submitted', 'won', 'lost'] as const;

export type DisputeStatus = (typeof DISPUTE_STATUSES)[number];

/** Every move a dispute may make. What is not listed is refused and books nothing. */
export const DISPUTE_TRANSITIONS: Moves<DisputeStatus> = {
  flagged: ['open', 'won', 'lost'],
  open: ['evidence_submitted', 'won', 'lost'],
  evidence_submitted: ['won', 'lost'],
  won: [],
  lost: [],
};

export const canDisputeBecome = canMoveBy(DISPUTE_TRANSITIONS);

/** True once the processor has spoken its last word. */
export function hasEnded(status: DisputeStatus): boolean {
  return DISPUTE_TRANSITIONS[status].length === 0;
}
