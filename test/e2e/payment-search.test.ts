import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, CARDS, type Json, type Merchant, PAYMENTS, transactionId } from './client';

const { credentials } = sharedStack();
let actors: Actors;
let merchant: Merchant;
let other: Merchant;

beforeAll(async () => {
  actors = await actorsOf(credentials);
  merchant = actors.merchant;
  other = (await actorsOf(credentials, credentials.other)).merchant;
});

const listed = async (query: Record<string, string>, who: Merchant = merchant): Promise<string[]> => {
  const { status, body } = await who.get(`${PAYMENTS}?${new URLSearchParams(query)}`);
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body.data.map(({ paymentId }: Json) => paymentId);
};

describe('a payment is found by', () => {
  let payment: Json;
  let refundId: string;
  const merchantTransactionId = transactionId();
  // Amounts that no other test takes.
  const amount = `7${Date.now() % 1_000_000}.31`;

  beforeAll(async () => {
    payment = await merchant.paid(CARDS.mastercard, { merchantTransactionId, amount });
    const { body } = await merchant.refund(payment.paymentId, { amount: '0.31' });
    refundId = body.data.refund.refundId;
    await merchant.until(payment.paymentId, 'partially_refunded');
  });

  const attemptReference = async () =>
    (await merchant.get(`${PAYMENTS}/${payment.paymentId}/attempts`)).body.data[0].processorReference;

  test.each<[string, () => Promise<Record<string, string>> | Record<string, string>]>([
    ['its id', () => ({ search: payment.paymentId })],
    ['its transaction id', () => ({ search: merchantTransactionId })],
    ['the beginning of its transaction id', () => ({ search: merchantTransactionId.slice(0, -2) })],
    ['the id of its refund', () => ({ search: refundId })],
    ['what the processor calls it', async () => ({ search: await attemptReference() })],
    ['its amount', () => ({ amount, currency: 'EUR' })],
    ['a range of amounts', () => ({ minAmount: amount, maxAmount: amount, currency: 'EUR' })],
    ['last four digits, and amount', () => ({ lastFour: CARDS.mastercard.slice(-4), amount, currency: 'EUR' })],
    ['several statuses', () => ({ status: 'refunded,partially_refunded', search: merchantTransactionId })],
    ['kind', () => ({ kind: 'card', search: merchantTransactionId })],
  ])('%s', async (_, query) => {
    const asked = await query();
    expect(await listed(asked)).toEqual([payment.paymentId]);
    expect(await listed(asked, other)).toEqual([]);
  });

  test.each<[string, () => Record<string, string>]>([
    ['another status', () => ({ status: 'failed,expired', search: merchantTransactionId })],
    ['another kind', () => ({ kind: 'upi', search: merchantTransactionId })],
    ['a kind that its method is not of', () => ({ kind: 'upi', methodId: '1', search: merchantTransactionId })],
    ['other digits', () => ({ lastFour: '0000', search: merchantTransactionId })],
    ['another amount', () => ({ amount: '1.00', currency: 'EUR', search: merchantTransactionId })],
    ['the middle of its transaction id', () => ({ search: merchantTransactionId.slice(3) })],
    ['a wildcard', () => ({ search: `${merchantTransactionId.slice(0, -2)}%` })],
  ])('not by %s', async (_, query) => {
    expect(await listed(query())).toEqual([]);
  });
});

test.each([
  ['amount=10.00', 'currency'],
  ['minAmount=10.00', 'currency'],
  ['amount=10&currency=EUR', 'amount'],
  ['amount=10.00&minAmount=1.00&currency=EUR', 'minAmount'],
  ['lastFour=12', 'lastFour'],
  ['status=captured,gone', 'status'],
  ['kind=gold', 'kind'],
  ['search=%20', 'search'],
])('the list refuses %s', async (query, field) => {
  const { status, body } = await merchant.get(`${PAYMENTS}?${query}`);
  expect(status).toBe(400);
  expect(JSON.stringify(body.details)).toContain(field);
});

test('pages of several statuses and methods follow each other without gap or repeat', async () => {
  const transaction = transactionId();
  const made: string[] = [];
  for (const [n, card] of [CARDS.visa, CARDS.declined, CARDS.visa, CARDS.declined, CARDS.visa].entries()) {
    const { body } = await merchant.pay(card, { merchantTransactionId: `${transaction}-${n}` });
    made.push(body.data.paymentId);
  }
  const filter = { status: 'captured,settled,failed', kind: 'card', search: transaction, limit: '2' };
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams({ ...filter, ...(cursor && { cursor }) });
    const { body } = await merchant.get(`${PAYMENTS}?${query}`);
    seen.push(...body.data.map(({ paymentId }: Json) => paymentId));
    cursor = body.nextCursor ?? undefined;
  } while (cursor);
  expect(seen).toEqual(made.reverse());
});

describe('a payment in full', () => {
  const acts = async (paymentId: string) =>
    Object.fromEntries(
      (await merchant.get(`${PAYMENTS}/${paymentId}/acts`)).body.data.map(({ act, ...rest }: Json) => [act, rest]),
    );
  const entries = async (paymentId: string): Promise<Json[]> =>
    (await merchant.get(`${PAYMENTS}/${paymentId}/entries`)).body.data;

  test('authorized: capture and cancel; captured: refund, and what is left of it', async () => {
    const { paymentId } = await merchant.paid(CARDS.visa, { capture: 'manual' }, ['authorized']);
    expect(await acts(paymentId)).toEqual({
      capture: { allowed: true, maxAmount: '10.00', currency: 'EUR' },
      cancel: { allowed: true, maxAmount: '10.00', currency: 'EUR' },
      refund: { allowed: false, currency: 'EUR', code: 'invalid_state', reason: expect.stringContaining('authorized') },
    });
    expect(await entries(paymentId)).toMatchObject([{ effect: 'hold', amount: '10.00', reference: paymentId }]);
    await merchant.capture(paymentId, { amount: '8.00' });
    await merchant.until(paymentId, 'captured', 'settled');
    await merchant.refund(paymentId, { amount: '3.00' });
    await merchant.until(paymentId, 'partially_refunded');
    expect(await acts(paymentId)).toMatchObject({
      capture: { allowed: false, code: 'invalid_state' },
      cancel: { allowed: false, code: 'invalid_state' },
      refund: { allowed: true, maxAmount: '5.00' },
    });
    const effects = (await entries(paymentId)).map(({ effect, amount }) => `${effect} ${amount}`);
    expect(effects).toEqual(['hold 10.00', 'credit 8.00', 'hold 3.00', 'debit 3.00']);
    await merchant.refund(paymentId);
    await merchant.until(paymentId, 'refunded');
    expect(await acts(paymentId)).toMatchObject({ refund: { allowed: false, code: 'invalid_state' } });
  });

  test('what processors told of it, and nobody else’s', async () => {
    const { paymentId } = await merchant.paid(CARDS.visa);
    await actors.simulator.callback({ reference: paymentId, event: 'authorized' });
    const { body } = await merchant.get(`${PAYMENTS}/${paymentId}/callbacks`);
    const told = body.data.find(({ type }: Json) => type === 'authorized');
    expect(told).toMatchObject({ processor: 'a', amount: '10.00', currency: 'EUR' });
    expect(told).not.toHaveProperty('raw');
    for (const part of ['acts', 'entries', 'callbacks'])
      expect((await other.get(`${PAYMENTS}/${paymentId}/${part}`)).status).toBe(404);
  });
});

describe('statistics', () => {
  const at = (ms: number) => new Date(ms).toISOString();
  const asked = (query: Record<string, string>) =>
    merchant.get(`/ipg/1.0.0/payment/statistics?${new URLSearchParams(query)}`);

  test('count each payment once, by currency, and refunds apart', async () => {
    // Nobody else pays in these.
    const [taken, refused] = ['ISK', 'CVE'];
    const from = at(Date.now() - 60_000);
    const { paymentId } = await merchant.paid(CARDS.visa, { amount: '1500', currency: taken });
    await merchant.refund(paymentId, { amount: '500' });
    await merchant.until(paymentId, 'partially_refunded');
    await merchant.pay(CARDS.insufficientFunds, { amount: '20.00', currency: refused });
    const { body } = await asked({ from, to: at(Date.now() + 60_000), interval: 'hour', timeZone: 'Asia/Kathmandu' });
    const of = (currency: string) => body.data.find((one: Json) => one.currency === currency);
    expect(of(taken)).toMatchObject({
      accepted: { count: 1, amount: '1500' },
      taken: { count: 1, amount: '1500' },
      refused: { count: 0, amount: '0' },
      refunded: { count: 1, amount: '500' },
      kinds: [{ kind: 'card', taken: { count: 1, amount: '1500' } }],
      fees: '0',
    });
    expect(of(refused)).toMatchObject({
      taken: { count: 0, amount: '0.00' },
      refused: { count: 1, amount: '20.00' },
      refusals: [{ result: { code: 201 }, count: 1, amount: '20.00' }],
    });
    // Hours there begin at a quarter past the hour of UTC.
    for (const { at: begins } of of(taken).intervals) expect(begins).toMatch(/:15:00.000Z$/);
    const only = await asked({ from, to: at(Date.now() + 60_000), currency: refused });
    expect(only.body.data.map(({ currency }: Json) => currency)).toEqual([refused]);
  });

  test.each([
    ['a zone that is none', { timeZone: 'Europe/Atlantis' }],
    ['an offset', { timeZone: '+01:00' }],
    ['a time that ends before it begins', { to: '2025-01-01T00:00:00.000Z' }],
    ['two months in hours', { interval: 'hour', to: '2026-03-10T00:00:00.000Z' }],
    ['half a year in days', { to: '2026-07-10T00:00:00.000Z' }],
  ])('refuse %s', async (_, query) => {
    const whole = { from: '2026-01-01T00:00:00.000Z', to: '2026-01-02T00:00:00.000Z', ...query };
    expect((await asked(whole)).status).toBe(400);
  });
});

test('the test cards are those of the simulator', async () => {
  const { status, body } = await merchant.get('/sandbox/test-cards');
  expect(status).toBe(200);
  const numbers = body.cards.map(({ number }: Json) => number).sort();
  expect(numbers).toEqual(Object.values(CARDS).sort());
  expect(body.amounts.map(({ ending }: Json) => ending).sort()).toEqual(['02', '19', '75', '95']);
});
