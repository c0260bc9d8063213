import { sharedStack } from '../setup/stack';
import {
  type Actors,
  actorsOf,
  CARDS,
  type Json,
  type Merchant,
  outOfBalance,
  type Reply,
  send,
  signedByA,
  transactionId,
  transfersOf,
  until,
} from './client';

const { credentials } = sharedStack();
let actors: Actors;
let merchant: Merchant;

beforeAll(async () => {
  actors = await actorsOf(credentials);
  merchant = actors.merchant;
});
afterAll(async () => expect(await outOfBalance(actors)).toEqual([]));

const paid = (amount = '100.00', overrides = {}) => merchant.paid(CARDS.visa, { amount, ...overrides });
const statusesOf = (replies: Reply[]) => replies.map(({ status }) => status).sort();

test('in full, without a body', async () => {
  const { paymentId } = await paid();
  const { status, body } = await merchant.refund(paymentId);
  expect(status).toBe(201);
  expect(body.data).toMatchObject({
    transactionStatus: 'refunded',
    result: { code: 120 },
    amounts: { captured: '100.00', refunded: '100.00' },
    refund: { paymentId, amount: '100.00', currency: 'EUR', status: 'succeeded', result: { code: 120 } },
  });
  expect(await actors.simulator.charges(paymentId)).toMatchObject([{ refunded: '100.00' }]);
  const [hold, post] = await transfersOf(actors, body.data.refund.refundId);
  expect(hold).toMatchObject({ phase: 'pending', amount: '100.00' });
  expect(post).toMatchObject({ phase: 'post', amount: '100.00', pendingTransferId: hold.transferId });
});

test('in parts, the last without an amount', async () => {
  const { paymentId } = await paid();
  const first = await merchant.refund(paymentId, { amount: '30.01', reason: 'one shoe' });
  expect(first.body.data).toMatchObject({
    transactionStatus: 'partially_refunded',
    refund: { amount: '30.01', reason: 'one shoe' },
  });
  const rest = await merchant.refund(paymentId, {});
  expect(rest.body.data).toMatchObject({
    transactionStatus: 'refunded',
    amounts: { refunded: '100.00' },
    refund: { amount: '69.99' },
  });
  const nothingLeft = await merchant.refund(paymentId);
  expect(nothingLeft.status).toBe(409);
});

test('of a settled payment', async () => {
  const { paymentId } = await paid();
  await merchant.until(paymentId, 'settled');
  expect((await merchant.refund(paymentId, { amount: '1.00' })).body.data.transactionStatus).toBe('partially_refunded');
});

test('of more than is left is refused and reserves nothing', async () => {
  const { paymentId } = await paid();
  const tooMuch = await merchant.refund(paymentId, { amount: '100.01' });
  expect([tooMuch.status, tooMuch.body.code]).toEqual([422, 'refund_exceeds_captured']);
  await merchant.refund(paymentId, { amount: '60.00' });
  expect((await merchant.refund(paymentId, { amount: '40.01' })).status).toBe(422);
  expect((await merchant.refund(paymentId, { amount: '40.00' })).status).toBe(201);
});

test('of a part of what was captured by hand', async () => {
  const { paymentId } = await merchant.paid(CARDS.visa, { amount: '100.00', capture: 'manual' }, ['authorized']);
  await merchant.capture(paymentId, { amount: '40.00' });
  expect((await merchant.refund(paymentId, { amount: '40.01' })).status).toBe(422);
  expect((await merchant.refund(paymentId)).body.data).toMatchObject({
    transactionStatus: 'refunded',
    amounts: { authorized: '100.00', captured: '40.00', refunded: '40.00' },
  });
});

test.each([
  ['authorized', { capture: 'manual' }, CARDS.visa],
  ['requires_action', {}, CARDS.challenge],
  ['failed', {}, CARDS.declined],
])('of a payment that is %s is refused', async (state, overrides, card) => {
  const { paymentId } = await merchant.paid(card, overrides, [state]);
  const { status, body } = await merchant.refund(paymentId);
  expect([status, body.code]).toEqual([409, 'invalid_state']);
  if (state !== 'failed') await merchant.cancel(paymentId);
});

test.each(['1', '1.0', '1.000', '0.00', '-1.00', 1, ''])('of the amount %j is refused', async (amount) => {
  const { paymentId } = await paid();
  const { status, body } = await merchant.refund(paymentId, { amount });
  expect(status).toBe(400);
  expect(body.details.map(({ field }: Json) => field)).toEqual(['amount']);
});

test('two of 60 on 100 at once: one succeeds, one is refused', async () => {
  const { paymentId } = await paid();
  const replies = await Promise.all([
    merchant.refund(paymentId, { amount: '60.00' }),
    merchant.refund(paymentId, { amount: '60.00' }),
  ]);
  expect(statusesOf(replies)).toEqual([201, 422]);
  expect(await merchant.status(paymentId)).toMatchObject({ amounts: { refunded: '60.00' } });
  expect(await actors.simulator.charges(paymentId)).toMatchObject([{ refunded: '60.00' }]);
});

test('twenty of 10 on 100 at once: exactly ten', async () => {
  const { paymentId } = await paid();
  const replies = await Promise.all(Array.from({ length: 20 }, () => merchant.refund(paymentId, { amount: '10.00' })));
  const refused = replies.filter(({ status }) => status === 422 || status === 409);
  expect(replies.filter(({ status }) => status === 201 || status === 202)).toHaveLength(10);
  expect(refused).toHaveLength(10);
  expect(await merchant.until(paymentId, 'refunded')).toMatchObject({ amounts: { refunded: '100.00' } });
  expect(await actors.simulator.charges(paymentId)).toMatchObject([{ refunded: '100.00' }]);
  expect(await merchant.refunds(paymentId)).toHaveLength(10);
});

test('declined later: 202, then 121 in the refund only, and the amount can be refunded again', async () => {
  const { paymentId } = await merchant.paid(CARDS.refundDeclined, { amount: '100.00' });
  const { status, body } = await merchant.refund(paymentId, { amount: '60.00' });
  expect(status).toBe(202);
  expect(body.data.refund).toMatchObject({ status: 'pending', result: { code: 100 } });
  // While it is pending, its amount is reserved.
  expect((await merchant.refund(paymentId, { amount: '60.00' })).status).toBe(422);
  const { refundId } = body.data.refund;
  const declined = await until('the refund is declined', async () => {
    const [refund] = await merchant.refunds(paymentId);
    return refund.status === 'declined' && refund;
  });
  expect(declined).toMatchObject({ refundId, result: { code: 121 } });
  const record = await merchant.status(paymentId);
  expect(record).toMatchObject({ result: { code: 0 }, amounts: { refunded: '0.00' } });
  expect(['captured', 'settled']).toContain(record.transactionStatus);
  const [hold, release] = await transfersOf(actors, refundId);
  expect(release).toMatchObject({ phase: 'void', pendingTransferId: hold.transferId });
  expect((await merchant.refund(paymentId, { amount: '100.00' })).status).toBe(202);
});

describe('a processor that changes its word', () => {
  const refundOf = async (paymentId: string, refundId: string) =>
    (await merchant.refunds(paymentId)).find((refund) => refund.refundId === refundId);

  async function declined(amount: string) {
    const { paymentId } = await merchant.paid(CARDS.refundDeclined, { amount: '100.00' });
    const { body } = await merchant.refund(paymentId, { amount });
    const { refundId } = body.data.refund;
    await until('the refund is declined', async () => (await refundOf(paymentId, refundId))?.status === 'declined');
    return { paymentId, refundId };
  }
  const ends = (paymentId: string, refundId: string, status: string) =>
    until(`the refund is ${status}`, async () => {
      const refund = await refundOf(paymentId, refundId);
      return refund?.status === status && refund;
    });

  test('a refund held as declined was made after all: the books follow, the amount cannot go twice', async () => {
    const { paymentId, refundId } = await declined('60.00');
    await actors.simulator.callback({ reference: refundId, event: 'refunded' });
    expect(await ends(paymentId, refundId, 'succeeded')).toMatchObject({ result: { code: 120 } });
    expect(await merchant.status(paymentId)).toMatchObject({
      transactionStatus: 'partially_refunded',
      amounts: { refunded: '60.00' },
    });
    expect((await merchant.refund(paymentId, { amount: '60.00' })).status).toBe(422);
    expect((await transfersOf(actors, refundId)).map(({ phase }) => phase)).toEqual(['pending', 'void', 'posted']);
    expect(await actors.simulator.charges(paymentId)).toMatchObject([{ refunded: '60.00' }]);
  });

  test('a refund held as succeeded came back: the books follow, and it can be refunded again', async () => {
    const { paymentId } = await paid();
    const { body } = await merchant.refund(paymentId);
    const { refundId } = body.data.refund;
    await actors.simulator.callback({ reference: refundId, event: 'refund_declined' });
    expect(await ends(paymentId, refundId, 'declined')).toMatchObject({ result: { code: 121 } });
    const record = await merchant.status(paymentId);
    expect(record).toMatchObject({ result: { code: 0 }, amounts: { refunded: '0.00' } });
    expect(['captured', 'settled']).toContain(record.transactionStatus);
    const again = await merchant.refund(paymentId);
    expect(again.body.data).toMatchObject({ transactionStatus: 'refunded', amounts: { refunded: '100.00' } });
    expect(await actors.simulator.charges(paymentId)).toMatchObject([{ refunded: '100.00' }]);
  });

  test('told by a callback alone, which the processor does not confirm when it is asked: nothing is booked', async () => {
    const { paymentId, refundId } = await declined('60.00');
    const said = { reference: refundId, status: 'REFUNDED', amount: '60.00', currency: 'EUR', refundId: 'r' };
    await send(
      `${credentials.apiUrl}/callbacks/processor_a-refund`,
      signedByA(credentials.processorSecrets.a, { type: 'refund', ...said }),
    );
    await until(
      'it is ignored',
      async () =>
        (await actors.ops.get(`/ops/1.0.0/callbacks?state=ignored&reference=${refundId}`)).body.data.length > 0,
    );
    expect(await merchant.status(paymentId)).toMatchObject({ amounts: { refunded: '0.00' } });
    expect((await refundOf(paymentId, refundId))?.status).toBe('declined');
  });
});

test('repeated under one key is one refund', async () => {
  const { paymentId } = await paid();
  const key = transactionId();
  const replies = [await merchant.refund(paymentId, { amount: '10.00' }, key)];
  replies.push(await merchant.refund(paymentId, { amount: '10.00' }, key));
  expect(replies[1]?.body).toEqual(replies[0]?.body);
  expect(await merchant.refunds(paymentId)).toHaveLength(1);
  const changed = await merchant.refund(paymentId, { amount: '11.00' }, key);
  expect([changed.status, changed.body.code]).toEqual([422, 'idempotency_key_reused']);
  // The key belongs to its path: on another payment it is a new one.
  const second = await paid();
  expect((await merchant.refund(second.paymentId, { amount: '10.00' }, key)).status).toBe(201);
});

test('ten at once under one key are one refund', async () => {
  const { paymentId } = await paid();
  const key = transactionId();
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => merchant.refund(paymentId, { amount: '10.00' }, key)),
  );
  expect(replies.filter(({ status }) => status !== 201 && status !== 409)).toEqual([]);
  expect(replies.some(({ status }) => status === 201)).toBe(true);
  expect(await merchant.refunds(paymentId)).toHaveLength(1);
  expect(await actors.simulator.charges(paymentId)).toMatchObject([{ refunded: '10.00' }]);
});

test('unknown members are refused', async () => {
  const { paymentId } = await paid();
  expect((await merchant.refund(paymentId, { amount: '1.00', fee: '0.10' })).status).toBe(400);
  expect((await merchant.refund(paymentId, { currency: 'EUR' })).status).toBe(400);
});
