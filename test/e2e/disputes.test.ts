import { randomUUID } from 'node:crypto';
import { apiKeyFor } from '../../src/edge/processors/credentials';
import { sharedStack } from '../setup/stack';
import {
  type Actors,
  actorsOf,
  CAPTURED,
  CARDS,
  type Json,
  type Merchant,
  outOfBalance,
  send,
  signedByA,
  transfersOf,
  until,
} from './client';

const { credentials, apiUrl } = sharedStack();
const DISPUTES = '/disputes/1.0.0/disputes';
const PDF = {
  name: 'delivery-note.pdf',
  contentType: 'application/pdf',
  content: base64('%PDF-1.7 signed by the buyer'),
};
let actors: Actors;
let merchant: Merchant;

beforeAll(async () => {
  actors = await actorsOf(credentials);
  merchant = actors.merchant;
});
afterAll(async () => expect(await outOfBalance(actors)).toEqual([]));

function base64(text: string): string {
  return Buffer.from(text, 'latin1').toString('base64');
}

/** A captured payment that was charged back, and its dispute. */
async function disputed(amount = '10.00', order: object = {}): Promise<{ paymentId: string; disputeId: string }> {
  const { paymentId } = await merchant.paid(CARDS.visa, { amount });
  await actors.simulator.callback({ reference: paymentId, event: 'charged_back', ...order });
  const disputeId = await until('the dispute', async () => {
    const { body } = await merchant.get(`${DISPUTES}?paymentId=${paymentId}`);
    return body.data[0]?.disputeId;
  });
  return { paymentId, disputeId };
}

const read = async (disputeId: string): Promise<Json> => (await merchant.get(`${DISPUTES}/${disputeId}`)).body;
const order = (disputeId: string, what: string, body?: unknown, key = randomUUID()) =>
  merchant.post(`${DISPUTES}/${disputeId}/${what}`, body, { 'idempotency-key': key });
const evidence = (disputeId: string, text: string, documents: object[] = [PDF]) =>
  order(disputeId, 'evidence', { text, documents });
const reaches = (disputeId: string, status: string) =>
  until(`${disputeId} ${status}`, async () => {
    const dispute = await read(disputeId);
    return dispute.status === status && dispute;
  });
const stepsOf = async (disputeId: string): Promise<[string, string][]> =>
  (await merchant.get(`${DISPUTES}/${disputeId}/events`)).body.data.map(({ step, amount }: Json) => [step, amount]);
const causesOf = async (disputeId: string): Promise<string[]> =>
  (await transfersOf(actors, disputeId)).map(({ cause }) => cause.split('/')[1]);
const decided = (reference: string, event: string) => actors.simulator.callback({ reference, event });

test('evidence that convinces: the sandbox decides by itself, and the money is back', async () => {
  const { paymentId, disputeId } = await disputed();
  expect(await merchant.until(paymentId, 'charged_back')).toMatchObject({ result: { code: 130 } });
  const open = await read(disputeId);
  expect(open).toMatchObject({
    status: 'open',
    kind: 'chargeback',
    amount: '10.00',
    reason: 'GOODS_NOT_RECEIVED',
    secondPresentment: 'none',
  });
  const days = (Date.parse(open.evidenceDueAt) - Date.parse(open.createdAt)) / 86_400_000;
  expect(Math.round(days)).toBe(7);
  const { status, body } = await evidence(disputeId, 'It was delivered on Monday.');
  expect([status, body.status]).toEqual([201, 'evidence_submitted']);
  expect(body.evidence).toMatchObject([{ status: 'succeeded', documents: [{ name: PDF.name, sizeBytes: 28 }] }]);
  await reaches(disputeId, 'won');
  expect(await merchant.until(paymentId, ...CAPTURED)).toMatchObject({ amounts: { chargedBack: '0.00' } });
  expect(await stepsOf(disputeId)).toEqual([
    ['charged_back', '-10.00'],
    ['evidence_submitted', '0.00'],
    ['won', '10.00'],
  ]);
  expect(await causesOf(disputeId)).toEqual(['charged-back', 'won']);
});

test('evidence that does not convince: lost', async () => {
  const { paymentId, disputeId } = await disputed();
  expect((await evidence(disputeId, 'Please.', [])).status).toBe(201);
  await reaches(disputeId, 'lost');
  expect(await causesOf(disputeId)).toEqual(['charged-back']);
  expect(await merchant.status(paymentId)).toMatchObject({ transactionStatus: 'charged_back' });
});

test('a second presentment brings the money back, and a loss takes it again', async () => {
  const { paymentId, disputeId } = await disputed();
  expect((await order(disputeId, 'second-presentment')).status).toBe(409);
  await evidence(disputeId, 'Please.');
  const presented = await order(disputeId, 'second-presentment');
  expect([presented.status, presented.body.secondPresentment]).toEqual([200, 'submitted']);
  expect((await order(disputeId, 'second-presentment')).status).toBe(409);
  await decided(paymentId, 'second_presentment');
  await until('the money is back', async () => (await read(disputeId)).secondPresentment === 'accepted');
  expect(CAPTURED).toContain((await merchant.status(paymentId)).transactionStatus);
  const refund = await merchant.refund(paymentId);
  expect([refund.status, refund.body.code]).toEqual([422, 'refund_exceeds_captured']);
  await decided(paymentId, 'chargeback_lost');
  await reaches(disputeId, 'lost');
  expect(await causesOf(disputeId)).toEqual(['charged-back', 'second-presentment', 'lost']);
  expect(await merchant.status(paymentId)).toMatchObject({
    transactionStatus: 'charged_back',
    amounts: { chargedBack: '10.00' },
  });
});

test('won after a second presentment: the money stays, and can be refunded', async () => {
  const { paymentId, disputeId } = await disputed();
  await evidence(disputeId, 'Delivered, see the note.');
  await order(disputeId, 'second-presentment');
  await reaches(disputeId, 'won');
  expect(await causesOf(disputeId)).toEqual(['charged-back', 'second-presentment']);
  expect((await merchant.refund(paymentId)).status).toBe(201);
});

test('given up: lost at once, and nothing more can be ordered', async () => {
  const { disputeId } = await disputed();
  const { status, body } = await order(disputeId, 'accept');
  expect([status, body.status]).toEqual([200, 'lost']);
  for (const what of ['accept', 'second-presentment']) expect((await order(disputeId, what)).status).toBe(409);
  expect(await evidence(disputeId, 'Too late.')).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
});

test('the same order under one key is one order, also when the answer to the first was lost', async () => {
  const { paymentId, disputeId } = await disputed();
  await actors.simulator.fault('dispute', 'close_after', { reference: paymentId });
  const key = randomUUID();
  const body = { text: 'Please.', documents: [PDF] };
  const first = await order(disputeId, 'evidence', body, key);
  expect([201, 202]).toContain(first.status);
  const again = await order(disputeId, 'evidence', body, key);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  await until('the processor has it', async () => (await read(disputeId)).evidence[0].status === 'succeeded');
  expect((await read(disputeId)).evidence).toHaveLength(1);
  expect((await stepsOf(disputeId)).filter(([step]) => step === 'evidence_submitted')).toHaveLength(1);
});

test('decided at the processor, and the callback lost: the next order brings the news', async () => {
  const { paymentId, disputeId } = await disputed();
  await actors.simulator.fault('callback', 'drop', { times: 20, reference: paymentId });
  await evidence(disputeId, 'Please.');
  const { caseId } = await read(disputeId);
  const headers = { authorization: `Bearer ${apiKeyFor(credentials.processorSecrets.a)}` };
  await until('decided there', async () => {
    const { body } = await send(`${credentials.simulatorUrl}/a/v1/disputes/${caseId}`, { headers });
    return body.status === 'CHARGEBACK_CONFIRMED';
  });
  expect((await read(disputeId)).status).toBe('evidence_submitted');
  const { status, body } = await evidence(disputeId, 'More.');
  expect([status, body.message]).toEqual([409, 'The processor does not take it: the dispute is lost there.']);
  expect(await read(disputeId)).toMatchObject({ status: 'lost' });
});

test('a chargeback that does not fit is listed for ops and books nothing', async () => {
  const { paymentId } = await merchant.paid(CARDS.visa);
  await merchant.refund(paymentId, { amount: '1.00' });
  const caseId = randomUUID();
  const fields = {
    type: 'chargeback',
    status: 'CHARGEBACK',
    reference: paymentId,
    caseId,
    amount: '10.00',
    currency: 'EUR',
  };
  await send(`${apiUrl}/callbacks/processor_a-chargeback`, signedByA(credentials.processorSecrets.a, fields));
  const flagged = await until('it is flagged', async () => {
    const { body } = await actors.ops.get(`/ops/1.0.0/disputes?status=flagged&paymentId=${paymentId}`);
    return body.data[0];
  });
  expect(flagged).toMatchObject({ caseId, status: 'flagged', amount: '10.00' });
  expect(await causesOf(flagged.disputeId)).toEqual([]);
  expect((await evidence(flagged.disputeId, 'Why?')).status).toBe(409);
  expect(await merchant.status(paymentId)).toMatchObject({ transactionStatus: 'partially_refunded' });
});

test.each<[string, object]>([
  ['no text', {}],
  ['an unknown member', { text: 'x', more: 1 }],
  ['a type that is not taken', { text: 'x', documents: [{ ...PDF, contentType: 'text/html' }] }],
  ['a document that is no PDF', { text: 'x', documents: [{ ...PDF, content: base64('<html>') }] }],
  ['content that is not base64', { text: 'x', documents: [{ ...PDF, content: '%PDF' }] }],
  ['a path for a name', { text: 'x', documents: [{ ...PDF, name: '../x.pdf' }] }],
  ['too many documents', { text: 'x', documents: Array(11).fill(PDF) }],
])('evidence with %s: 400', async (_title, body) => {
  const { status } = await order('dsp_00000000000000000000000000', 'evidence', body);
  expect(status).toBe(400);
});

test('disputes are the organization’s own: read by ops, ordered by nobody else', async () => {
  const { disputeId } = await disputed();
  const { merchant: stranger } = await actorsOf(credentials, credentials.other);
  expect((await stranger.get(`${DISPUTES}/${disputeId}`)).status).toBe(404);
  expect((await stranger.post(`${DISPUTES}/${disputeId}/accept`)).status).toBe(404);
  const organizationid = credentials.organizationId;
  expect((await actors.ops.get(`${DISPUTES}/${disputeId}`, { organizationid })).status).toBe(200);
  expect((await actors.ops.get(`${DISPUTES}/${disputeId}`)).status).toBe(400);
  expect((await actors.ops.post(`${DISPUTES}/${disputeId}/accept`, undefined, { organizationid })).status).toBe(403);
  expect((await actors.tenantAdmin.post(`${DISPUTES}/${disputeId}/accept`, undefined, { organizationid })).status).toBe(
    200,
  );
  expect((await merchant.get('/ops/1.0.0/disputes')).status).toBe(403);
});
