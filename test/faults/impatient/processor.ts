import { randomUUID } from 'node:crypto';
import { newId } from '../../../src/domain/ids';
import { apiKeyFor } from '../../../src/edge/processors/credentials';
import { AuthenticationPolicies } from '../../../src/money/authentication/policies';
import type { PaymentOrder } from '../../../src/money/payments/accept';
import { PaymentService } from '../../../src/money/payments/service';
import type { Platform } from '../../../workers/platform';
import {
  CARDS,
  challenge,
  type Json,
  type Merchant,
  outOfBalance,
  type Simulator,
  send,
  signedByA,
  transactionId,
  transfersOf,
  until,
} from '../../e2e/client';
import { auditOf, byTransaction, platformOf } from '../inside';
import { place } from './place';

let merchant: Merchant;
let simulator: Simulator;
let platform: Platform;

beforeAll(async () => {
  ({ merchant, simulator } = place.actors);
  platform = await platformOf(place.stack);
});

afterEach(() => simulator?.clearFaults());

const movesTo = async (paymentId: string, state: string) =>
  (await merchant.events(paymentId)).filter(({ from, to }) => to === state && from !== state).length;

describe('payments', () => {
  test('fault 2: the processor never gets it: asked before anything ends, then failed (501), nothing charged', async () => {
    await simulator.fault('authorize', 'drop');
    const { status, body } = await merchant.pay(CARDS.visa);
    expect([status, body.data.transactionStatus, body.data.result.code]).toEqual([202, 'pending', 500]);
    const record = await merchant.until(body.data.paymentId, 'failed');
    expect(record.result.code).toBe(501);
    expect(await simulator.charges(record.paymentId)).toEqual([]);
  });

  test.each([
    ['fault 2: charged, the reply never arrives', 'close_after'],
    ['fault 3: charged, then 500', 'status_500'],
    ['charged twice under one key', 'duplicate'],
    ['charged late', 'delay'],
    ['the connection is closed before it is taken', 'close_before'],
  ])('%s: never failed while it may have worked, one charge', async (_, fault) => {
    await simulator.fault('authorize', fault, { delayMs: fault === 'delay' ? 1_200 : 0 });
    const { body } = await merchant.pay(CARDS.visa);
    const { paymentId } = body.data;
    expect(['pending', 'captured']).toContain(body.data.transactionStatus);
    const ended = await merchant.until(paymentId, 'captured', 'failed');
    const charges = await simulator.charges(paymentId);
    if (fault === 'close_before') {
      // Never charged, or sent again under the same key: both are right, in between is not.
      expect(charges).toHaveLength(ended.transactionStatus === 'captured' ? 1 : 0);
    } else {
      expect(ended.transactionStatus).toBe('captured');
      expect(charges).toMatchObject([{ captured: '10.00' }]);
      expect(await transfersOf(place.actors, paymentId)).toHaveLength(1);
    }
    expect(await simulator.faultsLeft()).toEqual([]);
  });

  test('fault 13: neither reply nor callback nor answers to inquiries for a while: found by asking', async () => {
    await simulator.fault('authorize', 'close_after');
    await simulator.fault('inquiry', 'drop');
    await simulator.fault('inquiry', 'status_500');
    await simulator.fault('inquiry', 'close_before');
    const { body } = await merchant.pay(CARDS.visa);
    expect(body.data).toMatchObject({ transactionStatus: 'pending', result: { code: 500 } });
    await merchant.until(body.data.paymentId, 'captured');
    expect(await simulator.charges(body.data.paymentId)).toHaveLength(1);
    expect(await simulator.faultsLeft()).toEqual([]);
  });

  test('fault 8: a hundred at once under one key: one payment', async () => {
    const order = merchant.order(CARDS.visa);
    const key = { 'idempotency-key': transactionId() };
    const replies = await Promise.all(Array.from({ length: 100 }, () => merchant.post('/payments/h2h/1', order, key)));
    const answered = replies.filter(({ status }) => status === 201);
    const refused = replies.filter(({ status, body }) => status === 409 && body.code === 'idempotency_in_progress');
    expect(answered.length).toBeGreaterThan(0);
    expect(answered.length + refused.length).toBe(100);
    expect(new Set(answered.map(({ body }) => body.data.paymentId)).size).toBe(1);
    expect(await simulator.charges(answered[0]?.body.data.paymentId)).toMatchObject([
      { captured: '10.00', requests: 1 },
    ]);
  });
});

describe('captures, cancellations, refunds that meet each fault', () => {
  const FAULTS = ['close_after', 'status_500', 'duplicate', 'drop', 'close_before', 'delay'];
  /** Each fault strikes a payment of its own, all at the same time. */
  const onEach = (on: string, pay: () => Promise<Json>, work: (paymentId: string) => Promise<void>) =>
    Promise.all(
      FAULTS.map(async (fault) => {
        const { paymentId: reference } = await pay();
        await simulator.fault(on, fault, { reference, delayMs: fault === 'delay' ? 1_200 : 0 });
        await work(reference);
      }),
    );
  const authorized = () => merchant.paid(CARDS.visa, { capture: 'manual' }, ['authorized']);
  afterEach(async () => expect(await simulator.faultsLeft()).toEqual([]));

  test('a capture happens once', () =>
    onEach('capture', authorized, async (paymentId) => {
      expect([200, 202]).toContain((await merchant.capture(paymentId, { amount: '7.00' })).status);
      await merchant.until(paymentId, 'captured');
      expect(await simulator.charges(paymentId)).toMatchObject([{ captured: '7.00' }]);
      expect(await movesTo(paymentId, 'captured')).toBe(1);
    }));

  test('a cancellation happens once', () =>
    onEach('capture', authorized, async (paymentId) => {
      expect([200, 202]).toContain((await merchant.cancel(paymentId)).status);
      await merchant.until(paymentId, 'cancelled');
      expect(await simulator.charges(paymentId)).toMatchObject([{ captured: '0.00', status: 'cancelled' }]);
    }));

  test('a refund happens once', () =>
    onEach(
      'refund',
      () => merchant.paid(CARDS.visa),
      async (paymentId) => {
        expect([201, 202]).toContain((await merchant.refund(paymentId, { amount: '3.00' })).status);
        await merchant.until(paymentId, 'partially_refunded');
        expect(await simulator.charges(paymentId)).toMatchObject([{ refunded: '3.00' }]);
        expect(await merchant.refunds(paymentId)).toMatchObject([{ status: 'succeeded' }]);
      },
    ));
});

test('a payer who never comes, a merchant who never captures: expired, nothing held anywhere', async () => {
  const abandoned = (await merchant.pay(CARDS.challenge)).body.data;
  const { paymentId } = await merchant.paid(CARDS.visa, { capture: 'manual' }, ['authorized']);
  expect(Date.parse(abandoned.action.expiresAt) - Date.parse(abandoned.timestamp)).toBeLessThanOrEqual(1_500);
  const left = await merchant.until(abandoned.paymentId, 'expired');
  expect(left).toMatchObject({ result: { code: 301 } });
  expect(left.action).toBeUndefined();
  expect((await challenge(abandoned.action.url, 'authenticated')).status).toBe(410);
  expect(await merchant.until(paymentId, 'expired')).toMatchObject({ result: { code: 302 } });
  expect(await transfersOf(place.actors, paymentId)).toMatchObject([{ phase: 'pending' }, { phase: 'void' }]);
  for (const reference of [abandoned.paymentId, paymentId])
    expect(await simulator.charges(reference)).toMatchObject([{ status: 'cancelled', captured: '0.00' }]);
});

describe('callbacks out of turn', () => {
  const tell = async (reference: string, fields: object) => {
    const request = signedByA(place.stack.credentials.processorSecrets.a, { reference, paymentId: 'p', ...fields });
    const { status } = await send(`${place.stack.apiUrl}/callbacks/processor_a`, request);
    expect(status).toBe(200);
  };
  const inboxOf = async (reference: string): Promise<Json[]> =>
    (await place.actors.ops.get(`/ops/1.0.0/callbacks?reference=${reference}`)).body.data;
  const dealtWith = (reference: string, count: number) =>
    until(`${count} callbacks dealt with`, async () => {
      const rows = await inboxOf(reference);
      return rows.length >= count && rows.every(({ state }) => ['applied', 'ignored'].includes(state)) && rows;
    });
  const captured = { status: 'CAPTURED', amount: '10.00', currency: 'EUR' };

  test('fault 10: before the processor’s response: applied once', async () => {
    await simulator.fault('authorize', 'delay', { delayMs: 500 });
    const order = merchant.order(CARDS.visa);
    const answer = merchant.post('/payments/h2h/1', order);
    const { paymentId } = await until('accepted', () => byTransaction(place.actors, order.merchantTransactionId));
    await tell(paymentId, captured);
    expect((await answer).body.data).toMatchObject({ paymentId, transactionStatus: 'captured' });
    await dealtWith(paymentId, 1);
    expect(await movesTo(paymentId, 'captured')).toBe(1);
    expect(await transfersOf(place.actors, paymentId)).toHaveLength(1);
  });

  test('fault 10: before the payment’s row exists: kept, then applied once', async () => {
    const order: PaymentOrder = {
      paymentId: newId('payment'),
      tenantId: place.stack.credentials.tenantId,
      organizationId: place.stack.credentials.organizationId,
      terminalId: place.stack.credentials.terminalId,
      merchantTransactionId: transactionId(),
      method: { id: 1, kind: 'card', brand: 'VISA' },
      processor: 'a',
      amountMinor: 1000n,
      currency: 'EUR',
      captureMode: 'automatic',
      details: { threeDS: 'auto', storeCard: false },
      card: { number: CARDS.visa, holder: 'A Buyer', expiryMonth: '12', expiryYear: '2030', cvv: '123' },
      requestId: 'req',
    };
    const { paymentId } = order;
    await tell(paymentId, captured);
    await until('it waits for its payment', async () => (await inboxOf(paymentId))[0]?.state === 'unmatched');
    // Neither the answer nor an inquiry can tell: only the callback is left.
    await simulator.fault('authorize', 'close_after', { reference: paymentId });
    await simulator.fault('inquiry', 'close_before', { reference: paymentId, times: 1_000 });
    await new PaymentService(
      { ...platform, authentication: new AuthenticationPolicies(platform.database) },
      { firstAnswerMs: 500, eager: false, flows: 'all' },
    ).create(order);
    await merchant.until(paymentId, 'captured');
    expect(await dealtWith(paymentId, 1)).toMatchObject([{ state: 'applied' }]);
    expect(await movesTo(paymentId, 'captured')).toBe(1);
    expect(await simulator.charges(paymentId)).toHaveLength(1);
  });

  test('fault 12: captured before authorised: ends captured', async () => {
    await simulator.fault('authorize', 'close_after');
    await simulator.fault('inquiry', 'close_before', { times: 1_000 });
    const { paymentId } = (await merchant.pay(CARDS.visa, { capture: 'manual' })).body.data;
    const done = await send(`${place.stack.credentials.simulatorUrl}/a/v1/payments/${paymentId}/captures`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKeyFor(place.stack.credentials.processorSecrets.a)}`,
        'idempotency-key': randomUUID(),
      },
      body: { amount: '10.00', currency: 'EUR' },
    });
    expect(done.status).toBe(200);
    await tell(paymentId, captured);
    await tell(paymentId, { ...captured, status: 'AUTHORISED' });
    await dealtWith(paymentId, 2);
    expect(await merchant.status(paymentId)).toMatchObject({
      transactionStatus: 'captured',
      amounts: { captured: '10.00' },
    });
    expect(await movesTo(paymentId, 'authorized')).toBeLessThanOrEqual(1);
  });

  test('callbacks that are sent twice, lost and sent again, delayed and out of order change nothing twice', async () => {
    for (const fault of ['duplicate', 'close_after', 'status_500', 'delay', 'reorder'])
      await simulator.fault('callback', fault, { delayMs: fault === 'delay' ? 300 : 0 });
    const payments = await Promise.all(Array.from({ length: 5 }, () => merchant.paid(CARDS.frictionless)));
    for (const { paymentId } of payments) {
      await dealtWith(paymentId, 1);
      expect(await movesTo(paymentId, 'captured')).toBe(1);
    }
    await until('every fault has struck', async () => (await simulator.faultsLeft()).length === 0);
  });
});

test('after all of it the books are in order', async () => {
  await until('nothing is open', async () => (await auditOf(place.stack)).open === 0);
  const audit = await auditOf(place.stack);
  expect(audit.compared).toBeGreaterThan(25);
  expect(audit.findings).toEqual([]);
  expect(await outOfBalance(place.actors)).toEqual([]);
});
