import { sharedStack } from '../setup/stack';
import {
  type Actors,
  actorsOf,
  CARDS,
  type Caller,
  type Json,
  outOfBalance,
  receiptsOf,
  secondOperator,
  send,
  signedByA,
  transfersOf,
  until,
} from './client';

/** What operators do about payments and refunds through the API, alone and by two. */

const { credentials } = sharedStack();
const BASE = '/ops/1.0.0/interventions';
let actors: Actors;
/** Two operators. */
let ann: Caller;
let bob: Caller;

beforeAll(async () => {
  actors = await actorsOf(credentials);
  ann = actors.ops;
  bob = await secondOperator(actors);
});
afterAll(async () => expect(await outOfBalance(actors)).toEqual([]));

const reason = 'Seen in the portal of A, case 4711.';
const order = (operator: Caller, body: object) => operator.post(BASE, { reason, ...body });
const object = async (objectId: string): Promise<Json> => (await ann.get(`/ops/1.0.0/objects/${objectId}`)).body;
const ended = (interventionId: string): Promise<Json> =>
  until('the end of the intervention', async () => {
    const { body } = await ann.get(`${BASE}/${interventionId}`);
    return body.status === 'ordered' ? undefined : body;
  });

/** A payment whose processor took the money and does not tell. */
async function unknownPayment(amount: string): Promise<string> {
  const { body } = await actors.merchant.pay(CARDS.neverAnswers, { amount });
  const { paymentId } = body.data;
  await actors.simulator.fault('inquiry', 'status_500', { times: 1_000, reference: paymentId });
  await actors.simulator.fault('callback', 'drop', { times: 1_000, reference: paymentId });
  await until('an unknown outcome', async () => (await object(paymentId)).outcomeUnknown);
  return paymentId;
}

test('an operator resolves a payment whose outcome is unknown, under its own name and with a reason', async () => {
  const paymentId = await unknownPayment('10.00');
  expect(await object(paymentId)).toMatchObject({
    kind: 'payment',
    workflowId: `payment/${paymentId}`,
    tenantId: credentials.tenantId,
    possibleActs: ['ask_again', 'cancel', 'resolve'],
  });
  const body = { objectId: paymentId, act: 'resolve', outcome: 'captured', processorReference: 'ch_by_telephone' };
  const ordered = await order(ann, body);
  expect(ordered).toMatchObject({ status: 202, body: { objectId: paymentId, act: 'resolve', reason } });
  expect(await ended(ordered.body.interventionId)).toMatchObject({ status: 'done', detail: 'The outcome is booked.' });
  await actors.merchant.until(paymentId, 'captured', 'settled');
  const operator = ordered.body.orderedBy;
  expect(operator).toMatch(/^(cli|usr)_|^ops/);
  expect(await actors.merchant.events(paymentId)).toContainEqual(
    expect.objectContaining({ cause: `operator ${operator}: resolve_unknown`, detail: reason }),
  );
  expect(await transfersOf(actors, paymentId)).toHaveLength(1);
  expect((await order(ann, { objectId: paymentId, act: 'cancel' })).status).toBe(409);
});

test('above the limit a second operator has to confirm; nobody else can, and nothing happens before', async () => {
  const paymentId = await unknownPayment('1000.01');
  const proposed = await order(ann, { objectId: paymentId, act: 'resolve', outcome: 'nothing_charged' });
  expect(proposed.body).toMatchObject({ status: 'proposed', amount: '1000.01' });
  const { interventionId } = proposed.body;
  expect((await order(bob, { objectId: paymentId, act: 'cancel' })).status).toBe(409);
  expect((await ann.post(`${BASE}/${interventionId}/confirm`)).status).toBe(403);
  expect((await actors.merchant.post(`${BASE}/${interventionId}/confirm`)).status).toBe(403);
  expect((await object(paymentId)).outcomeUnknown).toBe(true);
  const confirmed = await bob.post(`${BASE}/${interventionId}/confirm`);
  expect(confirmed.body).toMatchObject({ confirmedBy: expect.any(String) });
  expect(confirmed.body.confirmedBy).not.toBe(proposed.body.orderedBy);
  expect(await ended(interventionId)).toMatchObject({ status: 'done' });
  await actors.merchant.until(paymentId, 'failed');
  expect((await bob.post(`${BASE}/${interventionId}/confirm`)).status).toBe(409);
});

test('a proposal can be withdrawn, and made again by another operator', async () => {
  const paymentId = await unknownPayment('2000.00');
  const first = (await order(ann, { objectId: paymentId, act: 'cancel' })).body;
  expect((await bob.post(`${BASE}/${first.interventionId}/withdraw`)).status).toBe(400);
  const withdrawn = await bob.post(`${BASE}/${first.interventionId}/withdraw`, { reason: 'wait for the bank' });
  expect(withdrawn.body).toMatchObject({ status: 'withdrawn', detail: 'Withdrawn: wait for the bank' });
  const second = (await order(bob, { objectId: paymentId, act: 'resolve', outcome: 'captured' })).body;
  expect((await ann.post(`${BASE}/${second.interventionId}/confirm`)).status).toBe(200);
  await actors.merchant.until(paymentId, 'captured', 'settled');
  const listed = (await ann.get(`${BASE}?objectId=${paymentId}`)).body.data;
  expect(listed.map((row: Json) => row.status)).toEqual([expect.stringMatching(/ordered|done/), 'withdrawn']);
});

test('an act needs a reason, an outcome where it resolves, and an object that allows it', async () => {
  const { body } = await actors.merchant.pay(CARDS.visa, { capture: 'manual' });
  const { paymentId } = body.data;
  expect((await ann.post(BASE, { objectId: paymentId, act: 'cancel' })).status).toBe(400);
  expect((await order(ann, { objectId: paymentId, act: 'resolve' })).status).toBe(400);
  expect((await order(ann, { objectId: paymentId, act: 'cancel', outcome: 'captured' })).status).toBe(400);
  expect((await order(ann, { objectId: paymentId, act: 'resolve', outcome: 'captured' })).status).toBe(409);
  expect((await order(ann, { objectId: 'pay_nothing', act: 'cancel' })).status).toBe(404);
  const cancelled = (await order(ann, { objectId: paymentId, act: 'cancel' })).body;
  await actors.merchant.until(paymentId, 'cancelled');
  expect(await ended(cancelled.interventionId)).toMatchObject({ status: 'done' });
});

test('the same order under one key is one intervention', async () => {
  const { body } = await actors.merchant.pay(CARDS.challenge);
  const { paymentId } = body.data;
  const key = { 'Idempotency-Key': `again-${paymentId}` };
  const asked = () => ann.post(BASE, { objectId: paymentId, act: 'ask_again', reason }, key);
  const [first, second] = [await asked(), await asked()];
  expect(second.body.interventionId).toBe(first.body.interventionId);
  await ended(first.body.interventionId);
  const acts = (await actors.merchant.events(paymentId)).filter(({ cause }) => cause.endsWith(': retry_now'));
  expect(acts).toHaveLength(1);
});

test('an operator says how a refund ended that its processor does not tell', async () => {
  const { body } = await actors.merchant.pay(CARDS.visa);
  const { paymentId } = body.data;
  await actors.merchant.until(paymentId, 'captured', 'settled');
  await actors.simulator.fault('refund', 'status_500', { times: 1_000, reference: paymentId });
  await actors.simulator.fault('inquiry', 'status_500', { times: 1_000, reference: paymentId });
  const refunded = await actors.merchant.refund(paymentId, { amount: '4.00' });
  const { refundId } = refunded.body.data.refund ?? refunded.body.data;
  await until('an unknown refund', async () => (await object(refundId)).outcomeUnknown);
  const ordered = (await order(ann, { objectId: refundId, act: 'resolve', outcome: 'captured' })).status;
  expect(ordered).toBe(400);
  const resolved = (await order(ann, { objectId: refundId, act: 'resolve', outcome: 'not_refunded' })).body;
  expect(await ended(resolved.interventionId)).toMatchObject({ status: 'done' });
  expect(await object(refundId)).toMatchObject({ kind: 'refund', status: 'declined', possibleActs: [] });
});

test('late money that its processor does not give back is marked as returned, and leaves suspense', async () => {
  const { paymentId } = await actors.merchant.paid(CARDS.declined, {}, ['failed']);
  const claim = { reference: paymentId, status: 'CAPTURED', amount: '10.00', currency: 'EUR', paymentId: 'p' };
  const signed = signedByA(credentials.processorSecrets.a, claim);
  expect((await send(`${credentials.apiUrl}/callbacks/processor_a`, signed)).status).toBe(200);
  const { receiptId } = await until('the processor refuses to give it back', async () => {
    const [one] = await receiptsOf(actors, paymentId);
    return one?.status === 'refused' && one;
  });
  const work = (await ann.get(`/ops/1.0.0/worklist?kind=receipt&limit=200`)).body.data;
  expect(work).toContainEqual(
    expect.objectContaining({ objectId: receiptId, acts: [expect.objectContaining({ act: 'mark_returned' })] }),
  );
  expect((await order(ann, { objectId: receiptId, act: 'ask_again' })).status).toBe(409);
  const marked = await order(ann, { objectId: receiptId, act: 'mark_returned' });
  expect(marked.body).toMatchObject({ status: 'done', objectKind: 'receipt' });
  expect(await object(receiptId)).toMatchObject({ status: 'returned', possibleActs: [] });
  expect(await transfersOf(actors, receiptId)).toHaveLength(2);
  expect((await order(bob, { objectId: receiptId, act: 'mark_returned' })).status).toBe(409);
});

test('the processor of an open dispute is asked at once', async () => {
  const { paymentId } = await actors.merchant.paid(CARDS.chargedBack, { amount: '55.17' });
  await actors.merchant.until(paymentId, 'charged_back');
  const [{ disputeId }] = (await ann.get(`/ops/1.0.0/disputes?paymentId=${paymentId}`)).body.data;
  const ordered = (await order(ann, { objectId: disputeId, act: 'ask_again' })).body;
  expect(await ended(ordered.interventionId)).toMatchObject({ status: 'done', objectKind: 'dispute' });
  expect((await object(disputeId)).workflowId).toMatch(/^dispute\/a\//);
});
