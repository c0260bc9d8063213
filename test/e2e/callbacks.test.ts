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
  type Reply,
  receiptsOf,
  send,
  signedByA,
  transfersOf,
  until,
} from './client';

const { credentials, apiUrl } = sharedStack();
const SECRET: string = credentials.processorSecrets.a;
const RECEIVER = `${apiUrl}/callbacks/processor_a`;
let actors: Actors;
let merchant: Merchant;

beforeAll(async () => {
  actors = await actorsOf(credentials);
  merchant = actors.merchant;
});
afterAll(async () => expect(await outOfBalance(actors)).toEqual([]));

/** The inbox of one payment or refund, newest first, as ops see it. */
async function inboxOf(reference: string): Promise<Json[]> {
  return (await actors.ops.get(`/ops/1.0.0/callbacks?reference=${reference}`)).body.data;
}

/** Waits until a callback has been dealt with, and answers what became of it. */
function outcomeOf(reference: string, eventId: string): Promise<Json> {
  return until(`${eventId} is dealt with`, async () => {
    const row = (await inboxOf(reference)).find((one) => one.eventId === eventId);
    return row && !['stored', 'delivered'].includes(row.state) && row;
  });
}

/** Sends a callback of our own writing and waits for what becomes of it. */
async function told(reference: string, fields: Record<string, unknown>, receiver = RECEIVER): Promise<Json> {
  const eventId = `evt-${randomUUID()}`;
  const { status } = await send(receiver, signedByA(SECRET, { eventId, reference, ...fields }));
  expect(status).toBe(200);
  return outcomeOf(reference, eventId);
}

/** Does something at the processor behind the platform's back, as its own staff could. */
function atProcessor(path: string, body: object): Promise<Reply> {
  return send(`${credentials.simulatorUrl}/a/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKeyFor(SECRET)}`, 'idempotency-key': randomUUID() },
    body,
  });
}

const authorized = (amount = '10.00') => merchant.paid(CARDS.visa, { capture: 'manual', amount }, ['authorized']);
const movesTo = async (paymentId: string, state: string) =>
  (await merchant.events(paymentId)).filter(({ from, to }) => to === state && from !== state);

describe('what is believed', () => {
  test('a signed callback moves the payment, once, also fifty times at once', async () => {
    const { paymentId } = await authorized();
    await atProcessor(`/payments/${paymentId}/captures`, { amount: '10.00', currency: 'EUR' });
    const { request, responses } = await actors.simulator.callback({
      reference: paymentId,
      event: 'captured',
      repeat: 50,
    });
    expect(responses.map(({ status }) => status)).toEqual(Array(50).fill(200));
    await merchant.until(paymentId, ...CAPTURED);
    const { eventId } = JSON.parse(request.body ?? '');
    expect(await outcomeOf(paymentId, eventId)).toMatchObject({ state: 'applied', type: 'captured' });
    const again = await send(request.url, { ...request, body: request.body ?? '' });
    expect([again.status, again.body.duplicate]).toEqual([200, true]);
    expect((await inboxOf(paymentId)).filter((row) => row.eventId === eventId)).toHaveLength(1);
    expect(await movesTo(paymentId, 'captured')).toHaveLength(1);
    expect(await transfersOf(actors, paymentId)).toMatchObject([{ phase: 'pending' }, { phase: 'post' }]);
  });

  test('two callbacks that say the same are one capture', async () => {
    const { paymentId } = await authorized();
    await atProcessor(`/payments/${paymentId}/captures`, { amount: '10.00', currency: 'EUR' });
    await Promise.all(
      ['a', 'b', 'c'].map(() => actors.simulator.callback({ reference: paymentId, event: 'captured' })),
    );
    await merchant.until(paymentId, ...CAPTURED);
    await until('all are dealt with', async () =>
      (await inboxOf(paymentId)).every(({ state }) => ['applied', 'ignored'].includes(state)),
    );
    expect(await movesTo(paymentId, 'captured')).toHaveLength(1);
  });

  test('a part captured at the processor', async () => {
    const { paymentId } = await authorized();
    await atProcessor(`/payments/${paymentId}/captures`, { amount: '4.00', currency: 'EUR' });
    const row = await told(paymentId, { status: 'CAPTURED', amount: '4.00', currency: 'EUR', paymentId: 'p' });
    expect(row.state).toBe('applied');
    expect(await merchant.status(paymentId)).toMatchObject({ amounts: { authorized: '10.00', captured: '4.00' } });
  });
});

describe('what is not believed', () => {
  test('forged, altered, unsigned: 401, and nothing is stored', async () => {
    const { paymentId } = await authorized();
    const forged = await actors.simulator.callback({ reference: paymentId, event: 'captured', forge: true });
    expect(forged.responses).toEqual([{ status: 401 }]);
    const right = signedByA(SECRET, { reference: paymentId, status: 'CAPTURED', amount: '10.00', currency: 'EUR' });
    const altered = { ...right, body: `${right.body}`.replace('10.00', '10.01') };
    const reordered = { ...right, body: `${right.body} ` };
    const unsigned = { ...right, headers: { 'content-type': 'application/json' } };
    const otherSecret = signedByA(credentials.processorSecrets.b, JSON.parse(`${right.body}`));
    for (const request of [altered, reordered, unsigned, otherSecret]) {
      const { status, body } = await send(RECEIVER, request);
      expect([status, body.code]).toEqual([401, 'invalid_signature']);
    }
    expect(await inboxOf(paymentId)).toEqual([]);
    expect(await merchant.status(paymentId)).toMatchObject({ transactionStatus: 'authorized' });
  });

  test('the signature comes before everything else', async () => {
    const headers = { 'content-type': 'text/plain', 'x-signature': 'f'.repeat(64) };
    expect((await send(RECEIVER, { method: 'POST', headers, body: '{' })).status).toBe(401);
    expect((await send(RECEIVER, { method: 'POST', headers: {}, body: '' })).status).toBe(401);
  });

  test('signed, but unreadable: 400', async () => {
    for (const fields of [{}, { status: 'CAPTURED' }, { status: 'CAPTURED', reference: 'x', amount: '1' }]) {
      const { status, body } = await send(RECEIVER, signedByA(SECRET, fields));
      expect([status, body.code]).toEqual([400, 'malformed_callback']);
    }
  });

  test('wrong method 405; unknown receiver, or one that is switched off, 404', async () => {
    const wrong = await send(RECEIVER);
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST']);
    const query = await send(`${apiUrl}/callbacks/processor_a3ds`, { method: 'POST', body: {} });
    expect([query.status, query.headers.get('allow')]).toEqual([405, 'GET']);
    for (const name of ['processor_z', 'stripe'])
      expect((await send(`${apiUrl}/callbacks/${name}`, { method: 'POST', body: {} })).status).toBe(404);
  });
});

describe('what does not fit', () => {
  const most = { amount: '10.00', currency: 'EUR', paymentId: 'p' };

  test.each([
    ['requires_action', {}, CARDS.challenge],
    ['authorized', { capture: 'manual' }, CARDS.visa],
    ['captured', {}, CARDS.visa],
    ['failed', {}, CARDS.declined],
  ])('another amount or currency, while %s: flagged, nothing changes', async (state, overrides, card) => {
    const before = await merchant.paid(card, overrides, [state]);
    const { paymentId } = before;
    for (const money of [
      { ...most, amount: '10.01' },
      { ...most, currency: 'USD' },
    ])
      expect(await told(paymentId, { status: 'CAPTURED', ...money })).toMatchObject({ state: 'flagged' });
    const after = await merchant.status(paymentId);
    expect(after.amounts).toEqual(before.amounts);
    expect([after.transactionStatus, 'settled']).toContain(after.transactionStatus);
    expect(after.result).toEqual(before.result);
    if (['requires_action', 'authorized'].includes(state)) await merchant.cancel(paymentId);
  });

  test.each([
    ['REFUSED', CARDS.visa, 'captured'],
    ['AUTHORISED', CARDS.visa, 'captured'],
    ['CANCELLED', CARDS.visa, 'captured'],
    ['PENDING', CARDS.declined, 'failed'],
    ['REFUSED', CARDS.declined, 'failed'],
  ])('%s after the end of %s (%s) is kept and ignored', async (status, card, state) => {
    const { paymentId, result } = await merchant.paid(card, {}, [state]);
    expect(await told(paymentId, { status, ...most })).toMatchObject({ state: 'ignored' });
    const after = await merchant.status(paymentId);
    expect(state === 'captured' ? CAPTURED : [state]).toContain(after.transactionStatus);
    expect(after.result).toEqual(result);
  });

  test('a status word nobody knows changes nothing', async () => {
    const { paymentId } = await authorized();
    expect(await told(paymentId, { status: 'PERHAPS', ...most })).toMatchObject({ type: 'pending' });
    expect(await merchant.status(paymentId)).toMatchObject({ transactionStatus: 'authorized', result: { code: 0 } });
    expect((await merchant.capture(paymentId)).status).toBe(200);
  });

  test('a refund callback for a refund that has ended is ignored', async () => {
    const { paymentId } = await merchant.paid(CARDS.visa);
    const { refundId } = (await merchant.refund(paymentId)).body.data.refund;
    const row = await told(
      refundId,
      { type: 'refund', status: 'REFUND_FAILED', amount: '10.00', currency: 'EUR' },
      `${RECEIVER}-refund`,
    );
    expect(row.state).toBe('ignored');
    expect(await merchant.status(paymentId)).toMatchObject({ transactionStatus: 'refunded' });
  });

  test('an unknown reference is stored, answered 200, and listed for ops', async () => {
    for (const reference of [`pay_unknown_${randomUUID()}`, `ref_unknown_${randomUUID()}`]) {
      const row = await told(reference, { status: 'CAPTURED', ...most });
      expect(row).toMatchObject({ state: 'unmatched', processor: 'a', receiver: 'processor_a' });
      const { body } = await actors.ops.get(`/ops/1.0.0/callbacks?state=unmatched&reference=${reference}`);
      expect(body.data).toHaveLength(1);
    }
    expect((await merchant.get('/ops/1.0.0/callbacks')).status).toBe(403);
  });
});

describe('late money', () => {
  /** Its receipts, once all of them have gone back. */
  const returned = (paymentId: string, count: number): Promise<Json[]> =>
    until(`${count} receipts of ${paymentId} have gone back`, async () => {
      const receipts = await receiptsOf(actors, paymentId);
      return receipts.length === count && receipts.every(({ status }) => status === 'returned') && receipts;
    });

  test('charged after the payment had failed: booked to suspense, refunded at the processor, booked back', async () => {
    const { paymentId } = await merchant.paid(CARDS.declined, { amount: '12.34' }, ['failed']);
    await atProcessor('/payments', {
      reference: paymentId,
      amount: '12.34',
      currency: 'EUR',
      capture: true,
      card: { number: CARDS.visa, expiryMonth: '12', expiryYear: '2030' },
    });
    const { request } = await actors.simulator.callback({ reference: paymentId, event: 'captured' });
    const { eventId } = JSON.parse(request.body ?? '');
    expect(await outcomeOf(paymentId, eventId)).toMatchObject({ state: 'applied', note: expect.any(String) });
    const [receipt] = await returned(paymentId, 1);
    expect(await merchant.status(paymentId)).toMatchObject({
      transactionStatus: 'failed',
      amounts: { captured: '0.00' },
    });
    const [arrived, back] = await transfersOf(actors, receipt.receiptId);
    expect(arrived).toMatchObject({ phase: 'posted', amount: '12.34', cause: `${receipt.receiptId}/arrived` });
    expect(back).toMatchObject({
      amount: '12.34',
      debitAccountId: arrived.creditAccountId,
      creditAccountId: arrived.debitAccountId,
    });
    const charges = await actors.simulator.charges(paymentId);
    expect(charges.find(({ captured }) => captured === '12.34')).toMatchObject({ refunded: '12.34' });
    const details = (await merchant.events(paymentId)).map(({ detail }) => detail);
    expect(details.at(-1)).toMatch(/returned/);
  });

  test('told twice, it is returned once', async () => {
    const { paymentId } = await merchant.paid(CARDS.declined, {}, ['failed']);
    await atProcessor('/payments', {
      reference: paymentId,
      amount: '10.00',
      currency: 'EUR',
      capture: true,
      card: { number: CARDS.visa, expiryMonth: '12', expiryYear: '2030' },
    });
    const tell = () => actors.simulator.callback({ reference: paymentId, event: 'captured' });
    await Promise.all([tell(), tell(), tell()]);
    await until('all are dealt with', async () => {
      const rows = (await inboxOf(paymentId)).filter(({ type }) => type === 'captured');
      return rows.length === 3 && rows.every(({ state }) => !['stored', 'delivered'].includes(state));
    });
    const [receipt] = await returned(paymentId, 1);
    expect(await transfersOf(actors, receipt.receiptId)).toHaveLength(2);
    const charges = await actors.simulator.charges(paymentId);
    expect(charges.find(({ captured }) => captured === '10.00')).toMatchObject({ refunded: '10.00' });
  });

  test('claimed, but not at the provider: it stays in suspense, flagged', async () => {
    const { paymentId } = await merchant.paid(CARDS.declined, {}, ['failed']);
    const row = await told(paymentId, { status: 'CAPTURED', amount: '10.00', currency: 'EUR', paymentId: 'p' });
    expect(row).toMatchObject({ state: 'applied' });
    expect(await merchant.status(paymentId)).toMatchObject({ transactionStatus: 'failed', result: { code: 200 } });
    const receipt = await until('the processor refuses to give it back', async () => {
      const [one] = await receiptsOf(actors, paymentId);
      return one?.status === 'refused' && one;
    });
    expect(receipt).toMatchObject({ amount: '10.00', taken: true, reviewSince: expect.any(String) });
    expect(await transfersOf(actors, receipt.receiptId)).toMatchObject([{ phase: 'posted' }]);
  });
});

describe('disputes', () => {
  test('the money goes back with the chargeback and returns when the dispute is won', async () => {
    const { paymentId } = await merchant.paid(CARDS.chargedBack, { amount: '77.31' });
    const charged = await merchant.until(paymentId, 'charged_back');
    expect(charged).toMatchObject({ result: { code: 130 }, amounts: { captured: '77.31', chargedBack: '77.31' } });
    expect((await merchant.refund(paymentId)).status).toBe(409);
    const disputed = async () => (await transfersOf(actors, 'dsp_')).filter(({ amount }) => amount === '77.31');
    const [back] = await disputed();
    await actors.simulator.callback({ reference: paymentId, event: 'chargeback_won' });
    const won = await merchant.until(paymentId, ...CAPTURED);
    expect(won).toMatchObject({ result: { code: 0 }, amounts: { chargedBack: '0.00' } });
    expect((await disputed()).slice(1)).toMatchObject([
      { debitAccountId: back.creditAccountId, creditAccountId: back.debitAccountId },
    ]);
  });

  test('in part, told ten times, then lost: booked once', async () => {
    const { paymentId } = await merchant.paid(CARDS.visa, { amount: '77.32' });
    const { responses } = await actors.simulator.callback({
      reference: paymentId,
      event: 'charged_back',
      amount: '7.07',
      repeat: 10,
    });
    expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(200));
    await merchant.until(paymentId, 'charged_back');
    const { request } = await actors.simulator.callback({ reference: paymentId, event: 'chargeback_lost' });
    await outcomeOf(paymentId, JSON.parse(request.body ?? '').eventId);
    expect(await merchant.status(paymentId)).toMatchObject({
      transactionStatus: 'charged_back',
      amounts: { captured: '77.32', chargedBack: '7.07' },
    });
    expect((await transfersOf(actors, 'dsp_')).filter(({ amount }) => amount === '7.07')).toHaveLength(1);
  });

  test('of more than was captured is flagged', async () => {
    const { paymentId } = await merchant.paid(CARDS.visa);
    const row = await told(
      paymentId,
      { type: 'chargeback', status: 'CHARGEBACK', caseId: randomUUID(), amount: '10.01', currency: 'EUR' },
      `${RECEIVER}-chargeback`,
    );
    expect(row.state).toBe('flagged');
    expect(CAPTURED).toContain((await merchant.status(paymentId)).transactionStatus);
  });
});
