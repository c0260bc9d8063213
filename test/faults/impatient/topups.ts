import { randomUUID } from 'node:crypto';
import { CARDS, type Json, type Reply, transfersOf, until } from '../../e2e/client';
import { newCustomer, TOPUPS, Topups } from '../../e2e/topups';
import { auditOf, ready } from '../inside';
import { place } from './place';

/** Top-ups on a platform of their own: nothing settles, payers have little time, and processes are killed. */

let topups: Topups;

beforeAll(() => {
  topups = new Topups(place.actors.tenantAdmin);
});

const balanceOf = async (customerId: string): Promise<Json> =>
  (await place.actors.tenantAdmin.get(`/wallet/1.0.0/customers/${customerId}/balances`)).body.data[0];
const lost = (): undefined => undefined;

/** Kills everything that runs workflow code, and waits until the supervisor has brought it back. */
async function killWorkers(): Promise<void> {
  const names = ['tillway-api', 'tillway-worker'];
  const before = names.map((name) => place.stack.pidOf(name));
  for (const name of names) place.stack.kill(name);
  await until('new processes', async () =>
    names.every((name, n) => place.stack.pidOf(name) !== undefined && place.stack.pidOf(name) !== before[n]),
  );
  await ready(place.stack);
}

test('before it is settled, a top-up is held, and refunds and chargebacks come out of what is held', async () => {
  const customerId = await newCustomer(place.actors);
  const made = await topups.made(customerId, {}, ['captured']);
  expect(await balanceOf(customerId)).toMatchObject({ available: '0.00', held: '10.00' });
  expect((await topups.act(made.topupId, 'refund', { amount: '3.00' })).status).toBe(201);
  expect(await balanceOf(customerId)).toMatchObject({ available: '0.00', held: '7.00' });
  await place.actors.simulator.callback({ reference: made.paymentId, event: 'charged_back', amount: '7.00' });
  await topups.until(made.topupId, 'charged_back');
  expect(await balanceOf(customerId)).toMatchObject({ available: '0.00', held: '0.00', owed: '0.00' });
  expect(await auditOf(place.stack)).toMatchObject({ findings: [] });
});

test('an authorization nobody captures and a payer who does not come back: expired, and nothing is counted', async () => {
  const customerId = await newCustomer(place.actors);
  const abandoned = (await topups.create(customerId, {}, CARDS.challenge)).body;
  const uncaptured = await topups.made(customerId, { capture: 'manual' }, ['authorized']);
  for (const { topupId } of [abandoned, uncaptured])
    expect(await topups.until(topupId, 'expired')).toMatchObject({ netAmount: '0.00', amounts: { captured: '0.00' } });
  const causes = (await transfersOf(place.actors, uncaptured.paymentId)).map(({ phase }) => phase);
  expect(causes).toEqual(['pending', 'void']);
  const { body } = await place.actors.tenantAdmin.get(`/wallet/1.0.0/customers/${customerId}/limits?operation=topup`);
  for (const { used } of body.data ?? []) expect(used).toMatchObject({ dailyAmount: '0.00', dailyCount: 0 });
});

test('killed in the middle of top-ups, captures and refunds: each happens once, and the books agree', async () => {
  const { simulator } = place.actors;
  const customerId = await newCustomer(place.actors);
  const toCapture = await topups.made(customerId, { capture: 'manual' }, ['authorized']);
  const toRefund = await topups.made(customerId, {}, ['captured']);
  const keys = Array.from({ length: 3 }, () => ({ 'idempotency-key': randomUUID() }));
  await simulator.fault('authorize', 'delay', { times: keys.length, delayMs: 1_200 });
  await simulator.fault('capture', 'delay', { times: 1, delayMs: 1_200 });
  await simulator.fault('refund', 'delay', { times: 1, delayMs: 1_200 });
  const requests: Promise<Reply>[] = [
    ...keys.map((key) => topups.create(customerId, {}, CARDS.visa, key)),
    topups.act(toCapture.topupId, 'capture', { amount: '6.00' }),
    topups.act(toRefund.topupId, 'refund', { amount: '4.00' }),
  ];
  const replies = Promise.all(requests.map((request) => request.catch(lost)));
  await until('all are at the processor', async () => (await simulator.faultsLeft()).length === 0);
  await killWorkers();
  expect((await replies).filter(Boolean)).toEqual([]);

  expect(await topups.until(toCapture.topupId, 'captured')).toMatchObject({ amounts: { captured: '6.00' } });
  expect(await topups.until(toRefund.topupId, 'partially_refunded')).toMatchObject({ amounts: { refunded: '4.00' } });
  for (const key of keys) {
    const { body } = await until('the repeat is answered', async () => {
      const reply = await topups.create(customerId, {}, CARDS.visa, key).catch(lost);
      return reply && reply.status !== 409 && reply.status < 500 && reply;
    });
    const { paymentId } = await topups.until(body.topupId, 'captured');
    expect(await simulator.charges(paymentId)).toMatchObject([{ captured: '10.00' }]);
  }
  const { body } = await place.actors.tenantAdmin.get(`${TOPUPS}?customerId=${customerId}`);
  expect(body.data).toHaveLength(2 + keys.length);
  expect(await balanceOf(customerId)).toMatchObject({ available: '0.00', held: '42.00' });
  expect(await auditOf(place.stack)).toMatchObject({ open: 0, findings: [] });
});
