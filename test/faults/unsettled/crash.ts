import { CAPTURED, CARDS, type Reply, transactionId, until } from '../../e2e/client';
import { auditOf, byTransaction } from '../inside';
import { killWorkers } from './kill';
import { place } from './place';

const lost = (): undefined => undefined;

/** Sends without waiting; answers undefined for what the crash cut off. */
const begin = (requests: Promise<Reply>[]) => Promise.all(requests.map((request) => request.catch(lost)));

test('fault 1: killed between the processor’s charge and our entry: one charge, books balanced, payment finished', async () => {
  const { merchant, simulator } = place.actors;
  // Some charge when we are dead already, some when we have not heard of it yet.
  const orders = [CARDS.visa, CARDS.visa, CARDS.visa, CARDS.visa, CARDS.neverAnswers, CARDS.neverAnswers].map((card) =>
    merchant.order(card),
  );
  await simulator.fault('authorize', 'delay', { times: 4, delayMs: 1_200 });
  const delayed = begin(orders.slice(0, 4).map((order) => merchant.post('/payments/h2h/1', order)));
  await until('four are at the processor', async () => (await simulator.faultsLeft()).length === 0);
  const silent = begin(orders.slice(4).map((order) => merchant.post('/payments/h2h/1', order)));
  const charged = async () => (await simulator.allCharges()).filter(({ captured }) => captured === '10.00').length;
  await until('two are charged', async () => (await charged()) >= 2);
  expect(await charged()).toBeLessThan(orders.length);
  await killWorkers();
  expect((await delayed).filter(Boolean)).toEqual([]);
  expect((await silent).filter(Boolean)).toEqual([]);

  for (const { merchantTransactionId } of orders) {
    const payment = await until('finished', async () => {
      const found = await byTransaction(place.actors, merchantTransactionId);
      return CAPTURED.includes(found?.transactionStatus) && found;
    });
    expect(await simulator.charges(payment.paymentId)).toMatchObject([{ captured: '10.00' }]);
    expect(await merchant.events(payment.paymentId)).toHaveLength(
      (await merchant.events(payment.paymentId)).filter(({ from, to }) => from !== to).length,
    );
  }
  const audit = await auditOf(place.stack);
  expect(audit.compared).toBe(orders.length);
  expect(audit).toMatchObject({ open: 0, findings: [] });
});

test('the request and its flow take one first step between them: it is sent once, and nobody asks', async () => {
  const { merchant, simulator } = place.actors;
  // Long enough for the flow to come to the step as well.
  await simulator.fault('authorize', 'delay', { times: 1, delayMs: 500 });
  const { paymentId } = await merchant.paid(CARDS.visa);
  const { body } = await merchant.get(`/ipg/1.0.0/payment/payments/${paymentId}/attempts`);
  expect(body.data).toMatchObject([{ operations: [{ kind: 'authorize', sends: 1 }] }]);
});

test('fault 1, for captures, cancellations and refunds: each happens once', async () => {
  const { merchant, simulator } = place.actors;
  const [toCapture, toCancel] = await Promise.all(
    [1, 2].map(() => merchant.paid(CARDS.visa, { capture: 'manual' }, ['authorized'])),
  );
  const toRefund = await merchant.paid(CARDS.visa);
  await simulator.fault('capture', 'delay', { times: 2, delayMs: 1_200 });
  await simulator.fault('refund', 'delay', { times: 1, delayMs: 1_200 });
  const replies = begin([
    merchant.capture(toCapture.paymentId, { amount: '6.00' }),
    merchant.cancel(toCancel.paymentId),
    merchant.refund(toRefund.paymentId, { amount: '4.00' }),
  ]);
  await until('all are at the processor', async () => (await simulator.faultsLeft()).length === 0);
  await killWorkers();
  expect((await replies).filter(Boolean)).toEqual([]);
  expect(await merchant.until(toCapture.paymentId, 'captured')).toMatchObject({ amounts: { captured: '6.00' } });
  expect(await merchant.until(toCancel.paymentId, 'cancelled')).toMatchObject({ amounts: { captured: '0.00' } });
  expect(await merchant.until(toRefund.paymentId, 'partially_refunded')).toMatchObject({
    amounts: { refunded: '4.00' },
  });
  expect(await simulator.charges(toCapture.paymentId)).toMatchObject([{ captured: '6.00' }]);
  expect(await simulator.charges(toCancel.paymentId)).toMatchObject([{ captured: '0.00', status: 'cancelled' }]);
  expect(await simulator.charges(toRefund.paymentId)).toMatchObject([{ captured: '10.00', refunded: '4.00' }]);
  expect(await auditOf(place.stack)).toMatchObject({ open: 0, findings: [] });
});

test('fault 9: the API killed after it committed: the repeat gets the same payment, charged once', async () => {
  const { merchant, simulator } = place.actors;
  const order = merchant.order(CARDS.visa);
  const key = { 'idempotency-key': transactionId() };
  await simulator.fault('authorize', 'delay', { times: 1, delayMs: 1_200 });
  const first = merchant.post('/payments/h2h/1', order, key).catch(lost);
  await until('it is at the processor', async () => (await simulator.faultsLeft()).length === 0);
  const accepted = await byTransaction(place.actors, order.merchantTransactionId);
  expect(accepted?.paymentId).toMatch(/^pay_/);
  await killWorkers(['tillway-api']);
  expect(await first).toBeUndefined();
  const repeat = () =>
    until('the repeat is answered', async () => {
      const reply = await merchant.post('/payments/h2h/1', order, key).catch(lost);
      return reply && reply.status !== 409 && reply;
    });
  const second = await repeat();
  expect([201, 202]).toContain(second.status);
  expect(second.body.data.paymentId).toBe(accepted.paymentId);
  await merchant.until(accepted.paymentId, ...CAPTURED);
  const third = await repeat();
  expect([third.status, third.body]).toEqual([second.status, second.body]);
  expect(third.headers.get('idempotent-replayed')).toBe('true');
  expect(await simulator.charges(accepted.paymentId)).toMatchObject([{ captured: '10.00' }]);
  expect(await auditOf(place.stack)).toMatchObject({ open: 0, findings: [] });
});
