import { canMoveBy, type Moves } from './moves';

/** The states of a consent of open banking: of the UK standard 3.1.11, and `Expired`. */
export const CONSENT_STATUSES = [
  'AwaitingAuthorisation',
  'Authorised',
  'Rejected',
  'Revoked',
  'Expired',
  'Consumed',
] as const;

export type ConsentStatus = (typeof CONSENT_STATUSES)[number];

/** Every move a consent may make. `Authorised` again: the customer has authenticated anew, or chosen other accounts. */
export const CONSENT_TRANSITIONS: Moves<ConsentStatus> = {
  AwaitingAuthorisation: ['Authorised', 'Rejected', 'Expired'],
  Authorised: ['Authorised', 'Revoked', 'Expired', 'Consumed'],
  Rejected: [],
  Revoked: [],
  Expired: [],
  Consumed: [],
};

export const canConsentBecome = canMoveBy(CONSENT_TRANSITIONS);

/** Nothing will become of it any more. */
export function isOverConsent(status: ConsentStatus): boolean {
  return CONSENT_TRANSITIONS[status].length === 0;
}
