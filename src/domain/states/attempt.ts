/**
 * How the authorization of a payment stands at one processor. `nothing_charged`: the processor never took the request on,
 * so another one may be tried. `unasked`: it was never asked, and moved money for the payment all the same.
 */
export const ATTEMPT_STATUSES = [
  'pending',
  'requires_action',
  'authorized',
  'captured',
  'voided',
  'declined',
  'nothing_charged',
  'unasked',
] as const;

export type AttemptStatus = (typeof ATTEMPT_STATUSES)[number];
