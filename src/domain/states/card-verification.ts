import { canMoveBy, type Moves } from './moves';

/** The states of a card that is verified before it is saved. */
export const CARD_VERIFICATION_STATUSES = [
  'initiated',
  'pending',
  'requires_action',
  'verified',
  'failed',
  'expired',
] as const;

export type CardVerificationStatus = (typeof CARD_VERIFICATION_STATUSES)[number];

/** Every move there is. What is not listed is refused. */
export const CARD_VERIFICATION_TRANSITIONS: Moves<CardVerificationStatus> = {
  initiated: ['pending', 'requires_action', 'verified', 'failed'],
  pending: ['requires_action', 'verified', 'failed'],
  requires_action: ['pending', 'verified', 'failed', 'expired'],
  verified: [],
  failed: [],
  expired: [],
};

export const canVerificationBecome = canMoveBy(CARD_VERIFICATION_TRANSITIONS);

/** True once nothing more will happen. */
export function isVerificationOver(status: CardVerificationStatus): boolean {
  return CARD_VERIFICATION_TRANSITIONS[status].length === 0;
}
