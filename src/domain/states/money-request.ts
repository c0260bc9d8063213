import { canMoveBy, type Moves } from './moves';

/** The states of a request for money. */
export const REQUEST_STATUSES = ['pending', 'paid', 'declined', 'cancelled', 'expired'] as const;

export type RequestStatus = (typeof REQUEST_STATUSES)[number];

/** Every move a request for money may make. */
export const REQUEST_TRANSITIONS: Moves<RequestStatus> = {
  pending: ['paid', 'declined', 'cancelled', 'expired'],
  paid: [],
  declined: [],
  cancelled: [],
  expired: [],
};

export const canRequestBecome = canMoveBy(REQUEST_TRANSITIONS);
