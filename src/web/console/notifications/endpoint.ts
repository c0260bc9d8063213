import type { Tone } from '../parts/status';
import type { Answer, RecordOf } from '../server/api';

export type Endpoint = RecordOf<'/notifications/1.0.0/endpoints'>;
/** An endpoint together with what signs for it, as only the answer to its creation has it. */
export type NewEndpoint = Answer<'/notifications/1.0.0/endpoints', 'post'>;
export type RotatedSecret = Answer<'/notifications/1.0.0/endpoints/{endpointId}/secret/rotate', 'post'>;

export const ENDPOINTS = '/notifications/1.0.0/endpoints';
export const ENDPOINT = '/notifications/1.0.0/endpoints/{endpointId}';

export const ENDPOINT_TONES: Record<Endpoint['status'], Tone> = { enabled: 'good', disabled: 'waiting' };

type Event = Endpoint['events'][number];

/** What an endpoint may hear of. The compiler compares it with the API's own list. */
const CHOICES: Record<Event, true> = {
  'payment.*': true,
  'payment.pending': true,
  'payment.requires_action': true,
  'payment.authorized': true,
  'payment.captured': true,
  'payment.settled': true,
  'payment.partially_refunded': true,
  'payment.refunded': true,
  'payment.cancelled': true,
  'payment.failed': true,
  'payment.expired': true,
  'payment.charged_back': true,
  'topup.*': true,
  'topup.pending': true,
  'topup.awaiting_3ds': true,
  'topup.authorized': true,
  'topup.captured': true,
  'topup.settled': true,
  'topup.partially_refunded': true,
  'topup.refunded': true,
  'topup.cancelled': true,
  'topup.failed': true,
  'topup.expired': true,
  'topup.charged_back': true,
  'refund.*': true,
  'refund.declined': true,
  'dispute.*': true,
  'dispute.opened': true,
  'dispute.evidence_submitted': true,
  'dispute.second_presentment': true,
  'dispute.won': true,
  'dispute.lost': true,
  'payout.*': true,
  'payout.scheduled': true,
  'payout.sent': true,
  'payout.settled': true,
  'payout.returned': true,
  'payout.failed': true,
  'link.*': true,
  'link.approved': true,
  'link.rejected': true,
  'link.paid': true,
  'link.expired': true,
  'link.disabled': true,
  'item.*': true,
  'item.approved': true,
  'item.rejected': true,
  'order.*': true,
  'order.paid': true,
  'order.expired': true,
  'ticket.*': true,
  'ticket.opened': true,
};
export const EVENTS = Object.keys(CHOICES) as Event[];

/** What somebody enters about an endpoint. */
export interface EndpointText {
  url: string;
  events: Event[];
  description: string;
}
