/**
 * How a payment stands at one processor. `nothing_charged`: the processor never took the request on, so another one may be
 * tried. An attempt that has money for a payment that does not keep it has a receipt, which goes back.
 */
export const ATTEMPT_STATUSES = [
  'pending',
  'requires_action',
  'authorized',
  'captured',
  'voided',
  'declined',
  'nothing_charged',
] as const;

export type AttemptStatus = (typeof ATTEMPT_STATUSES)[number];
