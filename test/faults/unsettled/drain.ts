import { CAPTURED, CARDS, type Json, type Reply, transactionId, until } from '../../e2e/client';
import { auditOf, ready } from '../inside';
import { place } from './place';

/** A request in flight, and how to send it again under its key. */
interface InFlight {
  send(): Promise<Reply>;
  reply: Promise<Reply | undefined>;
}

function begin(send: () => Promise<Reply>): InFlight {
  return { send, reply: send().catch(() => undefined) };
}

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

/**
 * Fifty: payments that the processor takes 1.5 s for, or charges without ever answering, and captures, cancellations and
 * refunds that it takes its time for.
 */
async function fiftyInFlight() {
  const { merchant, simulator } = place.actors;
  const held = (count: number) =>
    Promise.all(times(count, () => merchant.paid(CARDS.visa, { capture: 'manual' }, ['authorized'])));
  const [toCapture, toCancel, toRefund] = await Promise.all([
    held(4),
    held(4),
    Promise.all(times(6, () => merchant.paid(CARDS.visa))),
  ]);
  const pay = (card: string) => {
    const order = merchant.order(card);
    const key = { 'idempotency-key': transactionId() };
    return begin(() => merchant.post('/payments/h2h/1', order, key));
  };
  const keyed = (work: (key: string) => Promise<Reply>) => {
    const key = transactionId();
    return begin(() => work(key));
  };
  const charged = (await simulator.allCharges()).length;
  const silent = times(8, () => pay(CARDS.neverAnswers));
  await until('they are charged', async () => (await simulator.allCharges()).length === charged + silent.length);
  const faults = { authorize: 28, capture: 8, refund: 6 };
  for (const [on, times] of Object.entries(faults)) await simulator.fault(on, 'delay', { times, delayMs: 1_500 });
  const delayed = times(28, () => pay(CARDS.visa));
  const operations = [
    ...toCapture.map(({ paymentId }: Json) => keyed((key) => merchant.capture(paymentId, { amount: '6.00' }, key))),
    ...toCancel.map(({ paymentId }: Json) => keyed((key) => merchant.cancel(paymentId, key))),
    ...toRefund.map(({ paymentId }: Json) => keyed((key) => merchant.refund(paymentId, { amount: '4.00' }, key))),
  ];
  await until('the processor works on them', async () => (await simulator.faultsLeft()).length === 0);
  return { payments: [...delayed, ...silent], operations, toCapture, toCancel, toRefund };
}

/** The answer to a request that is sent once more under its key, when the first is no longer at work. */
const again = ({ send }: InFlight) =>
  until('the repeat is answered', async () => {
    const reply = await send().catch(() => undefined);
    return reply && reply.status < 500 && reply.status !== 409 && reply;
  });

/** Ends one process gently; the supervisor brings it back. */
async function drain(name: string): Promise<void> {
  const before = place.stack.pidOf(name);
  place.stack.kill(name, 'SIGTERM');
  await until(`${name} is back`, async () => ![undefined, before].includes(place.stack.pidOf(name)));
  expect(place.stack.output()).toContain(`${name} ended with code 0; starting it again`);
}

async function drainAll(): Promise<void> {
  const { stop, output, restart } = place.stack;
  const ended = await stop();
  place.stack = await restart();
  expect(ended).toMatchObject({ code: 0 });
  // Engine and Postgres have seconds, and may need more on a busy machine: nothing is at work by then.
  expect(output()).not.toMatch(/tillway-\w+ did not end/);
}

test.each([
  ['the API', () => drain('tillway-api')],
  ['the worker', () => drain('tillway-worker')],
  ['the whole platform', drainAll],
])('fault 16: SIGTERM to %s with 50 in flight: drained, none lost, none doubled', async (_, end) => {
  const { merchant, simulator } = place.actors;
  const chargedBefore = (await simulator.allCharges()).length;
  const { payments, operations, toCapture, toCancel, toRefund } = await fiftyInFlight();
  expect(payments.length + operations.length).toBe(50);
  await end();
  const replies = await Promise.all([...payments, ...operations].map(({ reply }) => reply));
  await ready(place.stack);

  // Every request that was in flight was answered: drained, not cut off.
  expect(replies.map((reply) => reply?.status).filter((status) => !status || status > 202)).toEqual([]);
  const ids: string[] = [];
  for (const [index, request] of payments.entries()) {
    const { body } = await again(request);
    expect(body.data.paymentId).toBe(replies[index]?.body.data.paymentId);
    ids.push(body.data.paymentId);
  }
  expect(new Set(ids).size).toBe(payments.length);
  for (const id of ids) {
    await merchant.until(id, ...CAPTURED);
    expect(await simulator.charges(id)).toMatchObject([{ captured: '10.00' }]);
  }

  await Promise.all(operations.map(again));
  for (const { paymentId } of toCapture)
    expect(await merchant.until(paymentId, 'captured')).toMatchObject({ amounts: { captured: '6.00' } });
  for (const { paymentId } of toCancel)
    expect(await merchant.until(paymentId, 'cancelled')).toMatchObject({ amounts: { captured: '0.00' } });
  for (const { paymentId } of toRefund) {
    const refunded = await merchant.until(paymentId, 'partially_refunded');
    expect(refunded).toMatchObject({ amounts: { captured: '10.00', refunded: '4.00' } });
    expect(await simulator.charges(paymentId)).toMatchObject([{ captured: '10.00', refunded: '4.00' }]);
  }

  const others = toCapture.length + toCancel.length + toRefund.length;
  expect(await simulator.allCharges()).toHaveLength(chargedBefore + payments.length + others);
  expect(await auditOf(place.stack)).toMatchObject({ open: 0, findings: [] });
});
