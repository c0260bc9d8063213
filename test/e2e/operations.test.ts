import { Client, Connection } from '@temporalio/client';
import { sharedStack } from '../setup/stack';
import {
  type Actors,
  actorsOf,
  CAPTURED,
  CARDS,
  challenge,
  type Json,
  type Merchant,
  PAYMENTS,
  receiptsOf,
  until,
} from './client';

/** Captures and cancellations through everything that may happen to them on their way. */

const { credentials } = sharedStack();
let actors: Actors;
let merchant: Merchant;
let connection: Connection;
let engine: Client;

beforeAll(async () => {
  actors = await actorsOf(credentials);
  merchant = actors.merchant;
  connection = await Connection.connect({ address: credentials.temporalAddress });
  engine = new Client({ connection });
});
afterAll(() => connection.close());

const authorized = () => merchant.paid(CARDS.visa, { capture: 'manual' }, ['authorized']);
const chargesOf = (paymentId: string) => actors.simulator.charges(paymentId);
const endFlow = (paymentId: string) => engine.workflow.getHandle(`payment/${paymentId}`).terminate('lost, for a test');

describe.each(['status_429', 'close_before'])('a capture that meets %s', (fault) => {
  test.concurrent('stays pending, is sent again, and its end is told', async () => {
    const { paymentId } = await authorized();
    await actors.simulator.fault('capture', fault, { times: 2, reference: paymentId });
    const { status, body } = await merchant.capture(paymentId);
    expect([status, body.data.transactionStatus]).toEqual([202, 'authorized']);
    // One at a time: what was accepted is carried out.
    expect((await merchant.cancel(paymentId)).body.code).toBe('invalid_state');
    await merchant.until(paymentId, ...CAPTURED);
    expect(await chargesOf(paymentId)).toMatchObject([{ captured: '10.00' }]);
  });
});

describe.each(['status_429', 'close_before', 'close_after', 'status_500'])('a cancellation that meets %s', (fault) => {
  test.concurrent('of an authorized payment is carried to its end', async () => {
    const { paymentId } = await authorized();
    await actors.simulator.fault('capture', fault, { times: 2, reference: paymentId });
    expect([200, 202]).toContain((await merchant.cancel(paymentId)).status);
    await merchant.until(paymentId, 'cancelled');
    expect(await chargesOf(paymentId)).toMatchObject([{ status: 'cancelled', captured: '0.00' }]);
  });

  test.concurrent('before authorization: the payer can no longer be charged', async () => {
    const { paymentId, action } = await merchant.paid(CARDS.challenge, {}, ['requires_action']);
    await actors.simulator.fault('capture', fault, { times: 2, reference: paymentId });
    expect([200, 202]).toContain((await merchant.cancel(paymentId)).status);
    await merchant.until(paymentId, 'cancelled');
    await challenge(action.url, 'authenticated');
    const [charge] = await chargesOf(paymentId);
    expect([charge.captured, charge.refunded]).toEqual(['0.00', '0.00']);
  });
});

test('a cancellation that the processor cannot read leaves the payment as it is, and says so', async () => {
  const { paymentId } = await authorized();
  await actors.simulator.fault('capture', 'status_400', { times: 1, reference: paymentId });
  const { body } = await merchant.cancel(paymentId);
  expect(body.data).toMatchObject({
    transactionStatus: 'authorized',
    status: { detail: expect.stringContaining('refused') },
  });
  expect((await merchant.cancel(paymentId)).body.data.transactionStatus).toBe('cancelled');
});

test('a payer who pays while a cancellation is on its way gets the money back', async () => {
  const { paymentId, action } = await merchant.paid(CARDS.challenge, {}, ['requires_action']);
  await actors.simulator.fault('capture', 'close_before', { times: 1, reference: paymentId });
  const [cancelled] = await Promise.all([merchant.cancel(paymentId), challenge(action.url, 'authenticated')]);
  expect([200, 202, 409]).toContain(cancelled.status);
  if (cancelled.status === 409) return;
  await merchant.until(paymentId, 'cancelled');
  await until('nothing is kept', async () => {
    const [charge] = await chargesOf(paymentId);
    return charge.captured === charge.refunded;
  });
  await until('all of it is written down as returned', async () =>
    (await receiptsOf(actors, paymentId)).every(({ status }) => status === 'returned'),
  );
});

test('a cancellation that races the authorization is never overtaken by it', async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 12 }, async (_, n) => {
      await actors.simulator.fault('authorize', 'delay', { times: 1, delayMs: 100 });
      const merchantTransactionId = `race-${n}-${Date.now()}`;
      const paying = merchant.pay(CARDS.visa, { merchantTransactionId });
      const paymentId = await until('the payment is there', async () => {
        const found = (await merchant.get(`${PAYMENTS}?limit=200`)).body.data.find(
          (payment: Json) => payment.merchantTransactionId === merchantTransactionId,
        );
        return found?.paymentId;
      });
      const cancelled = await merchant.cancel(paymentId);
      await paying;
      return { paymentId, status: cancelled.status };
    }),
  );
  for (const { paymentId, status } of outcomes) {
    if (status === 409) continue;
    await merchant.until(paymentId, 'cancelled');
    await until(`${paymentId} keeps nothing`, async () =>
      (await chargesOf(paymentId)).every((charge) => charge.captured === charge.refunded),
    );
  }
});

describe('a payment whose flow is gone', () => {
  test('takes a capture', async () => {
    const { paymentId } = await authorized();
    await endFlow(paymentId);
    expect([200, 202]).toContain((await merchant.capture(paymentId)).status);
    await merchant.until(paymentId, ...CAPTURED);
    expect(await chargesOf(paymentId)).toMatchObject([{ captured: '10.00' }]);
  });

  test('takes a cancellation', async () => {
    const { paymentId } = await merchant.paid(CARDS.challenge, {}, ['requires_action']);
    await endFlow(paymentId);
    expect([200, 202]).toContain((await merchant.cancel(paymentId)).status);
    await merchant.until(paymentId, 'cancelled');
  });

  test('hears of its payer', async () => {
    const { paymentId, action } = await merchant.paid(CARDS.challenge, {}, ['requires_action']);
    await endFlow(paymentId);
    await challenge(action.url, 'authenticated');
    await merchant.until(paymentId, ...CAPTURED);
  });

  test('hears of its refund', async () => {
    const { paymentId } = await merchant.paid(CARDS.refundDeclined);
    const { body } = await merchant.refund(paymentId);
    const { refundId } = body.data.refund;
    await engine.workflow.getHandle(`refund/${refundId}`).terminate('lost, for a test');
    await until('the refund has ended', async () => (await merchant.refunds(paymentId))[0].status === 'declined');
  });
});
