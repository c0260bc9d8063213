import { setTimeout as sleep } from 'node:timers/promises';
import type { PaymentEventType } from '../../../domain/notification-type';
import type { Merchant, PaymentRecord } from '../merchant';

/** A payment that brings an event about. */
export interface Scenario {
  summary: string;
  /** Members of the payment request beyond the usual ones; a card that is approved unless they say otherwise. */
  request?: { card?: object; capture?: 'manual' };
  /** What payer or merchant do once the payment exists. */
  act?(merchant: Merchant, payment: PaymentRecord): Promise<unknown>;
  /** It comes when the payer's time is up, not before. */
  atExpiry?: boolean;
}

const PAYMENTS = '/ipg/1.0.0/payment/payments';
const DISPUTES = '/disputes/1.0.0/disputes';

const card = (number: string) => ({
  card: { number, holder: 'A Buyer', expiryMonth: '12', expiryYear: '2035', cvv: '123' },
});
const CHALLENGED = card('4000000000003220');
const CHARGED_BACK = card('4000000000000259');

const refund =
  (body: object) =>
  async (merchant: Merchant, { paymentId }: PaymentRecord) => {
    await merchant.until(paymentId, 'captured', 'settled');
    await merchant.call('POST', `${PAYMENTS}/${paymentId}/refund`, body);
  };

/** Contests a chargeback, which comes some seconds after the capture. */
const contest =
  (text: string, { again = false } = {}) =>
  async (merchant: Merchant, { paymentId }: PaymentRecord) => {
    for (let tries = 0; tries < 240; tries += 1) {
      const [dispute] = await merchant.list<{ disputeId: string }>(`${DISPUTES}?paymentId=${paymentId}`);
      if (dispute) {
        await merchant.send('POST', `${DISPUTES}/${dispute.disputeId}/evidence`, { text });
        if (again) await merchant.send('POST', `${DISPUTES}/${dispute.disputeId}/second-presentment`, {});
        return;
      }
      await sleep(250);
    }
  };

/** By the type of the event that it ends with; null: no payment of a merchant brings it about. */
const BY_TYPE: Record<PaymentEventType, Scenario | null> = {
  'payment.requires_action': { summary: 'a card whose issuer asks the payer', request: CHALLENGED },
  'payment.pending': { summary: 'a card whose processor does not answer', request: card('4000000000006975') },
  'payment.authorized': { summary: 'a card payment to be captured by hand', request: { capture: 'manual' } },
  'payment.captured': { summary: 'a card payment' },
  'payment.settled': { summary: 'a card payment, until the processor has settled it' },
  'payment.failed': { summary: 'a card that is declined', request: card('4000000000000002') },
  'payment.cancelled': {
    summary: 'a card payment that the merchant cancels before it is captured',
    request: { capture: 'manual' },
    act: (merchant, { paymentId }) => merchant.call('POST', `${PAYMENTS}/${paymentId}/cancel`, {}),
  },
  'payment.expired': {
    summary: 'a payer who never answers the issuer: takes as long as the payer has',
    request: CHALLENGED,
    atExpiry: true,
  },
  'payment.partially_refunded': { summary: 'a card payment, 4.00 of it refunded', act: refund({ amount: '4.00' }) },
  'payment.refunded': { summary: 'a card payment, refunded', act: refund({}) },
  'refund.declined': {
    summary: 'a card payment whose refund is declined',
    request: card('4000000000005126'),
    act: refund({}),
  },
  'payment.charged_back': { summary: "a card payment that the payer's bank takes back", request: CHARGED_BACK },
  'dispute.opened': { summary: 'the same, as the case it opens', request: CHARGED_BACK },
  'dispute.evidence_submitted': {
    summary: 'a chargeback that the merchant contests',
    request: CHARGED_BACK,
    act: contest('See the order.'),
  },
  'dispute.second_presentment': {
    summary: 'a chargeback, contested and presented again',
    request: CHARGED_BACK,
    act: contest('See the order.', { again: true }),
  },
  'dispute.won': {
    summary: 'a chargeback, contested and won',
    request: CHARGED_BACK,
    act: contest('The parcel was delivered and signed for.'),
  },
  'dispute.lost': {
    summary: 'a chargeback, contested and lost',
    request: CHARGED_BACK,
    act: contest('See the order.'),
  },
  // Top-ups are made by customers.
  'topup.pending': null,
  'topup.awaiting_3ds': null,
  'topup.authorized': null,
  'topup.captured': null,
  'topup.settled': null,
  'topup.partially_refunded': null,
  'topup.refunded': null,
  'topup.cancelled': null,
  'topup.failed': null,
  'topup.expired': null,
  'topup.charged_back': null,
};

/** What can be brought about, by the type of the event. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = Object.fromEntries(
  Object.entries(BY_TYPE).flatMap(([type, scenario]) => (scenario ? [[type, scenario]] : [])),
);
