import { until } from '../../e2e/client';
import { ACCOUNTS, Seller } from '../../e2e/sellers';
import { ready } from '../inside';
import { bank, place } from './place';

const WORKERS = ['tillway-api', 'tillway-worker'] as const;

test('killed between the order at the processor and our entry: one transfer goes out, and is booked once', async () => {
  const { stack, actors } = place;
  const shops = await Promise.all([1, 2].map(() => Seller.create(stack.credentials, actors, ACCOUNTS.settles)));
  await Promise.all(shops.map((shop) => shop.sold('10.00')));
  // One transfer goes out when we are dead already, of the other we have not heard the answer.
  await bank().fault('payout', 'delay', { delayMs: 1_200 });
  await bank().fault('payout', 'drop');
  const orders = Promise.all(shops.map((shop) => shop.payOut().catch(() => undefined)));
  await until('both are at the processor', async () => (await bank().faultsLeft()).length === 0);
  const before = WORKERS.map((name) => stack.pidOf(name));
  for (const name of WORKERS) stack.kill(name);
  await orders;
  await until('new processes', async () =>
    WORKERS.every((name, n) => stack.pidOf(name) !== undefined && stack.pidOf(name) !== before[n]),
  );
  await ready(stack);
  for (const shop of shops) {
    const { body } = await shop.merchant.get('/payouts/1.0.0/payouts');
    expect(body.data).toHaveLength(1);
    const [{ payoutId }] = body.data;
    await shop.become(payoutId, 'settled');
    expect(await shop.sentFor(payoutId)).toMatchObject([{ amount: '10.00', status: 'settled' }]);
    expect((await shop.balance()).available).toBe('0.00');
  }
});
