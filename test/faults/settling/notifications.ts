import type { ServerResponse } from 'node:http';
import { CARDS, type Json, until } from '../../e2e/client';
import { isGenuine, Receiver } from '../../unit/edge/notifications/receiver';
import { ready } from '../inside';
import { place } from './place';

/** Everything that delivers notifications is killed while they are on their way. */

let receiver: Receiver;

beforeAll(async () => {
  receiver = await new Receiver().listen();
});
afterAll(() => receiver?.close());

const WORKERS = ['tillway-api', 'tillway-worker'] as const;

async function killWorkers(): Promise<void> {
  const before = WORKERS.map((name) => place.stack.pidOf(name));
  for (const name of WORKERS) place.stack.kill(name);
  await until('new processes', async () =>
    WORKERS.every((name, n) => place.stack.pidOf(name) !== undefined && place.stack.pidOf(name) !== before[n]),
  );
  await ready(place.stack);
}

test('what was on its way is sent again, nothing is lost, and each payment is told in order', async () => {
  const held: ServerResponse[] = [];
  let holding = true;
  receiver.behave = (_, response) => {
    if (holding) held.push(response);
    else response.writeHead(204).end();
  };
  const payments = await Promise.all(
    [1, 2, 3, 4, 5].map((n) => place.actors.merchant.paid(CARDS.visa, { notificationUrl: receiver.url(`/${n}`) })),
  );
  for (const { paymentId } of payments) await place.actors.merchant.until(paymentId, 'settled');
  await until('the first of each is on its way', async () => held.length >= payments.length);
  // Taken by the merchant, but nobody of ours lives to hear it; the others are cut off unanswered.
  for (const response of held.slice(0, 2)) response.writeHead(204).end();
  await killWorkers();
  holding = false;

  const rows = await until('all are delivered', async () => {
    const { body } = await place.actors.merchant.get('/ipg/1.0.0/payment/notifications?limit=200');
    const delivered = body.data.filter(({ state }: Json) => state === 'delivered');
    return delivered.length === 2 * payments.length && delivered;
  });
  expect(rows).toHaveLength(2 * payments.length);
  let repeats = 0;
  for (const [index, { paymentId }] of payments.entries()) {
    const told = receiver.at(`/${index + 1}`);
    expect(told.every(({ data }) => data.paymentId === paymentId)).toBe(true);
    const types = told.map(({ type }) => type);
    // Once the later one is sent, the earlier one has been taken: it is never sent after it.
    expect(types).toEqual([...types].sort());
    expect(new Set(types)).toEqual(new Set(['payment.captured', 'payment.settled']));
    expect(new Set(told.map(({ id }) => id)).size).toBe(2);
    repeats += told.length - 2;
  }
  // At least those that were never answered.
  expect(repeats).toBeGreaterThanOrEqual(payments.length - 2);
  for (const request of receiver.received)
    expect(isGenuine(request, place.stack.credentials.callbackSecret)).toBe(true);
});
