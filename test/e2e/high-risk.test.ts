import { createHash } from 'node:crypto';
import { sharedStack } from '../setup/stack';
import {
  type Actors,
  actorsOf,
  CAPTURED,
  CARDS,
  challenge,
  type Json,
  type Merchant,
  outOfBalance,
  type Reply,
  Simulator,
  send,
  transfersOf,
  until,
} from './client';
import { ownTenant } from './tenants';

/** High-risk cards at processor G, whose callbacks nobody signs. */

const { credentials, apiUrl } = sharedStack();
const currency = 'SRD';
const g = new Simulator(credentials.simulatorUrl, 'g');
let actors: Actors;
let merchant: Merchant;

const rules = (list: Json[]) =>
  send(`${apiUrl}/routing/1.0.0/rules`, {
    method: 'PUT',
    headers: actors.tenantAdmin.headers,
    body: { rules: list },
  });
const paid = (number: string = CARDS.visa) => merchant.paid(number, { currency });

/** Somebody's hint; answers what became of it. */
async function hinted(fields: Record<string, string>): Promise<Json> {
  const body = new URLSearchParams({ nid: `${Math.random()}`, ...fields }).toString();
  const answer: Reply = await send(`${apiUrl}/callbacks/processor_g`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body,
  });
  expect(answer.status).toBe(200);
  return until(`${body} is dealt with`, async () => {
    const { body: inbox } = await actors.ops.get(`/ops/1.0.0/callbacks?reference=${fields.order}`);
    // Nobody can take the id of another event: it is the digest of all that came.
    const eventId = createHash('sha256').update(body).digest('hex');
    const row = inbox.data.find((one: Json) => one.eventId === eventId);
    return row && !['stored', 'delivered'].includes(row.state) && row;
  });
}

beforeAll(async () => {
  // Its rules are all that the tenant has: another suite's would replace them.
  actors = await actorsOf(credentials, await ownTenant());
  merchant = actors.merchant;
  await rules([{ name: 'high risk', kinds: ['card'], currencies: [currency], processors: ['g'] }]);
  // Every process has the new rules within seconds.
  await until('routed to g', async () => (await merchant.pay(CARDS.visa, { currency })).body.data.processor === 'g');
});
afterAll(async () => {
  await rules([]);
  expect(await outOfBalance(actors)).toEqual([]);
});

test('a card is charged, settled and refunded in part', async () => {
  const { paymentId } = await paid();
  await merchant.until(paymentId, 'settled');
  await merchant.refund(paymentId, { amount: '4.00' });
  await merchant.until(paymentId, 'partially_refunded');
  expect(await g.charges(paymentId)).toMatchObject([{ captured: '10.00', refunded: '4.00' }]);
});

test.each([
  [CARDS.declined, 200],
  [CARDS.insufficientFunds, 201],
  [CARDS.expired, 202],
  [CARDS.cvvMismatch, 203],
  [CARDS.lost, 205],
  [CARDS.closesConnection, 501],
])('%s ends failed with %i', async (number, code) => {
  const { body } = await merchant.pay(number, { currency });
  expect(await merchant.until(body.data.paymentId, 'failed')).toMatchObject({ result: { code } });
});

test.each([
  [CARDS.challenge, 'authenticated', CAPTURED, 0],
  [CARDS.challenge, 'failed', ['failed'], 300],
  [CARDS.challengeThenDeclined, 'authenticated', ['failed'], 200],
] as const)('%s, %s at the processor’s own page', async (number, outcome, states, code) => {
  const { body } = await merchant.pay(number, { currency, returnUrl: 'https://shop.example/back' });
  expect(body.data).toMatchObject({ transactionStatus: 'requires_action', result: { code: 101 } });
  await challenge(body.data.action.url, outcome);
  expect((await merchant.until(body.data.paymentId, ...states)).result.code).toBe(code);
});

test('charged without an answer: found out, once', async () => {
  const { body } = await merchant.pay(CARDS.neverAnswers, { currency });
  await merchant.until(body.data.paymentId, ...CAPTURED);
  expect(await g.charges(body.data.paymentId)).toMatchObject([{ captured: '10.00' }]);
  expect(await transfersOf(actors, `${body.data.paymentId}/capture`)).toHaveLength(1);
});

describe('a forged hint', () => {
  test.each(['50', '60', '40', '81'])('of state %s takes nothing from a payment that was captured', async (state) => {
    const { paymentId } = await paid();
    await merchant.until(paymentId, 'settled');
    await hinted({ state, order: paymentId, total: `10.00 ${currency}`, case: 'case_forged' });
    expect(await merchant.status(paymentId)).toMatchObject({
      transactionStatus: 'settled',
      amounts: { captured: '10.00', refunded: '0.00', chargedBack: '0.00' },
    });
    const { body } = await merchant.get(`/disputes/1.0.0/disputes?paymentId=${paymentId}`);
    expect(body.data).toEqual([]);
  });

  test('of a capture captures nothing', async () => {
    const { body } = await merchant.pay(CARDS.challenge, { currency });
    const { paymentId } = body.data;
    await hinted({ state: '30', order: paymentId, total: `10.00 ${currency}` });
    expect(await merchant.status(paymentId)).toMatchObject({
      transactionStatus: 'requires_action',
      amounts: { captured: '0.00' },
    });
  });

  test('of another amount does not count: the processor is asked', async () => {
    const { body } = await merchant.pay(CARDS.visa, { currency, capture: 'manual' });
    await hinted({ state: '30', order: body.data.paymentId, total: `10000.00 ${currency}` });
    expect((await merchant.status(body.data.paymentId)).transactionStatus).toBe('authorized');
  });

  test('about nobody’s payment is kept, and listed', async () => {
    const row = await hinted({ state: '30', order: `pay_${Date.now()}` });
    expect(row.state).toBe('unmatched');
  });
});

test('a chargeback is seen by asking, with its case and amount', async () => {
  const { paymentId } = await paid(CARDS.chargedBack);
  await merchant.until(paymentId, 'charged_back');
  const { body } = await merchant.get(`/disputes/1.0.0/disputes?paymentId=${paymentId}`);
  expect(body.data).toMatchObject([{ status: 'open', amount: '10.00', currency }]);
  await g.callback({ reference: paymentId, event: 'chargeback_won' });
  await merchant.until(paymentId, ...CAPTURED);
});

test('a real hint, fifty times at once, counts once', async () => {
  const { body } = await merchant.pay(CARDS.visa, { currency, capture: 'manual' });
  const { paymentId } = body.data;
  await merchant.capture(paymentId, { amount: '6.00' });
  const { responses } = await g.callback({ reference: paymentId, event: 'captured', repeat: 50 });
  expect(responses.map(({ status }) => status)).toEqual(Array(50).fill(200));
  expect(await transfersOf(actors, `${paymentId}/capture`)).toHaveLength(1);
});
