import { CAPTURED, CARDS, challenge, type Json, until } from '../e2e/client';
import { byTransaction } from './inside';
import { killProcesses } from './kill';
import { platformWithFlows, standingOf } from './without-flow';

/** `PAYMENT_FLOWS=waiting`: the API takes first steps, and dies on the way, or has no engine to hand them to. */

const place = platformWithFlows('waiting');

const standing = (paymentId: string) => standingOf(place, paymentId);
const finished = (transactionId: unknown): Promise<Json> =>
  until('finished', async () => {
    const found = await byTransaction(place.actors, transactionId);
    return CAPTURED.includes(found?.transactionStatus) && found;
  });
const changes = async (paymentId: string): Promise<string[]> =>
  (await place.actors.merchant.events(paymentId)).map(({ to }) => to);

test('a payment that nobody has to wait for has no flow, and its timeline says all', async () => {
  const { merchant, simulator } = place.actors;
  const { paymentId } = await merchant.paid(CARDS.visa);
  expect(await standing(paymentId)).toBe('none');
  expect(await changes(paymentId)).toEqual(['initiated', 'captured']);
  expect(await simulator.charges(paymentId)).toMatchObject([{ captured: '10.00' }]);
  const declined = (await merchant.pay(CARDS.declined)).body.data;
  expect([declined.transactionStatus, await standing(declined.paymentId)]).toEqual(['failed', 'none']);
});

test('a callback that says what is known already needs no flow; one that says more has its own', async () => {
  const { merchant, simulator, ops } = place.actors;
  const inbox = async (paymentId: string) => {
    const [row] = (await ops.get(`/ops/1.0.0/callbacks?reference=${paymentId}`)).body.data;
    return row;
  };
  const heard = async (number: string): Promise<Json> => {
    const { paymentId } = (await merchant.pay(number)).body.data;
    await simulator.callback({ reference: paymentId, event: 'captured' });
    return until('it is dealt with', async () => {
      const row = await inbox(paymentId);
      return row?.state !== 'stored' && row;
    });
  };
  const flowOf = async ({ processor, eventId }: Json): Promise<string> =>
    (await ops.get(`/ops/1.0.0/flows?workflowId=callback%2F${processor}%2F${eventId}`)).body.standing;
  const known = await heard(CARDS.visa);
  expect([known.state, await flowOf(known)]).toEqual(['ignored', 'none']);
  const news = await heard(CARDS.declined);
  expect(news.state).toBe('applied');
  expect(await flowOf(news)).not.toBe('none');
});

test('one that waits for its payer, for its merchant or for its processor has a flow', async () => {
  const { merchant } = place.actors;
  const [challenged, held, silent] = await Promise.all([
    merchant.pay(CARDS.challenge, { returnUrl: 'https://shop.example/back' }),
    merchant.pay(CARDS.visa, { capture: 'manual' }),
    merchant.pay(CARDS.neverAnswers),
  ]);
  const { paymentId, action } = challenged.body.data;
  expect(await standing(paymentId)).toBe('running');
  expect(await standing(held.body.data.paymentId)).toBe('running');
  await challenge(action.url, 'authenticated');
  await merchant.until(paymentId, ...CAPTURED);
  expect((await merchant.capture(held.body.data.paymentId)).body.data.transactionStatus).toBe('captured');
  // The callback may come before the API has given up waiting for the answer.
  await merchant.until(silent.body.data.paymentId, ...CAPTURED);
  expect(await changes(silent.body.data.paymentId)).toEqual(expect.arrayContaining(['pending', 'captured']));
  for (const id of [paymentId, held.body.data.paymentId, silent.body.data.paymentId])
    await until('its flow has ended', async () => (await standing(id)) === 'ended');
});

test('a callback moves a payment while the engine is away, and its flow is told when that is back', async () => {
  const { merchant } = place.actors;
  const { paymentId, action } = (await merchant.pay(CARDS.challenge, { returnUrl: 'https://shop.example/back' })).body
    .data;
  const held = (await merchant.pay(CARDS.challenge, { returnUrl: 'https://shop.example/back', capture: 'manual' })).body
    .data;
  await until('both have a flow', async () => (await standing(held.paymentId)) === 'running');
  expect(await standing(paymentId)).toBe('running');
  place.stack.kill('temporal', 'SIGSTOP');
  try {
    for (const { url } of [action, held.action]) await challenge(url, 'authenticated');
    await merchant.until(paymentId, ...CAPTURED);
    await merchant.until(held.paymentId, 'authorized');
  } finally {
    place.stack.kill('temporal', 'SIGCONT');
  }
  await until('its flow has ended', async () => (await standing(paymentId)) === 'ended');
  expect(await changes(paymentId)).toEqual(['initiated', 'requires_action', 'captured']);
  expect((await merchant.capture(held.paymentId)).body.data.transactionStatus).toBe('captured');
  await until('the other has ended', async () => (await standing(held.paymentId)) === 'ended');
});

test('while the engine is away payments are taken, and those that wait get their flow when it is back', async () => {
  const { merchant, simulator } = place.actors;
  place.stack.kill('temporal', 'SIGSTOP');
  let waiting: Json[];
  try {
    const paid = await Promise.all(Array.from({ length: 5 }, () => merchant.paid(CARDS.visa)));
    for (const { paymentId } of paid) expect(await simulator.charges(paymentId)).toHaveLength(1);
    const replies = await Promise.all(
      [1, 2, 3].map(() => merchant.pay(CARDS.challenge, { returnUrl: 'https://shop.example/back' })),
    );
    waiting = replies.map(({ body }) => body.data);
    expect(waiting.map(({ transactionStatus }) => transactionStatus)).toEqual(Array(3).fill('requires_action'));
    // Two of the payers are faster than the engine.
    for (const { action } of waiting.slice(1)) await challenge(action.url, 'authenticated');
  } finally {
    place.stack.kill('temporal', 'SIGCONT');
  }
  const [first, ...others] = waiting;
  await until('a flow', async () => (await standing(first!.paymentId)) === 'running');
  await challenge(first!.action.url, 'authenticated');
  for (const { paymentId } of [first!, ...others]) {
    await merchant.until(paymentId, ...CAPTURED);
    expect(await simulator.charges(paymentId)).toMatchObject([{ captured: '10.00' }]);
  }
});

test('killed while the processor works: a flow takes the step up, asks first, and there is one charge', async () => {
  const { merchant, simulator } = place.actors;
  const orders = Array.from({ length: 4 }, () => merchant.order(CARDS.visa));
  await simulator.fault('authorize', 'delay', { times: 4, delayMs: 1_200 });
  const cutOff = orders.map((order) => merchant.post('/payments/h2h/1', order).catch(() => undefined));
  await until('all are at the processor', async () => (await simulator.faultsLeft()).length === 0);
  await killProcesses(place.stack, ['tillway-api']);
  expect((await Promise.all(cutOff)).filter(Boolean)).toEqual([]);
  for (const { merchantTransactionId } of orders) {
    const { paymentId } = await finished(merchantTransactionId);
    expect(await simulator.charges(paymentId)).toMatchObject([{ captured: '10.00' }]);
    expect(await standing(paymentId)).not.toBe('none');
  }
});

test('the request is repeated under its key after such a death: the same payment, and its outcome', async () => {
  const { merchant, simulator } = place.actors;
  const order = merchant.order(CARDS.visa);
  const headers = { 'idempotency-key': `key-${order.merchantTransactionId}` };
  await simulator.fault('authorize', 'delay', { times: 1, delayMs: 1_200 });
  const cutOff = merchant.post('/payments/h2h/1', order, headers).catch(() => undefined);
  await until('it is at the processor', async () => (await simulator.faultsLeft()).length === 0);
  await killProcesses(place.stack, ['tillway-api']);
  expect(await cutOff).toBeUndefined();
  const again = await until('the repeat is taken', async () => {
    const reply = await merchant.post('/payments/h2h/1', order, headers);
    return reply.status < 300 && reply;
  });
  const { paymentId } = again.body.data;
  await merchant.until(paymentId, ...CAPTURED);
  expect(await simulator.charges(paymentId)).toMatchObject([{ captured: '10.00' }]);
});

test('a cancellation that comes while the first step is under way is carried out after it', async () => {
  const { merchant, simulator } = place.actors;
  const order = merchant.order(CARDS.visa, { capture: 'manual' });
  await simulator.fault('authorize', 'delay', { times: 1, delayMs: 1_000 });
  const paying = merchant.post('/payments/h2h/1', order);
  const { paymentId } = await until('it is accepted', () => byTransaction(place.actors, order.merchantTransactionId));
  expect((await merchant.cancel(paymentId)).status).toBeLessThan(300);
  await merchant.until(paymentId, 'cancelled');
  expect((await paying).status).toBeLessThan(300);
  expect(await simulator.charges(paymentId)).toMatchObject([{ captured: '0.00', status: 'cancelled' }]);
});
