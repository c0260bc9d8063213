import {
  canPaymentLinkBecome,
  PAYMENT_LINK_STATUSES,
  type PaymentLinkStatus,
} from '../../../src/domain/states/payment-link';

const ALLOWED = new Set([
  'pending_approval>active',
  'pending_approval>rejected',
  'pending_approval>expired',
  'active>disabled',
  'active>paid',
  'active>expired',
  'disabled>active',
  'disabled>paid',
  'disabled>expired',
  'expired>paid',
]);

const PAIRS = PAYMENT_LINK_STATUSES.flatMap((from) =>
  PAYMENT_LINK_STATUSES.map((to): [PaymentLinkStatus, PaymentLinkStatus] => [from, to]),
);

test.each(PAIRS)('%s to %s', (from, to) => {
  expect(canPaymentLinkBecome(from, to)).toBe(ALLOWED.has(`${from}>${to}`));
});
