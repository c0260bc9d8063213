import type { ItemDecision } from './states/item';
import type { OrderStatus } from './states/order';
import type { PaymentStatus } from './states/payment';
import type { PaymentLinkStatus } from './states/payment-link';
import type { PayoutStatus } from './states/payout';
import type { TopupStatus } from './states/topup';

/** Nobody is told that a payment was accepted: the answer to the request says so. */
export type PaymentNotificationType = `payment.${Exclude<PaymentStatus, 'initiated'>}`;
export type TopupNotificationType = `topup.${Exclude<TopupStatus, 'initiated'>}`;
export type DisputeNotificationType =
  | 'dispute.opened'
  | 'dispute.evidence_submitted'
  | 'dispute.second_presentment'
  | 'dispute.won'
  | 'dispute.lost';

/** What happens to payments: told to the address that came with one, to endpoints, and by the feed of events. */
export type PaymentEventType =
  | PaymentNotificationType
  | TopupNotificationType
  | DisputeNotificationType
  | 'refund.declined';

export type PayoutNotificationType = `payout.${Exclude<PayoutStatus, 'cancelled'>}`;
export type LinkNotificationType =
  | 'link.approved'
  | `link.${Exclude<PaymentLinkStatus, 'pending_approval' | 'active'>}`;
export type ItemNotificationType = `item.${ItemDecision}`;
export type OrderNotificationType = `order.${Extract<OrderStatus, 'paid' | 'expired'>}`;

/** What happens to a seller's other records: told to endpoints. */
export type SaleEventType =
  | PayoutNotificationType
  | LinkNotificationType
  | ItemNotificationType
  | OrderNotificationType
  | 'ticket.opened';

/** Everything that a merchant is notified of. */
export type NotificationType = PaymentEventType | SaleEventType | 'test.ping';

const PAYMENT_MEANINGS: Record<PaymentEventType, string> = {
  'payment.pending': 'The processor works on the payment, or its outcome is being established.',
  'payment.requires_action': 'The payer has something to do: `data.action` says what.',
  'payment.authorized': 'The amount is held. Capture it or cancel the payment.',
  'payment.captured': 'The money was taken.',
  'payment.settled': 'The processor has settled the payment.',
  'payment.partially_refunded': 'Part of the payment went back to the payer.',
  'payment.refunded': 'All of the payment went back to the payer.',
  'payment.cancelled': 'The payment was cancelled before any money was taken.',
  'payment.failed': 'No money was taken: `data.result` says why.',
  'payment.expired': 'The payer, or the merchant, did not act in time. No money was taken.',
  'payment.charged_back': "The payer's bank took the money back.",
  'topup.pending': 'The processor works on the top-up, or its outcome is being established.',
  'topup.awaiting_3ds': 'The customer has to authenticate with 3-D Secure.',
  'topup.authorized': 'The amount is held.',
  'topup.captured': 'The money was taken. It is available once it is settled.',
  'topup.settled': 'The money is available in the wallet.',
  'topup.partially_refunded': 'Part of the top-up went back to the card.',
  'topup.refunded': 'All of the top-up went back to the card.',
  'topup.cancelled': 'The top-up was cancelled before any money was taken.',
  'topup.failed': 'No money was taken: `data.result` says why.',
  'topup.expired': 'The customer did not act in time. No money was taken.',
  'topup.charged_back': 'The bank took the money back from the wallet.',
  'refund.declined': 'The processor declined a refund. The status of the payment stays.',
  'dispute.opened': "The payer's bank charged the payment back, or returned the direct debit.",
  'dispute.evidence_submitted': 'The processor has the evidence.',
  'dispute.second_presentment': 'The second presentment was accepted. The money is back until the dispute is decided.',
  'dispute.won': 'The dispute was won. The money stays with the merchant.',
  'dispute.lost': 'The dispute was lost. The money stays with the payer.',
};

const SALE_MEANINGS: Record<SaleEventType, string> = {
  'payout.scheduled': 'A payout was made. It is sent at `data.sendAt`.',
  'payout.sent': 'The payout goes out. Its processor has yet to say how it ended.',
  'payout.settled': 'The money is on the account of the seller.',
  'payout.returned': 'The payout came back. The money is back in the balance.',
  'payout.failed': 'The payout could not be made. The money is back in the balance.',
  'link.approved': 'The payment link has every approval that it needs. Buyers can pay.',
  'link.rejected': 'The payment link was rejected: `data.statusDetail` says why.',
  'link.paid': 'The payment link was paid as often as it may be.',
  'link.expired': 'The time of the payment link, or of its approval, is up.',
  'link.disabled': 'The seller has disabled the payment link.',
  'item.approved': 'The item was approved. Buyers can order it.',
  'item.rejected': 'The item was rejected: `data.reason` says why.',
  'order.paid': 'A payment has paid the order.',
  'order.expired': 'Nobody paid the order in time. Its pieces are free again.',
  'ticket.opened': 'A buyer has asked a question on the page of a payment link.',
};

/** What each of them means, in the words of docs/notifications.md and of the API document. */
export const NOTIFICATION_MEANINGS: Record<NotificationType, string> = {
  ...PAYMENT_MEANINGS,
  ...SALE_MEANINGS,
  'test.ping': 'A test that somebody sent by hand. Nothing has happened.',
};

export const NOTIFICATION_TYPES = Object.keys(NOTIFICATION_MEANINGS) as NotificationType[];
export const PAYMENT_EVENT_TYPES = Object.keys(PAYMENT_MEANINGS) as PaymentEventType[];

/** What an endpoint can ask for: single types, and everything about a subject, such as `payout.*`. */
export const EVENT_CHOICES: readonly string[] = (() => {
  const types = NOTIFICATION_TYPES.filter((type) => type !== 'test.ping');
  return [...new Set(types.map((type) => `${type.split('.')[0]}.*`)), ...types];
})();

/** What is told of a payment that has come to a status; undefined where nothing is. */
export function paymentNotification(status: PaymentStatus): PaymentNotificationType | undefined {
  return status === 'initiated' ? undefined : `payment.${status}`;
}

/** The same of a top-up. */
export function topupNotification(status: TopupStatus): TopupNotificationType | undefined {
  return status === 'initiated' ? undefined : `topup.${status}`;
}
