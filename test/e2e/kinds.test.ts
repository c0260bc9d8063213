import { sharedStack } from '../setup/stack';
import {
  type Actors,
  actorsOf,
  CAPTURED,
  type Json,
  type Merchant,
  type Overrides,
  outOfBalance,
  PAYMENTS,
  type Reply,
  receiptsOf,
  Simulator,
  send,
  transfersOf,
  until,
} from './client';

const { credentials } = sharedStack();
let actors: Actors;
let merchant: Merchant;

beforeAll(async () => {
  actors = await actorsOf(credentials);
  merchant = actors.merchant;
});
afterAll(async () => expect(await outOfBalance(actors)).toEqual([]));

interface Kind {
  title: string;
  path: string;
  processor: string;
  mode: string;
  currency?: string;
  body: Overrides;
  /** What the payer is asked to do; absent where nobody is asked. */
  action?: 'redirect' | 'qr' | 'instructions';
}

const RETURN = { returnUrl: 'https://shop.example/back' };
const apm = (country: string) => ({ payerName: 'A Buyer', payerEmail: 'a@buyer.example', country });
const debit = { iban: 'DE89370400440532013000', accountHolder: 'A Buyer', signedAt: '2026-01-31T12:00:00.000Z' };

const KINDS: Kind[] = [
  {
    title: 'redirect',
    path: '27',
    processor: 'f',
    mode: 'apm',
    action: 'redirect',
    body: { apm: apm('NL'), ...RETURN },
  },
  {
    title: 'redirect in Iberia',
    path: '27',
    processor: 'b',
    mode: 'apm',
    action: 'redirect',
    body: { apm: apm('PT'), ...RETURN },
  },
  { title: 'voucher', path: '43', processor: 'f', mode: 'apm', action: 'instructions', body: { apm: apm('BR') } },
  {
    title: 'voucher in Iberia',
    path: '27,43',
    processor: 'b',
    mode: 'apm',
    action: 'instructions',
    body: { methodId: 43, apm: apm('ES') },
  },
  {
    title: 'UPI collect',
    path: '30',
    processor: 'f',
    mode: 'upi',
    currency: 'INR',
    action: 'instructions',
    body: { upi: { vpa: 'buyer@bank' } },
  },
  {
    title: 'UPI intent',
    path: '30-31',
    processor: 'f',
    mode: 'upi',
    currency: 'INR',
    action: 'redirect',
    body: { methodId: 31, upi: { flow: 'intent' } },
  },
  {
    title: 'UPI QR',
    path: '31',
    processor: 'f',
    mode: 'upi',
    currency: 'INR',
    action: 'qr',
    body: { upi: { flow: 'qr' } },
  },
  { title: 'QR code', path: '60', processor: 'f', mode: 'qr', action: 'qr', body: { qr: {} } },
  {
    title: 'bank transfer',
    path: '61',
    processor: 'b',
    mode: 'bank_transfer',
    action: 'instructions',
    body: { bankTransfer: { payerName: 'A Buyer' } },
  },
  { title: 'direct debit', path: '62', processor: 'e', mode: 'direct_debit', body: { directDebit: debit } },
  {
    title: 'crypto',
    path: '63',
    processor: 'h',
    mode: 'crypto',
    action: 'instructions',
    body: { crypto: { asset: 'BTC' } },
  },
  { title: 'hosted page of C', path: '64', processor: 'c', mode: 'hosted_page', action: 'redirect', body: RETURN },
  { title: 'hosted page of D', path: '65', processor: 'd', mode: 'hosted_page', action: 'redirect', body: RETURN },
];
const ASKING = KINDS.filter(({ action }) => action !== undefined);

const pay = (kind: Kind, amount = '10.00', overrides: Overrides = {}): Promise<Reply> =>
  merchant.pay(
    undefined,
    { amount, currency: kind.currency ?? 'EUR', ...kind.body, ...overrides },
    { path: kind.path },
  );

const simulatorOf = (kind: Kind) => new Simulator(credentials.simulatorUrl, kind.processor);

/** Presses a button on the payer's page. */
async function press(action: Json, outcome: string): Promise<Reply> {
  const answer = await send(action.fields?.pageUrl ?? action.url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `outcome=${outcome}`,
  });
  expect([200, 303]).toContain(answer.status);
  return answer;
}

/** Each kind with each amount that the processors decline. */
const DECLINED = KINDS.flatMap((kind) => [
  { ...kind, amount: '10.02', code: 200 },
  { ...kind, amount: '10.95', code: 201 },
]);

// These wait most of the time, and none of them minds another.
test.concurrent.each(KINDS)('$title is paid, settled and refunded in part', async (kind) => {
  const { status, body } = await pay(kind);
  expect([status, body.data?.paymentMode]).toEqual([202, kind.mode]);
  const { paymentId, action } = body.data;
  expect(body.data.processor).toBe(kind.processor);
  if (kind.action) {
    expect(body.data).toMatchObject({ transactionStatus: 'requires_action', result: { code: 102 } });
    expect(action.type).toBe(kind.action);
    expect(Date.parse(action.expiresAt)).toBeGreaterThan(Date.now());
    await press(action, 'authenticated');
  } else expect(body.data).toMatchObject({ transactionStatus: 'pending', result: { code: 100 } });
  const paid = await merchant.until(paymentId, ...CAPTURED);
  expect(paid.amounts).toMatchObject({ authorized: '10.00', captured: '10.00', refunded: '0.00' });
  expect(paid.action).toBeUndefined();
  expect(await simulatorOf(kind).charges(paymentId)).toMatchObject([{ captured: '10.00' }]);
  await merchant.until(paymentId, 'settled');
  const refund = await merchant.refund(paymentId, { amount: '4.00' });
  expect([201, 202]).toContain(refund.status);
  expect((await merchant.until(paymentId, 'partially_refunded')).amounts.refunded).toBe('4.00');
  expect(await simulatorOf(kind).charges(paymentId)).toMatchObject([{ refunded: '4.00' }]);
  const events = await merchant.events(paymentId);
  expect(events[0].detail).toMatch(new RegExp(`routed to processor ${kind.processor}`));
});

test.concurrent.each(DECLINED)('$title $amount is declined with $code', async ({ amount, code, ...kind }) => {
  const { status, body } = await pay(kind, amount);
  expect([201, 202]).toContain(status);
  expect(await merchant.until(body.data.paymentId, 'failed')).toMatchObject({ result: { code } });
});

test.concurrent.each(KINDS)('$title charged without an answer: found out, once', async (kind) => {
  const { body } = await pay(kind, '10.75');
  await merchant.until(body.data.paymentId, ...CAPTURED);
  expect(await simulatorOf(kind).charges(body.data.paymentId)).toMatchObject([{ captured: '10.75' }]);
});

test.concurrent.each(KINDS)('$title a closed connection charges nothing', async (kind) => {
  const { body } = await pay(kind, '10.19');
  expect(await merchant.until(body.data.paymentId, 'failed')).toMatchObject({ result: { code: 501 } });
  expect(await simulatorOf(kind).charges(body.data.paymentId)).toEqual([]);
});

test.concurrent.each(ASKING)('$title, whose payer refuses: failed', async (kind) => {
  const { paymentId, action } = (await pay(kind)).body.data;
  await press(action, 'failed');
  expect(await merchant.until(paymentId, 'failed')).toMatchObject({ result: { code: 200 } });
});

test.concurrent.each(ASKING)(
  '$title, whose payer does nothing while the merchant cancels; what arrives later goes back',
  async (kind) => {
    const { paymentId } = (await pay(kind)).body.data;
    expect((await merchant.cancel(paymentId)).status).toBe(200);
    await simulatorOf(kind).callback({ reference: paymentId, event: 'captured' });
    await until(`${paymentId} returned`, async () => {
      const [charge] = await simulatorOf(kind).charges(paymentId);
      return charge?.refunded === '10.00';
    });
    expect((await merchant.status(paymentId)).transactionStatus).toBe('cancelled');
    await until(`${paymentId} booked`, async () => (await receiptsOf(actors, paymentId))[0]?.status === 'returned');
  },
);

test.concurrent.each(ASKING)('$title, whose payer pays unseen; the processor tells', async (kind) => {
  const { paymentId } = (await pay(kind)).body.data;
  await simulatorOf(kind).callback({ reference: paymentId, event: 'captured', repeat: 5 });
  await merchant.until(paymentId, ...CAPTURED);
  expect(await transfersOf(actors, `${paymentId}/capture`)).toHaveLength(1);
});

describe('pictures', () => {
  test.each(KINDS.filter(({ action }) => action === 'qr'))('$title comes as PNG and SVG', async (kind) => {
    const { fields } = (await pay(kind)).body.data.action;
    expect(Buffer.from(fields.png.split(',')[1], 'base64').subarray(1, 4).toString()).toBe('PNG');
    expect(decodeURIComponent(fields.svg)).toMatch(/^data:image\/svg\+xml,<svg /);
  });
});

describe('money that is sent', () => {
  const SENT = KINDS.filter(({ path }) => path === '61' || path === '63');

  test.concurrent.each(SENT)('$title: half of it waits for the rest', async (kind) => {
    const { paymentId, action } = (await pay(kind)).body.data;
    await press(action, 'underpaid');
    const partly = await until(`${paymentId} partly paid`, async () => {
      const record = await merchant.status(paymentId);
      return /5\.00/.test(record.status.detail) && record;
    });
    expect(partly).toMatchObject({ transactionStatus: 'requires_action', amounts: { captured: '0.00' } });
    await press(action, 'authenticated');
    expect((await merchant.until(paymentId, ...CAPTURED)).amounts.captured).toBe('10.00');
  });

  test.concurrent.each(SENT)('$title: too much is captured as agreed, and said', async (kind) => {
    const { paymentId, action } = (await pay(kind)).body.data;
    await press(action, 'overpaid');
    await merchant.until(paymentId, ...CAPTURED);
    expect((await merchant.status(paymentId)).amounts.captured).toBe('10.00');
    expect((await merchant.events(paymentId)).some(({ detail }: Json) => /1\.00/.test(detail))).toBe(true);
  });

  test.concurrent.each(SENT)('$title: sent after the merchant cancelled, it goes back', async (kind) => {
    const { paymentId, action } = (await pay(kind)).body.data;
    await merchant.cancel(paymentId);
    await press(action, 'authenticated');
    await until(`${paymentId} returned`, async () => {
      const [charge] = await simulatorOf(kind).charges(paymentId);
      return charge?.refunded === '10.00';
    });
    expect((await merchant.status(paymentId)).transactionStatus).toBe('cancelled');
  });

  test.concurrent.each(SENT)('$title: two parts sent after the end go back, each under its own key', async (kind) => {
    const { paymentId, action } = (await pay(kind)).body.data;
    await merchant.cancel(paymentId);
    await press(action, 'underpaid');
    await until(`a part of ${paymentId} arrived`, async () => (await receiptsOf(actors, paymentId)).length === 1);
    await press(action, 'authenticated');
    const receipts = await until(`both parts of ${paymentId} went back`, async () => {
      const all = await receiptsOf(actors, paymentId);
      return all.length === 2 && all.every(({ status }: Json) => status === 'returned') && all;
    });
    expect(receipts.map(({ amount, taken }: Json) => [amount, taken])).toEqual([
      ['5.00', true],
      ['5.00', true],
    ]);
    expect(new Set(receipts.map(({ returnReference }: Json) => returnReference)).size).toBe(2);
    expect(await simulatorOf(kind).charges(paymentId)).toMatchObject([{ captured: '10.00', refunded: '10.00' }]);
  });
});

describe('wallet tokens', () => {
  const issue = async (kind: 'first' | 'second', order: Json = {}): Promise<Json> => {
    const { status, body } = await send(`${credentials.simulatorUrl}/sim/wallets/${kind}/tokens`, {
      method: 'POST',
      body: {
        card: { number: '4111111111111111', expiryMonth: '12', expiryYear: '2030' },
        amount: '10.00',
        currency: 'EUR',
        merchantId: credentials.organizationId,
        ...order,
      },
    });
    expect(status).toBe(201);
    return body;
  };
  const payWith = (path: string, walletToken: Json, overrides: Overrides = {}) =>
    merchant.pay(undefined, { walletToken, ...overrides }, { path });

  test.each([
    ['first', '48-51,56-59', 'WALLET_1'],
    ['first', '59', 'WALLET_1'],
    ['second', '44-47,52-55', 'WALLET_2'],
    ['second', '47', 'WALLET_2'],
  ] as const)('%s kind on %s', async (kind, path, brand) => {
    const { status, body } = await payWith(path, await issue(kind));
    expect([status, body.data?.transactionStatus, body.data?.paymentBrand]).toEqual([201, 'captured', brand]);
    expect(body.data).toMatchObject({ paymentMode: 'wallet', processor: 'e', card: { last4Digits: '1111' } });
  });

  test.each(['first', 'second'] as const)(
    '%s kind: the card inside is declined as it would be outside',
    async (kind) => {
      const card = { number: '4000000000009995', expiryMonth: '12', expiryYear: '2030' };
      const { body } = await payWith(kind === 'first' ? '48' : '44', await issue(kind, { card }));
      expect(body.data).toMatchObject({ transactionStatus: 'failed', result: { code: 201 } });
    },
  );

  test.each(['first', 'second'] as const)('%s kind: captured by hand, cancelled', async (kind) => {
    const path = kind === 'first' ? '48' : '44';
    const held = (await payWith(path, await issue(kind), { capture: 'manual' })).body.data;
    expect(held.transactionStatus).toBe('authorized');
    expect((await merchant.capture(held.paymentId, { amount: '6.00' })).body.data.amounts.captured).toBe('6.00');
    const other = (await payWith(path, await issue(kind), { capture: 'manual' })).body.data;
    expect((await merchant.cancel(other.paymentId)).body.data.transactionStatus).toBe('cancelled');
  });

  test.each([
    ['first', '48', { merchantId: 'org_other' }],
    ['second', '44', { merchantId: 'org_other' }],
    ['first', '48', { expiresInMs: -1_000 }],
    ['second', '44', { expiresInMs: -1_000 }],
    ['second', '44', { amount: '11.00' }],
  ] as const)('%s kind on %s with %j: 400, nothing stored, nothing sent', async (kind, path, order) => {
    const token = await issue(kind, order);
    const sent = merchant.order(undefined, { walletToken: token });
    const { status, body } = await merchant.post(`/payments/h2h/${path}`, sent);
    expect([status, body.code, body.details?.[0].field]).toEqual([400, 'invalid_request', 'walletToken']);
    const known = await merchant.post(`${PAYMENTS}/status-by-transaction-id`, {
      transactionId: sent.merchantTransactionId,
    });
    expect(known.status).toBe(404);
  });

  test.each(['first', 'second'] as const)('%s kind: a token pays once, whoever comes first', async (kind) => {
    const path = kind === 'first' ? '48' : '44';
    const walletToken = await issue(kind);
    const answers = await Promise.all([1, 2, 3].map(() => payWith(path, walletToken)));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(Array(2).fill([409, 'wallet_token_used']));
    expect((await payWith(path, walletToken)).body.code).toBe('wallet_token_used');
  });

  test.each(['first', 'second'] as const)('%s kind: the same request again is the same payment', async (kind) => {
    const path = kind === 'first' ? '48' : '44';
    const order = merchant.order(undefined, { walletToken: await issue(kind) });
    const ask = (key?: string) => merchant.post(`/payments/h2h/${path}`, order, key ? { 'idempotency-key': key } : {});
    const key = `again-${order.merchantTransactionId}`;
    const [first, again] = [await ask(key), await ask(key)];
    expect([again.status, again.body.data.paymentId]).toEqual([first.status, first.body.data.paymentId]);
    const anew = await ask();
    expect([anew.status, anew.body.code]).toEqual([409, 'duplicate_transaction']);
  });

  test.each(['first', 'second'] as const)('%s kind: a token that was declined is used too', async (kind) => {
    const path = kind === 'first' ? '48' : '44';
    const card = { number: '4000000000009995', expiryMonth: '12', expiryYear: '2030' };
    const walletToken = await issue(kind, { card });
    expect((await payWith(path, walletToken)).body.data.transactionStatus).toBe('failed');
    expect((await payWith(path, walletToken)).body.code).toBe('wallet_token_used');
  });

  test('altered, and of the other kind: 400', async () => {
    const first = await issue('first');
    const altered = {
      ...first,
      signedMessage: first.signedMessage.replace(/[A-Za-z]/, (c: string) => (c === 'x' ? 'y' : 'x')),
    };
    expect((await payWith('48', altered)).status).toBe(400);
    expect((await payWith('44', first)).status).toBe(400);
    const second = await issue('second');
    const data = `${second.data.startsWith('A') ? 'B' : 'A'}${second.data.slice(1)}`;
    expect((await payWith('44', { ...second, data })).status).toBe(400);
  });
});

describe('direct debit', () => {
  const kind = KINDS.find(({ path }) => path === '62')!;

  test.concurrent('a later payment collects under the mandate of an earlier one', async () => {
    const first = (await pay(kind)).body.data;
    expect(first.mandateId).toMatch(/^mnd_/);
    expect(first.status.detail).toContain(first.mandateId);
    await merchant.until(first.paymentId, ...CAPTURED);
    const again = (await pay(kind, '7.00', { directDebit: { mandateId: first.mandateId } })).body.data;
    expect(again.mandateId).toBe(first.mandateId);
    await merchant.until(again.paymentId, ...CAPTURED);
  });

  test('a mandate of nobody, or of another organization: 400', async () => {
    const other = (await actorsOf(credentials, credentials.other)).merchant;
    const { mandateId } = (await pay(kind)).body.data;
    for (const [who, id] of [
      [merchant, 'mnd_nothing'],
      [other, mandateId],
    ] as const) {
      const { status, body } = await who.pay(undefined, { directDebit: { mandateId: id } }, { path: '62' });
      expect([status, body.details?.[0].field]).toEqual([400, 'directDebit.mandateId']);
    }
  });

  const from = (iban: string) => pay(kind, '10.00', { directDebit: { ...debit, iban } });

  test.concurrent.each([
    ['DE25370400440000000095', 201, 'AM04'],
    ['DE57370400440000000004', 200, 'AC04'],
    ['DE41370400440000000001', 200, 'MD01'],
  ])('a collection from %s fails days later with %i, %s', async (iban, code, reason) => {
    const { body } = await from(iban);
    expect(body.data.transactionStatus).toBe('pending');
    const failed = await merchant.until(body.data.paymentId, 'failed');
    expect(failed).toMatchObject({ result: { code }, status: { detail: expect.stringContaining(reason) } });
    expect(await transfersOf(actors, `${body.data.paymentId}/capture`)).toEqual([]);
  });

  test.concurrent('an account from which it is returned', async () => {
    const { body } = await from('DE03370400440000000006');
    const returned = await merchant.until(body.data.paymentId, 'charged_back');
    expect(returned.amounts).toMatchObject({ captured: '10.00', chargedBack: '10.00' });
  });

  test.concurrent('says how far it has come: pre-notified, submitted, captured', async () => {
    const { paymentId } = (await pay(kind)).body.data;
    await merchant.until(paymentId, ...CAPTURED);
    const told = (await merchant.events(paymentId)).map(({ detail }: Json) => detail).join(' | ');
    expect(told).toMatch(/Mandate mnd_\S+ accepted.*pre-notified, collected on .*submitted to the debtor's bank/);
  });

  test('cancelled before it is submitted: nothing is collected', async () => {
    const { paymentId } = (await pay(kind)).body.data;
    expect((await merchant.cancel(paymentId)).body.data.transactionStatus).toBe('cancelled');
    expect(await simulatorOf(kind).charges(paymentId)).toMatchObject([{ status: 'cancelled', captured: '0.00' }]);
  });

  test('cancelled after it was submitted: refused, and collected all the same', async () => {
    const { paymentId } = (await pay(kind)).body.data;
    await until(`${paymentId} submitted`, async () =>
      /submitted/.test((await merchant.status(paymentId)).status.detail),
    );
    const { body } = await merchant.cancel(paymentId);
    expect(body.data).toMatchObject({
      transactionStatus: 'pending',
      status: { detail: expect.stringMatching(/void was refused.*debtor's bank/) },
    });
    await merchant.until(paymentId, ...CAPTURED);
  });

  test.concurrent('returned by the bank within the window: the money goes back', async () => {
    const { paymentId } = (await pay(kind)).body.data;
    await merchant.until(paymentId, 'settled');
    await simulatorOf(kind).callback({ reference: paymentId, event: 'charged_back' });
    const returned = await merchant.until(paymentId, 'charged_back');
    expect(returned.amounts.chargedBack).toBe('10.00');
    const { body } = await merchant.get(`/disputes/1.0.0/disputes?paymentId=${paymentId}`);
    expect(body.data).toMatchObject([{ status: 'lost' }]);
  });
});

describe('routing', () => {
  const rules = (body: Json) =>
    send(`${credentials.apiUrl}/routing/1.0.0/rules`, { method: 'PUT', headers: actors.tenantAdmin.headers, body });
  const currency = 'JMD';
  afterAll(async () => {
    await rules({ rules: [] });
    await new Simulator(credentials.simulatorUrl, 'c').clearFaults();
  });

  test('rules say which processor serves; the timeline says why', async () => {
    const sent = {
      rules: [
        { name: 'Caribbean', kinds: ['card'], currencies: [currency], minAmount: '1.00', processors: ['c', 'a'] },
      ],
    };
    const put = await rules(sent);
    expect([put.status, put.body]).toEqual([200, sent]);
    expect((await actors.tenantAdmin.get('/routing/1.0.0/rules')).body).toEqual(sent);
    const { paymentId } = await merchant.paid('4111111111111111', { currency });
    expect(await new Simulator(credentials.simulatorUrl, 'c').charges(paymentId)).toMatchObject([
      { captured: '10.00' },
    ]);
    expect((await merchant.events(paymentId))[0].detail).toMatch(/processor c, then processor a by rule "Caribbean"/);
  });

  test('the risk of the business decides where a rule asks for it', async () => {
    const setRisk = (risk: string) =>
      send(`${credentials.apiUrl}/routing/1.0.0/organizations/${credentials.organizationId}/risk`, {
        method: 'PUT',
        headers: actors.tenantAdmin.headers,
        body: { risk },
      });
    await rules({
      rules: [{ name: 'high risk', kinds: ['card'], currencies: [currency], risk: ['high'], processors: ['g'] }],
    });
    expect((await setRisk('high')).status).toBe(200);
    const processorOf = async () => (await merchant.pay('4111111111111111', { currency })).body.data.processor;
    try {
      // Every process has the new risk within seconds.
      await until('routed to g', async () => (await processorOf()) === 'g');
    } finally {
      await setRisk('standard');
    }
    await until('routed as usual', async () => (await processorOf()) === 'a');
  });

  test('what one processor never got goes to the next, and only then', async () => {
    await rules({ rules: [{ kinds: ['card'], currencies: [currency], processors: ['c', 'a'] }] });
    const c = new Simulator(credentials.simulatorUrl, 'c');
    await c.fault('authorize', 'close_before', { times: 1 });
    const { body } = await merchant.pay('4111111111111111', { currency });
    const paid = await merchant.until(body.data.paymentId, ...CAPTURED);
    expect(paid.processor).toBe('a');
    expect(await c.charges(paid.paymentId)).toEqual([]);
    expect(await actors.simulator.charges(paid.paymentId)).toMatchObject([{ captured: '10.00' }]);
    const events = await merchant.events(paid.paymentId);
    expect(events.find(({ cause }: Json) => cause === 'routing').detail).toMatch(
      /Processor c charged nothing .* processor a instead/,
    );
    const { body: attempts } = await merchant.get(`${PAYMENTS}/${paid.paymentId}/attempts`);
    expect(attempts.data).toMatchObject([
      { number: 1, processor: 'c', status: 'nothing_charged', operations: [{ kind: 'authorize', status: 'failed' }] },
      {
        number: 2,
        processor: 'a',
        status: 'captured',
        processorReference: expect.any(String),
        operations: [{ kind: 'authorize', status: 'succeeded', amount: '10.00', sends: 1 }],
      },
    ]);
  });

  test('an unknown outcome stays with the processor that has it', async () => {
    const c = new Simulator(credentials.simulatorUrl, 'c');
    await c.fault('authorize', 'close_after', { times: 1 });
    const { body } = await merchant.pay('4111111111111111', { currency });
    const paid = await merchant.until(body.data.paymentId, ...CAPTURED);
    expect(paid.processor).toBe('c');
    expect(await actors.simulator.charges(paid.paymentId)).toEqual([]);
  });

  test('a decline is an answer, not an outage', async () => {
    const { body } = await merchant.pay('4000000000000002', { currency });
    expect(body.data).toMatchObject({ transactionStatus: 'failed', processor: 'c', result: { code: 200 } });
  });

  test('money that the first processor took after all goes back', async () => {
    const c = new Simulator(credentials.simulatorUrl, 'c');
    await c.fault('authorize', 'close_before', { times: 1 });
    const { body } = await merchant.pay('4111111111111111', { currency });
    const { paymentId } = await merchant.until(body.data.paymentId, ...CAPTURED);
    await c.callback({ reference: paymentId, event: 'captured', amount: '10.00', currency });
    await until(`${paymentId} late`, async () => (await receiptsOf(actors, paymentId)).length > 0);
    expect((await merchant.status(paymentId)).amounts.captured).toBe('10.00');
    const { body: attempts } = await merchant.get(`${PAYMENTS}/${paymentId}/attempts`);
    expect(attempts.data).toMatchObject([
      {
        processor: 'c',
        status: 'captured',
        operations: [
          { kind: 'authorize', status: 'succeeded' },
          { kind: 'return', amount: '10.00' },
        ],
      },
      { processor: 'a', status: 'captured', operations: [{ kind: 'authorize', status: 'succeeded' }] },
    ]);
  });

  test('a processor that charges after the fail-over has an attempt of its own, and gives the money back', async () => {
    await rules({ rules: [{ kinds: ['card'], currencies: [currency], processors: ['c', 'a'] }] });
    const c = new Simulator(credentials.simulatorUrl, 'c');
    await c.fault('authorize', 'delay', { times: 1, delayMs: 15_000 });
    const { body } = await merchant.pay('4111111111111111', { currency });
    const paid = await merchant.until(body.data.paymentId, ...CAPTURED);
    expect(paid.processor).toBe('a');
    const [receipt] = await until('returned', async () => {
      const receipts = await receiptsOf(actors, paid.paymentId);
      return receipts[0]?.status === 'returned' && receipts;
    });
    expect(receipt).toMatchObject({ processor: 'c', amount: '10.00' });
    expect(await c.charges(paid.paymentId)).toMatchObject([{ captured: '10.00', refunded: '10.00' }]);
    expect(await actors.simulator.charges(paid.paymentId)).toMatchObject([{ captured: '10.00', refunded: '0.00' }]);
    const { body: attempts } = await merchant.get(`${PAYMENTS}/${paid.paymentId}/attempts`);
    expect(
      attempts.data.map(({ processor, operations }: Json) => [processor, ...operations.map(({ kind }: Json) => kind)]),
    ).toEqual([
      ['c', 'authorize', 'return'],
      ['a', 'authorize'],
    ]);
  });

  test.each([
    [{ rules: [{ processors: ['z'] }] }, 'rules[0].processors[0]'],
    [{ rules: [{ kinds: ['crypto'], processors: ['a'] }] }, 'rules[0].processors[0]'],
    [{ rules: [{ minAmount: '1.00', processors: ['a'] }] }, 'rules[0].minAmount'],
    [{ rules: [{ currencies: ['EUR', 'USD'], maxAmount: '1.00', processors: ['a'] }] }, 'rules[0].maxAmount'],
    [{ rules: [{ processors: [] }] }, 'rules[0].processors'],
  ])('%j is refused', async (body, field) => {
    const { status, body: answer } = await rules(body);
    expect([status, answer.details?.[0].field]).toEqual([400, field]);
  });
});
