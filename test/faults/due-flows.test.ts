import { CAPTURED, CARDS, challenge, type Json, until } from '../e2e/client';
import { killProcesses } from './kill';
import { platformWithFlows, standingOf } from './without-flow';

/** `PAYMENT_FLOWS=due`: callbacks take their step without a flow, and one comes when there is something for it to do. */

const place = platformWithFlows('due', {
  PAYER_ACTION_TTL_MS: '60000',
  PAYER_INQUIRY_FIRST_MS: '4000',
});

const BACK = { returnUrl: 'https://shop.example/back' };

const standing = (paymentId: string) => standingOf(place, paymentId);
const challenged = async (): Promise<Json> => {
  const { status, body } = await place.actors.merchant.pay(CARDS.challenge, BACK);
  expect([status, body.data.transactionStatus]).toEqual([202, 'requires_action']);
  return body.data;
};
const chargedOnce = async (paymentId: string): Promise<void> => {
  await place.actors.merchant.until(paymentId, ...CAPTURED);
  expect(await place.actors.simulator.charges(paymentId)).toMatchObject([{ captured: '10.00' }]);
};

test('a payer who answers needs no flow, also while the engine is away', async () => {
  place.stack.kill('temporal', 'SIGSTOP');
  let paymentIds: string[];
  try {
    const payments = await Promise.all([1, 2, 3].map(challenged));
    paymentIds = payments.map(({ paymentId }) => paymentId);
    await Promise.all(payments.map(({ action }) => challenge(action.url, 'authenticated')));
    await Promise.all(paymentIds.map(chargedOnce));
  } finally {
    place.stack.kill('temporal', 'SIGCONT');
  }
  for (const paymentId of paymentIds) {
    expect(await standing(paymentId)).toBe('none');
    const events = await place.actors.merchant.events(paymentId);
    expect(events.map(({ to }) => to)).toEqual(['initiated', 'requires_action', 'captured']);
  }
});

test('a payer who does not answer: a flow comes when the processor is to be asked, and hears the callback then', async () => {
  const { paymentId, action } = await challenged();
  expect(await standing(paymentId)).toBe('none');
  await until('a flow', async () => (await standing(paymentId)) === 'running');
  await challenge(action.url, 'authenticated');
  await chargedOnce(paymentId);
  await until('its flow has ended', async () => (await standing(paymentId)) === 'ended');
});

test('a capture and a cancellation by hand bring a flow', async () => {
  const { merchant, simulator } = place.actors;
  const [held, unwanted] = await Promise.all(
    [1, 2].map(async () => (await merchant.pay(CARDS.visa, { capture: 'manual' })).body.data.paymentId),
  );
  expect([await standing(held), await standing(unwanted)]).toEqual(['none', 'none']);
  expect((await merchant.capture(held)).body.data.transactionStatus).toBe('captured');
  expect((await merchant.cancel(unwanted)).body.data.transactionStatus).toBe('cancelled');
  expect(await simulator.charges(unwanted)).toMatchObject([{ captured: '0.00', status: 'cancelled' }]);
  for (const id of [held, unwanted]) await until('its flow has ended', async () => (await standing(id)) === 'ended');
});

test('a processor that is too slow for the callback: a flow asks it, and there is one charge', async () => {
  const { simulator } = place.actors;
  const { paymentId, action } = await challenged();
  await simulator.fault('authorize', 'delay', { times: 1, delayMs: 3_000 });
  await challenge(action.url, 'authenticated');
  await chargedOnce(paymentId);
});

test('killed while the processor works on the callback: it is heard again, and there is one charge', async () => {
  const { simulator } = place.actors;
  const payments = await Promise.all([1, 2, 3].map(challenged));
  await simulator.fault('authorize', 'delay', { times: 3, delayMs: 1_200 });
  for (const { action } of payments) await challenge(action.url, 'authenticated');
  await until('all are at the processor', async () => (await simulator.faultsLeft()).length === 0);
  await killProcesses(place.stack, ['tillway-api', 'tillway-worker']);
  for (const { paymentId } of payments) await chargedOnce(paymentId);
});

test('a cancellation while the processor works on the callback: the payer is charged once, or not at all', async () => {
  const { merchant, simulator } = place.actors;
  const { paymentId, action } = await challenged();
  await simulator.fault('authorize', 'delay', { times: 1, delayMs: 1_000 });
  await challenge(action.url, 'authenticated');
  await until('it is at the processor', async () => (await simulator.faultsLeft()).length === 0);
  await merchant.cancel(paymentId);
  const { transactionStatus } = await merchant.until(paymentId, 'cancelled', ...CAPTURED);
  const kept = transactionStatus === 'cancelled' ? 0 : 10;
  const charges = await until('the processor agrees', async () => {
    const all = await simulator.charges(paymentId);
    return Number(all[0]!.captured) - Number(all[0]!.refunded) === kept && all;
  });
  expect(charges).toHaveLength(1);
});
