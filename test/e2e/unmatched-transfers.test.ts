import { createHmac, randomUUID } from 'node:crypto';
import { sharedStack } from '../setup/stack';
import {
  type Actors,
  actorsOf,
  CAPTURED,
  type Caller,
  type Json,
  type Merchant,
  outOfBalance,
  receiptsOf,
  Simulator,
  secondOperator,
  send,
  until,
} from './client';

/** Incoming bank transfers that match nothing: from the bank of the payer to a payment, or back. */

const { credentials } = sharedStack();
const LIST = '/ops/1.0.0/unmatched-transfers';
const PLATFORM = { tenantid: 'ten_platform' };
const NOBODYS = 'PT50999900010000000000099';
let actors: Actors;
let merchant: Merchant;
/** Two operators. */
let ann: Caller;
let bob: Awaited<ReturnType<typeof secondOperator>>;
const bank = new Simulator(credentials.simulatorUrl, 'b');

beforeAll(async () => {
  actors = await actorsOf(credentials);
  merchant = actors.merchant;
  ann = actors.ops;
  bob = await secondOperator(actors);
});
afterAll(async () => expect(await outOfBalance(actors)).toEqual([]));

const SIM = `${credentials.simulatorUrl}/sim/processors/b/transfers`;

/** Somebody sends money to an account of processor B. Answers the processor's id of the transfer. */
async function sent(order: object = {}): Promise<string> {
  const { status, body } = await send(SIM, { method: 'POST', body: { iban: NOBODYS, amount: '10.00', ...order } });
  expect(status).toBe(201);
  return body.transferId;
}

const atBank = async (transferId: string): Promise<Json> =>
  (await send(SIM)).body.data.find((transfer: Json) => transfer.transferId === transferId);

const listed = async (transferId: string): Promise<Json | undefined> =>
  (await ann.get(`${LIST}?limit=200`)).body.data.find((row: Json) => row.transferId === transferId);

const inSuspense = (transferId: string): Promise<Json> =>
  until(`${transferId} is in suspense`, () => listed(transferId));

const become = (transferId: string, status: string): Promise<Json> =>
  until(`${transferId} is ${status}`, async () => {
    const row = await listed(transferId);
    return row?.status === status && row;
  });

const act = (operator: Caller, { unmatchedTransferId }: Json, what: string, body?: object) =>
  operator.post(`${LIST}/${unmatchedTransferId}/${what}`, body);

/** The bookings of a transfer in the books of the platform. */
const bookingsOf = async ({ unmatchedTransferId }: Json, cause: string): Promise<Json[]> =>
  (await ann.get(`/ledger/1.0.0/transfers?cause=${unmatchedTransferId}/${cause}`, PLATFORM)).body.data;

/** A payment by bank transfer that waits, with the account and the reference for its payer. */
async function waiting(overrides: object = {}): Promise<{ paymentId: string; iban: string; reference: string }> {
  const order = { bankTransfer: { payerName: 'A Buyer' }, ...overrides };
  const { body } = await merchant.pay(undefined, order, { path: '61' });
  expect(body.data.transactionStatus).toBe('requires_action');
  return { paymentId: body.data.paymentId, ...body.data.action.fields };
}

/** A report of processor B, written and signed by hand. */
function report(fields: Record<string, string>): Promise<Json> {
  const query = Object.entries({
    evento: `evt-${randomUUID()}`,
    estado: 'transferencia_recebida',
    moeda: 'EUR',
    valor: '10,00',
    ...fields,
  })
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .sort()
    .join('&');
  const signature = createHmac('sha512', credentials.processorSecrets.b).update(query).digest('hex');
  return send(`${credentials.apiUrl}/callbacks/processor_b?${query}&assinatura=${signature}`);
}

// These wait for the platform most of the time, and none of them minds another.
test.concurrent('one that names nothing is listed, and an operator returns it', async () => {
  const transferId = await sent({ text: 'invoice 4711', payerName: 'Ada Lovelace' });
  const row = await inSuspense(transferId);
  expect(row).toMatchObject({
    tenantId: 'ten_platform',
    processor: 'b',
    account: NOBODYS,
    text: 'invoice 4711',
    payerName: 'Ada Lovelace',
    amount: '10.00',
    mismatch: 'no_payment',
    status: 'open',
    reviewSince: expect.any(String),
  });
  expect(row.decision).toBeUndefined();
  expect(await bookingsOf(row, 'arrived')).toMatchObject([{ amount: '10.00' }]);
  // Reported once more, under another event: the same money.
  await report({ conta: NOBODYS, transferencia: transferId });
  await bank.fault('refund', 'close_after', { reference: transferId });
  expect((await act(ann, row, 'return', {})).status).toBe(400);
  const { status, body } = await act(ann, row, 'return', { reason: 'not ours' });
  expect([status, body.status, body.decision.decidedBy]).toEqual([202, 'returning', credentials.clients.ops.clientId]);
  expect((await act(bob, row, 'return', { reason: 'me too' })).status).toBe(409);
  const returned = await become(transferId, 'returned');
  expect(returned.reviewSince).toBeUndefined();
  expect(await atBank(transferId)).toMatchObject({
    status: 'returned',
    returnReference: returned.decision.returnReference,
  });
  expect(await bookingsOf(row, 'returned')).toMatchObject([{ amount: '10.00' }]);
  expect((await ann.get(`${LIST}/${row.unmatchedTransferId}`)).body).toEqual(returned);
});

test.concurrent('one is matched with a payment, which is captured, settled and refunded as any other', async () => {
  const { paymentId } = await waiting();
  const transferId = await sent();
  const row = await inSuspense(transferId);
  await bank.fault('capture', 'status_500', { reference: transferId });
  const order = { paymentId, reason: 'the payer called' };
  expect((await act(ann, row, 'match', order)).status).toBe(202);
  expect(await become(transferId, 'matched')).toMatchObject({ decision: { kind: 'match', paymentId } });
  expect((await merchant.until(paymentId, ...CAPTURED)).amounts.captured).toBe('10.00');
  expect(await bookingsOf(row, 'matched')).toMatchObject([{ amount: '10.00' }]);
  expect((await merchant.events(paymentId)).map(({ cause }) => cause)).toContain(
    `operator ${credentials.clients.ops.clientId}: match`,
  );
  await merchant.until(paymentId, 'settled');
  expect([201, 202]).toContain((await merchant.refund(paymentId)).status);
  await merchant.until(paymentId, 'refunded');
  expect(await bank.charges(paymentId)).toMatchObject([{ captured: '10.00', refunded: '10.00' }]);
  expect(await receiptsOf(actors, paymentId)).toEqual([]);
});

test.concurrent('one that is a part of what is asked for: the payment waits for the rest', async () => {
  const { paymentId, iban } = await waiting();
  const transferId = await sent({ amount: '4.00' });
  const row = await inSuspense(transferId);
  await act(ann, row, 'match', { paymentId, reason: 'a part' });
  await until('the part counts', async () => /4\.00/.test((await merchant.status(paymentId)).status.detail));
  expect(await merchant.status(paymentId)).toMatchObject({ transactionStatus: 'requires_action' });
  await sent({ iban, amount: '6.00' });
  expect((await merchant.until(paymentId, ...CAPTURED)).amounts.captured).toBe('10.00');
  expect(await listed(transferId)).toMatchObject({ status: 'matched' });
});

test.concurrent('one that names a payment in its text goes there without an operator', async () => {
  const { paymentId, reference } = await waiting();
  const transferId = await sent({ text: `my order ${reference}` });
  await merchant.until(paymentId, ...CAPTURED);
  expect(await become(transferId, 'matched')).toMatchObject({
    tenantId: credentials.tenantId,
    decision: { paymentId, decidedBy: 'platform' },
  });
});

test.concurrent('money on the account of a payment that is paid, or in another currency, waits for operators', async () => {
  const { paymentId, iban } = await waiting();
  const dollars = await sent({ iban, currency: 'USD' });
  await sent({ iban });
  await merchant.until(paymentId, ...CAPTURED);
  const again = await sent({ iban });
  const { tenantId } = credentials;
  expect(await inSuspense(dollars)).toMatchObject({ tenantId, mismatch: 'other_currency', currency: 'USD' });
  expect(await inSuspense(again)).toMatchObject({ tenantId, mismatch: 'payment_not_waiting' });
  expect(await bank.charges(paymentId)).toMatchObject([{ captured: '10.00' }]);
  for (const transferId of [dollars, again]) {
    await act(ann, await inSuspense(transferId), 'return', { reason: 'too much' });
    await become(transferId, 'returned');
  }
});

test.concurrent('money on the account of a payment that has ended is late, once for each transfer', async () => {
  const { paymentId, iban } = await waiting();
  await merchant.cancel(paymentId);
  const transferId = await sent({ iban, amount: '3.00' });
  await until('it came', async () => (await receiptsOf(actors, paymentId)).length === 1);
  await report({ conta: iban, transferencia: transferId, valor: '3,00' });
  await until('it is back', async () => (await receiptsOf(actors, paymentId))[0].status === 'returned');
  expect(await receiptsOf(actors, paymentId)).toHaveLength(1);
  expect(await listed(transferId)).toBeUndefined();
});

test.concurrent('above the limit a second operator confirms', async () => {
  const transferId = await sent({ amount: '1000.01' });
  const row = await inSuspense(transferId);
  const proposed = await act(ann, row, 'return', { reason: 'not ours' });
  expect([proposed.status, proposed.body]).toMatchObject([
    200,
    { status: 'proposed', decision: { needsSecondOperator: true } },
  ]);
  expect((await act(ann, row, 'confirm')).status).toBe(403);
  expect((await act(bob, row, 'withdraw', { reason: 'wait' })).body.status).toBe('open');
  expect((await act(bob, row, 'confirm')).status).toBe(409);
  await act(bob, row, 'return', { reason: 'not ours after all' });
  expect(await atBank(transferId)).toMatchObject({ status: 'held' });
  const both = await Promise.all([act(ann, row, 'confirm'), act(ann, row, 'confirm')]);
  expect(both.map(({ status }) => status).sort()).toEqual([202, 409]);
  expect(await become(transferId, 'returned')).toMatchObject({
    decision: {
      decidedBy: bob.clientId,
      confirmedBy: credentials.clients.ops.clientId,
    },
  });
});

test.concurrent('what the processor refuses is open again, for another decision', async () => {
  const { paymentId } = await waiting();
  const transferId = await sent();
  const row = await inSuspense(transferId);
  await bank.fault('capture', 'status_400', { reference: transferId });
  await act(ann, row, 'match', { paymentId, reason: 'x' });
  const refused = await until('it was refused', async () => {
    const now = await listed(transferId);
    return now?.status === 'open' && now.detail.includes('not matched') && now;
  });
  expect(refused.reviewSince).toBeDefined();
  await act(ann, row, 'match', { paymentId, reason: 'again' });
  await merchant.until(paymentId, ...CAPTURED);
});

test('settlement reports agree with what came, went to a payment, and went back', async () => {
  const kept = await inSuspense(await sent());
  const { body } = await actors.ops.post('/reconciliation/1.0.0/runs', { processor: 'b', graceMs: 6_000 });
  await until('the run is done', async () => {
    const run = (await actors.ops.get(`/reconciliation/1.0.0/runs/${body.runId}`)).body;
    return run.status === 'done';
  });
  const list = '/reconciliation/1.0.0/differences';
  expect((await actors.ops.get(`${list}?paymentReference=${kept.transferId}`)).body.data).toEqual([]);
  expect((await act(ann, kept, 'return', { reason: 'done' })).status).toBe(202);
  await become(kept.transferId, 'returned');
});

test('who may see and do what', async () => {
  for (const caller of [merchant, actors.tenantAdmin]) expect((await caller.get(LIST)).status).toBe(403);
  expect((await ann.get(`${LIST}/utr_unknown`)).status).toBe(404);
  expect((await ann.get(`${LIST}?status=lost`)).status).toBe(400);
  expect((await ann.post(`${LIST}/utr_unknown/return`, { reason: 'x' })).status).toBe(404);
  const row = await inSuspense(await sent());
  const { paymentId: byCard } = (await merchant.pay('4111111111111111')).body.data;
  expect((await act(ann, row, 'match', { paymentId: byCard, reason: 'x' })).status).toBe(400);
  expect((await act(ann, row, 'match', { paymentId: 'pay_x', reason: 'x' })).status).toBe(400);
});
