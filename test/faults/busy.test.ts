import { CARDS, type Reply } from '../e2e/client';
import { auditOf } from './inside';
import { platformWith } from './platform';

/** An API that has more to do than it can. */

const place = platformWith({ API_AT_ONCE: '1', API_TURN_WAIT_MS: '50' });

test('what is refused because the API is busy is not done; repeated until it is taken, each is paid once', async () => {
  const { merchant, simulator } = place.actors;
  const orders = Array.from({ length: 60 }, () => merchant.order(CARDS.visa));
  const seen = new Set<number>();
  const pay = async (order: Record<string, unknown>): Promise<Reply> => {
    for (;;) {
      const headers = { 'idempotency-key': `key-${order.merchantTransactionId}` };
      const reply = await merchant.post('/payments/h2h/1', order, headers);
      seen.add(reply.status);
      if (reply.status !== 503) return reply;
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
      // Sooner than told, so that it stays busy.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const replies = await Promise.all(orders.map(pay));
  expect(seen).toEqual(new Set([201, 503]));
  for (const { body } of replies)
    expect(await simulator.charges(body.data.paymentId)).toMatchObject([{ captured: '10.00' }]);
  expect(await auditOf(place.stack)).toMatchObject({ compared: orders.length, findings: [] });
});
