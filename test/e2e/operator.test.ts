import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { createDataConverter } from '../../src/foundation/temporal/data-converter';
import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, CARDS, type Json, transfersOf, until } from './client';

/** What somebody reaches who sends to the engine directly, past the API: a line in the audit log, and an inquiry. */

const { credentials, home } = sharedStack();
const INTERVENTIONS = '/ops/1.0.0/interventions';
let actors: Actors;
let connection: Connection;
/** Without our codec, as from the tools of the engine. */
let stranger: Client;
/** With our keys, as somebody who has stolen them. */
let insider: Client;

beforeAll(async () => {
  actors = await actorsOf(credentials);
  connection = await Connection.connect({ address: credentials.temporalAddress });
  stranger = new Client({ connection });
  const { CODEC_KEYS } = JSON.parse(readFileSync(join(home, 'secrets.json'), 'utf8'));
  insider = new Client({ connection, dataConverter: createDataConverter(CODEC_KEYS) });
});
afterAll(() => connection.close());

const flowOf = (engine: Client, paymentId: string) => engine.workflow.getHandle(`payment/${paymentId}`);
const note = { operator: 'olga', reason: 'seen in the portal of A' };

/** What was sent past the API about a payment, once there are so many lines. */
const recorded = (paymentId: string, count: number): Promise<Json[]> =>
  until(`${count} lines in the audit log`, async () => {
    const { body } = await actors.ops.get(`/identity/1.0.0/audit?target=${paymentId}`);
    const lines = body.data.filter(({ actor }: Json) => actor === 'engine').reverse();
    return lines.length >= count ? lines : undefined;
  });

/** A payment whose processor took the money and does not tell. */
async function unknownPayment(amount = '10.00'): Promise<string> {
  const { body } = await actors.merchant.pay(CARDS.neverAnswers, { amount });
  const { paymentId } = body.data;
  await actors.simulator.fault('inquiry', 'status_500', { times: 1_000, reference: paymentId });
  await actors.simulator.fault('callback', 'drop', { times: 1_000, reference: paymentId });
  await until('an unknown outcome', async () => (await objectOf(paymentId)).outcomeUnknown);
  return paymentId;
}

const objectOf = async (paymentId: string): Promise<Json> =>
  (await actors.ops.get(`/ops/1.0.0/objects/${paymentId}`)).body;
const order = (objectId: string, act: object) =>
  actors.ops.post(INTERVENTIONS, { objectId, reason: note.reason, ...act });

test('an outcome that is sent to the engine is recorded and not believed, with our keys or without', async () => {
  const paymentId = await unknownPayment();
  await flowOf(stranger, paymentId).signal('resolveUnknown', { ...note, outcome: 'captured' });
  await flowOf(insider, paymentId).signal('resolveUnknown', { ...note, outcome: 'captured' });
  const [unread, read] = await recorded(paymentId, 2);
  const detail = { sentTo: 'engine', refused: expect.stringContaining('order it through the API') };
  // What we did not encrypt is not even read.
  expect(unread).toMatchObject({
    action: 'payment.resolve_unknown',
    result: 'refused',
    detail: { ...detail, claims: { operator: '', reason: '' } },
  });
  expect(read).toMatchObject({
    action: 'payment.resolve_unknown',
    result: 'refused',
    detail: { ...detail, claims: note },
  });
  expect(await objectOf(paymentId)).toMatchObject({ outcomeUnknown: true });
  expect(await transfersOf(actors, paymentId)).toEqual([]);
  const ordered = await order(paymentId, { act: 'resolve', outcome: 'captured' });
  expect(ordered.status).toBe(202);
  await actors.merchant.until(paymentId, 'captured', 'settled');
});

test('a proposal that waits for its second operator cannot be carried out by naming it to the engine', async () => {
  const paymentId = await unknownPayment('1000.01');
  const proposed = await order(paymentId, { act: 'resolve', outcome: 'nothing_charged' });
  const { interventionId } = proposed.body;
  expect(proposed.body.status).toBe('proposed');
  await flowOf(insider, paymentId).signal('resolveUnknown', { ...note, outcome: 'captured', interventionId });
  await flowOf(insider, paymentId).signal('cancelNow', { ...note, interventionId });
  expect((await recorded(paymentId, 2)).map(({ result }) => result)).toEqual(['refused', 'refused']);
  expect((await actors.ops.get(`${INTERVENTIONS}/${interventionId}`)).body.status).toBe('proposed');
  expect(await objectOf(paymentId)).toMatchObject({ outcomeUnknown: true });
  const withdrawn = await actors.ops.post(`${INTERVENTIONS}/${interventionId}/withdraw`, { reason: 'a test' });
  expect(withdrawn.status).toBe(200);
});

test("another payment's order, or another act's, carries nothing out", async () => {
  const { body } = await actors.merchant.pay(CARDS.visa, { capture: 'manual' });
  const { paymentId } = body.data;
  const other = (await actors.merchant.pay(CARDS.visa, { capture: 'manual' })).body.data.paymentId;
  const asked = await order(other, { act: 'ask_again' });
  const { interventionId } = asked.body;
  for (const id of [interventionId, 'int_unknown', { $ne: '' }, 'a\0b'])
    await flowOf(insider, paymentId).signal('cancelNow', { ...note, interventionId: id });
  await flowOf(insider, other).signal('cancelNow', { ...note, interventionId });
  expect((await recorded(paymentId, 4)).map(({ result }) => result)).toEqual(Array(4).fill('refused'));
  await recorded(other, 1);
  for (const id of [paymentId, other]) {
    expect(await actors.merchant.status(id)).toMatchObject({ transactionStatus: 'authorized' });
    await actors.merchant.cancel(id);
    await actors.merchant.until(id, 'cancelled');
  }
});

test('callbacks and updates that are not of the platform do not reach a flow, which goes on', async () => {
  const { body } = await actors.merchant.pay(CARDS.visa, { capture: 'manual' });
  const { paymentId } = body.data;
  await flowOf(stranger, paymentId).signal('callbackArrived', 'cin_forged');
  const forged = insider.workflow.getHandle(`payment/${paymentId}`);
  await expect(forged.executeUpdate('capture', { args: [{ operationId: 'cap_forged' }] })).rejects.toThrow();
  expect(await actors.merchant.status(paymentId)).toMatchObject({ transactionStatus: 'authorized' });
  await actors.merchant.capture(paymentId);
  await actors.merchant.until(paymentId, 'captured', 'settled');
});

test('a workflow that a stranger starts fails before it takes a step', async () => {
  const handle = await stranger.workflow.start('payment', {
    workflowId: `payment/pay_stranger${Date.now()}`,
    taskQueue: 'tillway',
    args: [{ paymentId: 'pay_1', tenantId: credentials.tenantId }],
  });
  await until('it has failed', async () => (await handle.describe()).status.name === 'FAILED');
  const { events } = await handle.fetchHistory();
  expect((events ?? []).filter(({ markerRecordedEventAttributes: marker }) => marker)).toEqual([]);
});

test('whoever asks to ask: the processor is asked, and who asked is recorded', async () => {
  const { body } = await actors.merchant.pay(CARDS.challenge);
  const { paymentId } = body.data;
  await flowOf(stranger, paymentId).signal('retryNow', note);
  expect(await recorded(paymentId, 1)).toMatchObject([{ action: 'payment.retry_now', result: 'accepted' }]);
  expect(await actors.merchant.status(paymentId)).toMatchObject({ transactionStatus: 'requires_action' });
});
