import { randomUUID } from 'node:crypto';
import type { Attack } from './attack';

const AT_ONCE = 8;
const together = <T>(strike: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: AT_ONCE }, strike));

/** Spends the same money twice, by being fast. */
export const MONEY_ATTACKS: Attack[] = [
  {
    name: 'a whole payment is refunded eight times at once',
    point: 'ASVS 2.3.4',
    expected: '1 taken, refunded 10.00',
    strike: async (place) => {
      const id = await place.payment(['settled']);
      const refund = `/ipg/1.0.0/payment/payments/${id}/refund`;
      const answers = await together(() => place.merchant.post(refund, { amount: '10.00', reason: 'twice' }));
      const taken = answers.filter(({ status }) => status < 300).length;
      await place.until(`refund of ${id}`, async () => (await place.paid(id)).transactionStatus === 'refunded');
      return `${taken} taken, refunded ${(await place.paid(id)).amounts.refunded}`;
    },
  },
  {
    name: 'a whole wallet is sent away eight times at once',
    point: 'ASVS 2.3.4',
    expected: '1 taken, 0.00 left',
    strike: async (place) => {
      const { customerId } = await place.victim();
      await place.admin.post(`/p2p/1.0.0/customers/${customerId}/enroll`, { alias: handle() });
      const recipient = `${randomUUID()}@nobody.example`;
      const transfer = { senderId: customerId, recipient, amount: '10.00', currency: 'EUR' };
      const answers = await together(() => place.admin.post('/p2p/1.0.0/transfers', transfer));
      const taken = answers.filter(({ status }) => status < 300).length;
      return `${taken} taken, ${await place.available(customerId)} left`;
    },
  },
  {
    name: 'one idempotency key is used eight times at once',
    point: 'ASVS 2.3.4',
    expected: '1 payment',
    strike: async (place) => {
      const [order, key] = [place.order(), randomUUID()];
      const answers = await together(() => place.merchant.post('/payments/h2h/1', order, { 'idempotency-key': key }));
      const ids = new Set(answers.filter(({ status }) => status < 300).map(({ body }) => body.data.paymentId));
      return `${ids.size} payment`;
    },
  },
  {
    name: 'one idempotency key is used for another amount',
    point: 'ASVS 2.3.1',
    expected: '422',
    strike: async ({ merchant, order }) => {
      const headers = { 'idempotency-key': randomUUID() };
      await merchant.post('/payments/h2h/1', order(), headers);
      return `${(await merchant.post('/payments/h2h/1', order({ amount: '1.00' }), headers)).status}`;
    },
  },
  {
    name: 'more is refunded than was paid',
    point: 'ASVS 2.3.2',
    expected: '422',
    strike: async (place) => {
      const refund = `/ipg/1.0.0/payment/payments/${await place.payment()}/refund`;
      return `${(await place.merchant.post(refund, { amount: '10.01', reason: 'more' })).status}`;
    },
  },
  {
    name: 'a payment of less than nothing',
    point: 'ASVS 2.2.1',
    expected: '400',
    strike: async ({ merchant, order }) =>
      `${(await merchant.post('/payments/h2h/1', order({ amount: '-10.00' }))).status}`,
  },
];

const handle = () => `@a${randomUUID().replaceAll('-', '').slice(0, 20)}`;
