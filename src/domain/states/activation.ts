import { canMoveBy, type Moves } from './moves';

/** The states of a merchant's application to go live. */
export const ACTIVATION_STATUSES = ['submitted', 'in_review', 'approved', 'rejected', 'withdrawn'] as const;

export type ActivationStatus = (typeof ACTIVATION_STATUSES)[number];

/** What somebody decides about an application. */
export type ActivationDecision = Extract<ActivationStatus, 'approved' | 'rejected' | 'withdrawn'>;

/** Every move an application may make. After a rejection or a withdrawal there may be a new one. */
export const ACTIVATION_TRANSITIONS: Moves<ActivationStatus> = {
  submitted: ['in_review', 'withdrawn'],
  in_review: ['approved', 'rejected', 'withdrawn'],
  approved: [],
  rejected: [],
  withdrawn: [],
};

export const canActivationBecome = canMoveBy(ACTIVATION_TRANSITIONS);

/** Somebody has yet to decide. */
export function isOpenActivation(status: ActivationStatus): boolean {
  return ACTIVATION_TRANSITIONS[status].length > 0;
}
