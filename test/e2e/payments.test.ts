import { sharedStack } from '../setup/stack';
import {
  type Actors,
  actorsOf,
  CAPTURED,
  CARDS,
  challenge,
  type Json,
  Merchant,
  outOfBalance,
  PAYMENTS,
  send,
  signIn,
  transactionId,
  transfersOf,
  until,
} from './client';

const { credentials } = sharedStack();
let actors: Actors;
let merchant: Merchant;
let other: Merchant;

beforeAll(async () => {
  actors = await actorsOf(credentials);
  merchant = actors.merchant;
  other = (await actorsOf(credentials, credentials.other)).merchant;
});
afterAll(async () => expect(await outOfBalance(actors)).toEqual([]));

const fieldsOf = (body: Json) => (body.details ?? []).map(({ field }: { field: string }) => field);

describe('each test card ends as documented', () => {
  test.each([
    ['visa', 'captured', 0, 'VISA'],
    ['mastercard', 'captured', 0, 'MASTERCARD'],
    ['amex', 'captured', 0, 'AMEX'],
    ['frictionless', 'captured', 0, 'VISA'],
    ['authenticationFails', 'failed', 300, 'VISA'],
    ['declined', 'failed', 200, 'VISA'],
    ['insufficientFunds', 'failed', 201, 'VISA'],
    ['expired', 'failed', 202, 'VISA'],
    ['cvvMismatch', 'failed', 203, 'VISA'],
    ['lost', 'failed', 205, 'VISA'],
  ] as const)('%s: %s (%d), at once', async (card, state, code, brand) => {
    const { status, body } = await merchant.pay(CARDS[card]);
    expect(status).toBe(201);
    expect(body.data).toMatchObject({
      result: { code },
      transactionStatus: state,
      paymentBrand: brand,
      paymentMode: 'card',
      amount: '10.00',
      currency: 'EUR',
      amounts: { captured: state === 'captured' ? '10.00' : '0.00', refunded: '0.00', chargedBack: '0.00' },
      card: { last4Digits: CARDS[card].slice(-4), holder: 'A Buyer' },
    });
    expect(body.data.card.bin).toBe(CARDS[card].slice(0, CARDS[card].length >= 16 ? 8 : 6));
    expect(body.data.status.detail).toMatch(/\w/);
    expect(JSON.stringify(body)).not.toContain(CARDS[card]);
    const [charge] = await actors.simulator.charges(body.data.paymentId);
    expect(charge).toMatchObject({ captured: state === 'captured' ? '10.00' : '0.00', requests: 1 });
  });

  test('closed connection: failed (501); charged without an answer: pending (500), then captured; one charge', async () => {
    const [closed, silent] = await Promise.all([
      merchant.pay(CARDS.closesConnection),
      merchant.pay(CARDS.neverAnswers),
    ]);
    for (const { status, body } of [closed, silent]) {
      expect(status).toBe(202);
      expect(body.data).toMatchObject({ result: { code: 500 }, transactionStatus: 'pending' });
    }
    const [failed, captured] = await Promise.all([
      merchant.until(closed.body.data.paymentId, 'failed'),
      merchant.until(silent.body.data.paymentId, ...CAPTURED),
    ]);
    expect(failed.result.code).toBe(501);
    expect(captured.result.code).toBe(0);
    expect(await actors.simulator.charges(failed.paymentId)).toEqual([]);
    expect(await actors.simulator.charges(captured.paymentId)).toMatchObject([{ captured: '10.00', requests: 1 }]);
  });

  test('a card out of date is refused (202)', async () => {
    const { body } = await merchant.pay(CARDS.visa, { card: { expiryYear: '2020' } });
    expect(body.data).toMatchObject({ transactionStatus: 'failed', result: { code: 202 } });
  });
});

describe('3-D Secure', () => {
  const challenged = async (number: string, overrides = {}) => {
    const { status, body } = await merchant.pay(number, overrides);
    expect(status).toBe(202);
    expect(body.data).toMatchObject({
      transactionStatus: 'requires_action',
      result: { code: 101 },
      action: { type: 'redirect', method: 'GET' },
    });
    expect(Date.parse(body.data.action.expiresAt)).toBeGreaterThan(Date.now());
    return body.data;
  };

  test('passed: captured, and the payer goes back with the payment id', async () => {
    const { paymentId, action } = await challenged(CARDS.challenge, { returnUrl: 'https://shop.example/back?cart=7' });
    const page = await challenge(action.url, 'authenticated');
    expect(page.status).toBe(303);
    expect(page.headers.get('location')).toBe(`https://shop.example/back?cart=7&paymentId=${paymentId}`);
    const record = await merchant.until(paymentId, ...CAPTURED);
    expect(record).toMatchObject({ result: { code: 0 }, amounts: { captured: '10.00' } });
    expect(record.action).toBeUndefined();
  });

  test('refused by the payer: failed (300)', async () => {
    const { paymentId, action } = await challenged(CARDS.challenge);
    await challenge(action.url, 'failed');
    expect((await merchant.until(paymentId, 'failed')).result.code).toBe(300);
  });

  test('passed, then declined: failed (200)', async () => {
    const { paymentId, action } = await challenged(CARDS.challengeThenDeclined);
    await challenge(action.url, 'authenticated');
    expect((await merchant.until(paymentId, 'failed')).result.code).toBe(200);
  });

  test('the second answer of a payer changes nothing', async () => {
    const { paymentId, action } = await challenged(CARDS.challenge);
    await Promise.all([challenge(action.url, 'authenticated'), challenge(action.url, 'authenticated')]);
    await merchant.until(paymentId, ...CAPTURED);
    await challenge(action.url, 'failed');
    expect((await send(action.url)).status).toBe(410);
    expect(CAPTURED).toContain((await merchant.status(paymentId)).transactionStatus);
    expect(await actors.simulator.charges(paymentId)).toMatchObject([{ captured: '10.00' }]);
  });

  test('required asks where none would be; none asks where one would be', async () => {
    const { paymentId, action } = await challenged(CARDS.visa, { threeDS: 'required' });
    await challenge(action.url, 'authenticated');
    await merchant.until(paymentId, ...CAPTURED);
    const { status, body } = await merchant.pay(CARDS.challenge, { threeDS: 'none' });
    expect(status).toBe(201);
    expect(body.data.transactionStatus).toBe('captured');
  });
});

describe('saved cards', () => {
  test('a token pays again, is one per card, and shows no number', async () => {
    const first = await merchant.paid(CARDS.mastercard, { storeCard: true });
    expect(first.cardToken).toMatch(/\w/);
    const again = await merchant.paid(CARDS.mastercard, { storeCard: true });
    expect(again.cardToken).toBe(first.cardToken);
    const another = await merchant.paid(CARDS.amex, { storeCard: true });
    expect(another.cardToken).not.toBe(first.cardToken);
    const { status, body } = await merchant.pay(undefined, { cardToken: first.cardToken });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({
      transactionStatus: 'captured',
      paymentBrand: 'MASTERCARD',
      card: { last4Digits: '4444' },
    });
    expect((await merchant.paid(CARDS.visa)).cardToken).toBeUndefined();
  });

  test('a declined card is not kept', async () => {
    const { body } = await merchant.pay(CARDS.declined, { storeCard: true });
    expect(body.data.cardToken).toBeUndefined();
  });

  test('a token is good for its own organization only', async () => {
    const { cardToken } = await other.paid(CARDS.visa, { storeCard: true });
    const { status, body } = await merchant.pay(undefined, { cardToken });
    expect(status).toBe(422);
    expect(body.code).toBe('card_token_unusable');
    const unknown = await merchant.pay(undefined, { cardToken: 'pmt_00000000000000000000000000' });
    expect({ status: unknown.status, message: unknown.body.message }).toEqual({ status, message: body.message });
  });

  test('card and token together are refused, neither too', async () => {
    const both = await merchant.pay(CARDS.visa, { cardToken: 'x' });
    expect([both.status, fieldsOf(both.body)]).toEqual([400, ['card']]);
    const neither = await merchant.pay(undefined);
    expect([neither.status, fieldsOf(neither.body)]).toEqual([400, ['card']]);
  });
});

describe('recurring', () => {
  test('a follow-up needs neither card nor payer', async () => {
    const { body } = await merchant.pay(CARDS.challenge, { recurring: { initial: true } });
    await challenge(body.data.action.url, 'authenticated');
    const { paymentId } = await merchant.until(body.data.paymentId, ...CAPTURED);
    const followUp = await merchant.pay(undefined, { recurring: { originalPaymentId: paymentId }, amount: '4.00' });
    expect(followUp.status).toBe(201);
    expect(followUp.body.data).toMatchObject({
      transactionStatus: 'captured',
      amount: '4.00',
      card: { last4Digits: '3220' },
    });
  });

  test('an original that is unknown, foreign or no first of a series is refused', async () => {
    const single = await merchant.paid(CARDS.visa);
    const foreign = await other.paid(CARDS.visa, { recurring: { initial: true } });
    const declined = (await merchant.pay(CARDS.declined, { recurring: { initial: true } })).body.data;
    for (const originalPaymentId of ['pay_x', single.paymentId, foreign.paymentId, declined.paymentId]) {
      const { status, body } = await merchant.pay(undefined, { recurring: { originalPaymentId } });
      expect([status, fieldsOf(body)]).toEqual([400, ['recurring.originalPaymentId']]);
    }
  });
});

describe('manual capture', () => {
  const authorized = async (amount = '10.00') =>
    merchant.paid(CARDS.visa, { capture: 'manual', amount }, ['authorized']);

  test('in full', async () => {
    const payment = await authorized();
    expect(payment.amounts).toMatchObject({ authorized: '10.00', captured: '0.00' });
    expect(await transfersOf(actors, payment.paymentId)).toMatchObject([{ phase: 'pending', amount: '10.00' }]);
    const { status, body } = await merchant.capture(payment.paymentId);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ transactionStatus: 'captured', amounts: { captured: '10.00' } });
  });

  test('in part: the rest is released, the hold is closed', async () => {
    const { paymentId } = await authorized();
    const { status, body } = await merchant.capture(paymentId, { amount: '6.01' });
    expect(status).toBe(200);
    expect(body.data.amounts).toMatchObject({ authorized: '10.00', captured: '6.01' });
    const [hold, post, ...rest] = await transfersOf(actors, paymentId);
    expect(hold).toMatchObject({ phase: 'pending', amount: '10.00' });
    expect(post).toMatchObject({ phase: 'post', amount: '6.01', pendingTransferId: hold.transferId });
    expect(rest).toEqual([]);
    expect(await actors.simulator.charges(paymentId)).toMatchObject([{ captured: '6.01' }]);
    expect(await merchant.until(paymentId, 'settled')).toMatchObject({ amounts: { captured: '6.01' } });
  });

  test('of more than was authorized is refused and changes nothing', async () => {
    const { paymentId } = await authorized();
    const { status, body } = await merchant.capture(paymentId, { amount: '10.01' });
    expect([status, body.code]).toEqual([422, 'capture_exceeds_authorized']);
    expect(await merchant.status(paymentId)).toMatchObject({ transactionStatus: 'authorized' });
    expect((await merchant.capture(paymentId, { amount: '10.00' })).status).toBe(200);
  });

  test('of a wrong amount is refused', async () => {
    const { paymentId } = await authorized();
    for (const amount of ['1.0', '0.00', '-1.00', 1, '1.000']) {
      const { status, body } = await merchant.capture(paymentId, { amount });
      expect([amount, status, fieldsOf(body)]).toEqual([amount, 400, ['amount']]);
    }
  });

  test('happens once, also when ordered twice at once', async () => {
    const { paymentId } = await authorized();
    const replies = await Promise.all([merchant.capture(paymentId), merchant.capture(paymentId)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    const again = await merchant.capture(paymentId);
    expect([again.status, again.body.code]).toEqual([409, 'invalid_state']);
    expect(await actors.simulator.charges(paymentId)).toMatchObject([{ captured: '10.00' }]);
  });

  test('repeated under one key is one capture', async () => {
    const { paymentId } = await authorized();
    const key = transactionId();
    const first = await merchant.capture(paymentId, { amount: '5.00' }, key);
    const second = await merchant.capture(paymentId, { amount: '5.00' }, key);
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });

  test('cancel before it releases the hold; nothing can be captured then', async () => {
    const { paymentId } = await authorized();
    const { status, body } = await merchant.cancel(paymentId);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ transactionStatus: 'cancelled', result: { code: 110 } });
    const [hold, release] = await transfersOf(actors, paymentId);
    expect(release).toMatchObject({ phase: 'void', pendingTransferId: hold.transferId });
    expect(await actors.simulator.charges(paymentId)).toMatchObject([{ captured: '0.00', status: 'cancelled' }]);
    expect((await merchant.capture(paymentId)).status).toBe(409);
    expect((await merchant.cancel(paymentId)).status).toBe(409);
  });

  test('cancel after it is refused', async () => {
    const { paymentId } = await merchant.paid(CARDS.visa);
    const { status, body } = await merchant.cancel(paymentId);
    expect([status, body.code]).toEqual([409, 'invalid_state']);
  });

  test('cancel while the payer is being asked', async () => {
    const { body } = await merchant.pay(CARDS.challenge);
    const { paymentId, action } = body.data;
    expect((await merchant.cancel(paymentId)).body.data).toMatchObject({
      transactionStatus: 'cancelled',
      result: { code: 110 },
    });
    expect((await challenge(action.url, 'authenticated')).status).toBe(410);
    expect(await merchant.status(paymentId)).toMatchObject({ transactionStatus: 'cancelled' });
  });
});

describe('amounts and currencies', () => {
  test.each([
    ['1000', 'JPY'],
    ['1.234', 'KWD'],
    ['0.01', 'EUR'],
    ['90071992547409.93', 'EUR'],
  ])('%s %s is taken to the last digit', async (amount, currency) => {
    const { status, body } = await merchant.pay(CARDS.visa, { amount, currency });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({ amount, currency, amounts: { captured: amount } });
    expect(await actors.simulator.charges(body.data.paymentId)).toMatchObject([{ amount, currency, captured: amount }]);
  });

  test('amounts whose sum is beyond any single one settle all the same, and the books can still be read', async () => {
    const amount = '92233720368547758.07';
    const paid = await Promise.all([1, 2, 3].map(() => merchant.pay(CARDS.visa, { amount })));
    expect(paid.map(({ status }) => status)).toEqual([201, 201, 201]);
    for (const { body } of paid) await merchant.until(body.data.paymentId, 'settled');
    expect(await outOfBalance(actors)).toEqual([]);
  });

  test.each([
    ['10.00', 'JPY', 'amount'],
    ['1.23', 'KWD', 'amount'],
    ['10', 'EUR', 'amount'],
    ['10.0', 'EUR', 'amount'],
    ['10.000', 'EUR', 'amount'],
    ['0.00', 'EUR', 'amount'],
    ['92233720368547758.08', 'EUR', 'amount'],
    ['-10.00', 'EUR', 'amount'],
    ['+10.00', 'EUR', 'amount'],
    ['010.00', 'EUR', 'amount'],
    ['1e3', 'EUR', 'amount'],
    ['10,00', 'EUR', 'amount'],
    [' 10.00', 'EUR', 'amount'],
    ['', 'EUR', 'amount'],
    [10, 'EUR', 'amount'],
    [undefined, 'EUR', 'amount'],
    [null, 'EUR', 'amount'],
    ['10.00', 'eur', 'currency'],
    ['10.00', 'XXQ', 'currency'],
    ['10.00', 'EURO', 'currency'],
    ['10.00', 978, 'currency'],
    ['10.00', undefined, 'currency'],
  ])('%j %j is refused, naming %s', async (amount, currency, field) => {
    const { status, body } = await merchant.pay(CARDS.visa, { amount, currency });
    expect([status, body.code, fieldsOf(body)]).toEqual([400, 'invalid_request', [field]]);
  });
});

describe('the request', () => {
  test('names every bad field at once, and repeats no card number', async () => {
    const { status, body } = await merchant.pay('4111111111111112', {
      amount: 10,
      nonsense: 1,
      card: { expiryMonth: '13', cvv: '12' },
    });
    expect(status).toBe(400);
    expect(fieldsOf(body).sort()).toEqual(['amount', 'card.cvv', 'card.expiryMonth', 'card.number', 'nonsense']);
    expect(JSON.stringify(body)).not.toContain('4111111111111112');
    expect(body).toMatchObject({ reason: 'Bad Request', path: '/payments/h2h/1', method: 'POST', status: 400 });
  });

  test.each(['fee', 'status', 'transactionStatus', 'tenantId', 'organizationId', 'paymentId'])(
    'a caller cannot set %s',
    async (name) => {
      const { status, body } = await merchant.pay(CARDS.visa, { [name]: 'x' });
      expect([status, fieldsOf(body)]).toEqual([400, [name]]);
    },
  );

  test('unknown query parameters are refused, on reads too', async () => {
    const { paymentId } = await merchant.paid(CARDS.visa);
    const asked = [
      await merchant.post('/payments/h2h/1?x=1', merchant.order(CARDS.visa)),
      await merchant.get(`${PAYMENTS}/${paymentId}/status-by-payment-id?x=1`),
      await merchant.get(`${PAYMENTS}?x=1`),
    ];
    expect(asked.map(({ status, body }) => [status, fieldsOf(body)])).toEqual(asked.map(() => [400, ['x']]));
  });

  test('a method that is none names the catalogue', async () => {
    const { status, body } = await merchant.pay(CARDS.visa, {}, { path: '66' });
    expect([status, body.code]).toEqual([404, 'not_found']);
    expect(body.message).toContain('GET /payments/methods');
  });

  test('a merchantTransactionId is used once per organization, also by five at once', async () => {
    const merchantTransactionId = transactionId();
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => merchant.pay(CARDS.visa, { merchantTransactionId })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    const { paymentId } = replies.find(({ status }) => status === 201)!.body.data;
    for (const { status, body } of replies)
      if (status === 409) {
        expect([body.code, body.docUrl]).toEqual([
          'duplicate_transaction',
          `${credentials.apiUrl}/docs/codes#duplicate_transaction`,
        ]);
        expect(body.message).toContain(paymentId);
      }
    expect((await other.pay(CARDS.visa, { merchantTransactionId })).status).toBe(201);
  });

  test('30 requests with one key at once make one payment, and each of the others hears of it', async () => {
    const order = merchant.order(CARDS.visa);
    const headers = { 'idempotency-key': transactionId() };
    const replies = await Promise.all(
      Array.from({ length: 30 }, () => merchant.post('/payments/h2h/1', order, headers)),
    );
    for (const { status, body } of replies)
      if (status !== 201) expect([status, body.code]).toEqual([409, 'idempotency_in_progress']);
    const ids = new Set(replies.filter(({ status }) => status === 201).map(({ body }) => body.data.paymentId));
    expect(ids.size).toBe(1);
    expect(await actors.simulator.charges([...ids][0])).toHaveLength(1);
    const again = await merchant.post('/payments/h2h/1', order, headers);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
  });

  test('a request that is refused leaves its key free, before anything is written and after', async () => {
    const headers = { 'idempotency-key': transactionId() };
    const paid = await merchant.paid(CARDS.visa);
    const refusals = [
      merchant.order(undefined, { cardToken: 'tok_01jcxk3v8pe4xaz1w5kq9d2b7m' }),
      { ...merchant.order(CARDS.visa), merchantTransactionId: paid.merchantTransactionId },
    ];
    for (const order of refusals) {
      const { status } = await merchant.post('/payments/h2h/1', order, headers);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
    }
    expect((await merchant.post('/payments/h2h/1', merchant.order(CARDS.visa), headers)).status).toBe(201);
  });

  test('an idempotency key repeats the first answer', async () => {
    const order = merchant.order(CARDS.visa);
    const key = { 'idempotency-key': transactionId() };
    const first = await merchant.post('/payments/h2h/1', order, key);
    const second = await merchant.post('/payments/h2h/1', order, key);
    expect([second.status, second.body]).toEqual([201, first.body]);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    const changed = await merchant.post('/payments/h2h/1', { ...order, amount: '11.00' }, key);
    expect([changed.status, changed.body.code]).toEqual([422, 'idempotency_key_reused']);
    expect(await actors.simulator.charges(first.body.data.paymentId)).toHaveLength(1);
  });

  test('brand follows the number, not the path', async () => {
    const { body } = await merchant.pay(CARDS.mastercard, {}, { path: '1' });
    expect(body.data).toMatchObject({ paymentBrand: 'MASTERCARD', methodId: 1 });
  });
});

describe('methods', () => {
  test('unknown: 404, whatever is sent along', async () => {
    for (const path of ['9999', '0', '-1', '1.5', 'visa', '48-51', '1-9']) {
      expect([path, (await merchant.pay(undefined, {}, { path })).status]).toEqual([path, 404]);
      expect([path, (await merchant.pay(CARDS.visa, {}, { path })).status]).toEqual([path, 404]);
    }
    const { body } = await merchant.get('/payments/methods');
    expect(body.data.find(({ id }: Json) => id === 1)).toMatchObject({ kind: 'card', brand: 'VISA', enabled: true });
    expect(body.data.filter(({ enabled }: Json) => !enabled)).toEqual([]);
  });

  test.each([
    ['48-51,56-59', 48, 52],
    ['44-47,52-55', 55, 48],
    ['30-31', 31, 32],
    ['27,43', 43, 28],
  ])('the documented path %s is taken literally and percent-encoded', async (path, inside, outside) => {
    const ask = (segment: string, methodId?: number) => merchant.pay(undefined, { methodId }, { path: segment });
    const literal = await ask(path, inside);
    const encoded = await ask(encodeURIComponent(path), inside);
    expect(literal.status).not.toBe(404);
    expect([encoded.status, encoded.body.code]).toEqual([literal.status, literal.body.code]);
    expect((await ask(path)).status).not.toBe(404);
    expect((await ask(path, outside)).status).toBe(400);
  });

  test('a card does not belong on the path of another kind', async () => {
    const { status, body } = await merchant.pay(CARDS.visa, {}, { path: '27' });
    expect(status).toBe(400);
    expect(fieldsOf(body)).toContain('card');
  });
});

describe('reads', () => {
  test('status by transaction id and by payment id are the same record', async () => {
    const merchantTransactionId = transactionId();
    const customer = { firstName: 'Ann', lastName: 'Buyer' };
    const { body } = await merchant.pay(CARDS.declined, {
      merchantTransactionId,
      customer,
      descriptor: 'D',
      remark: 'R',
    });
    const byTransaction = await merchant.post(`${PAYMENTS}/status-by-transaction-id`, {
      transactionId: merchantTransactionId,
    });
    expect([byTransaction.status, byTransaction.body]).toEqual([200, body]);
    expect(await merchant.status(body.data.paymentId)).toEqual(body.data);
    expect(body.data).toMatchObject({ firstName: 'Ann', lastName: 'Buyer', descriptor: 'D', remark: 'R' });
    const unknown = await merchant.post(`${PAYMENTS}/status-by-transaction-id`, { transactionId: 'none' });
    expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found']);
  });

  test('the list pages newest first, keeps its filters and its place while payments arrive', async () => {
    // A currency of this test's own.
    const currency = 'DKK';
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.unshift((await merchant.pay(CARDS.declined, { currency })).body.data.paymentId);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Json = await merchant.get(
        `${PAYMENTS}?currency=${currency}&limit=2${cursor ? `&cursor=${cursor}` : ''}`,
      );
      expect(page.status).toBe(200);
      expect(page.body.data.length).toBeLessThanOrEqual(2);
      seen.push(...page.body.data.map(({ paymentId }: Json) => paymentId));
      cursor = page.body.nextCursor;
      await merchant.pay(CARDS.declined, { currency });
    } while (cursor);
    expect(seen).toEqual(ids);
    const count = async (query: string) =>
      (await merchant.get(`${PAYMENTS}?currency=${currency}&${query}`)).body.data.length;
    expect(await count('status=failed')).toBe(8);
    expect(await count('status=captured')).toBe(0);
    expect(await count('methodId=2')).toBe(0);
    const { createdAt } = await merchant.status(ids[0]!);
    expect(await count(`to=${createdAt}`)).toBe(4);
    expect(await count(`from=${createdAt}`)).toBe(4);
  });

  test.each([
    ['status=nonsense', 'status'],
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['cursor=nonsense', 'cursor'],
    ['from=yesterday', 'from'],
    ['currency=eur', 'currency'],
    ['limit=1&limit=2', 'limit'],
  ])('the list refuses %s', async (query, field) => {
    const { status, body } = await merchant.get(`${PAYMENTS}?${query}`);
    expect([status, fieldsOf(body)]).toEqual([400, [field]]);
  });

  test('the timeline tells every step with cause and time', async () => {
    const { paymentId } = await merchant.paid(CARDS.visa, { capture: 'manual' }, ['authorized']);
    await merchant.capture(paymentId);
    await merchant.until(paymentId, 'settled');
    const events = await merchant.events(paymentId);
    expect(events.map(({ from, to }) => [from, to])).toEqual([
      [undefined, 'initiated'],
      ['initiated', 'authorized'],
      ['authorized', 'captured'],
      ['captured', 'settled'],
    ]);
    for (const { cause, detail, at } of events) {
      expect(cause).toMatch(/\w/);
      expect(detail).toMatch(/\w/);
      expect(new Date(at).toISOString()).toBe(at);
    }
    expect(events.map(({ at }) => at)).toEqual(events.map(({ at }) => at).sort());
  });

  test('refunds are listed, newest first', async () => {
    const { paymentId } = await merchant.paid(CARDS.visa);
    expect(await merchant.refunds(paymentId)).toEqual([]);
    const amounts = ['1.00', '2.00'];
    for (const amount of amounts) await merchant.refund(paymentId, { amount, reason: `of ${amount}` });
    await until('both refunds', async () =>
      (await merchant.refunds(paymentId)).every(({ status }) => status === 'succeeded'),
    );
    expect(await merchant.refunds(paymentId)).toMatchObject([
      { amount: '2.00', paymentId, currency: 'EUR', reason: 'of 2.00' },
      { amount: '1.00', paymentId, currency: 'EUR', reason: 'of 1.00' },
    ]);
  });
});

describe('who may', () => {
  test('somebody else’s payment does not exist', async () => {
    const { paymentId, merchantTransactionId } = await merchant.paid(CARDS.visa);
    const asked = [
      await other.get(`${PAYMENTS}/${paymentId}/status-by-payment-id`),
      await other.get(`${PAYMENTS}/${paymentId}/events`),
      await other.get(`${PAYMENTS}/${paymentId}/refunds`),
      await other.post(`${PAYMENTS}/status-by-transaction-id`, { transactionId: merchantTransactionId }),
      await other.refund(paymentId),
      await other.capture(paymentId),
      await other.cancel(paymentId),
    ];
    const unknown = await other.get(`${PAYMENTS}/pay_00000000000000000000000000/status-by-payment-id`);
    for (const { status, body } of asked)
      expect([status, body.code, body.message]).toEqual([404, 'not_found', unknown.body.message]);
  });

  test('the organizationId header: foreign 403, missing 400', async () => {
    const foreign = { organizationid: credentials.other.organizationId };
    expect((await merchant.get(PAYMENTS, foreign)).status).toBe(403);
    expect((await merchant.post('/payments/h2h/1', merchant.order(CARDS.visa), foreign)).status).toBe(403);
    expect((await merchant.get(PAYMENTS, { tenantid: credentials.other.tenantId })).status).toBe(403);
    const { authorization } = merchant.headers as { authorization: string };
    const missing = await send(`${merchant.apiUrl}${PAYMENTS}`, { headers: { authorization } });
    expect([missing.status, fieldsOf(missing.body)]).toEqual([400, ['organizationId']]);
    const anonymous = await send(`${merchant.apiUrl}${PAYMENTS}`);
    expect([anonymous.status, anonymous.body.code]).toEqual([401, 'unauthorized']);
  });

  test('a terminal signs in with its password and sees its own payments', async () => {
    const token = await signIn(credentials.apiUrl, credentials.terminalId, credentials.terminalPassword);
    const headers = { authorization: `Bearer ${token}`, organizationid: credentials.organizationId };
    const terminal = new Merchant(credentials.apiUrl, headers);
    const payment = await terminal.paid(CARDS.visa);
    expect(payment.terminalId).toBe(credentials.terminalId);
    expect((await merchant.status(payment.paymentId)).terminalId).toBe(credentials.terminalId);
    expect((await terminal.get(`${PAYMENTS}?limit=1`)).body.data).toHaveLength(1);
    const { status, body } = await terminal.pay(CARDS.visa, { terminalId: credentials.other.terminalId });
    expect([status, fieldsOf(body)]).toEqual([400, ['terminalId']]);
    await expect(signIn(credentials.apiUrl, credentials.terminalId, 'wrong')).rejects.toThrow('401');
  });

  test('ops read a payment but move no money', async () => {
    const { paymentId } = await merchant.paid(CARDS.visa);
    const headers = { organizationid: credentials.organizationId };
    const read = await actors.ops.get(`${PAYMENTS}/${paymentId}/status-by-payment-id`, headers);
    expect(read.status).toBe(200);
    expect((await actors.ops.post(`${PAYMENTS}/${paymentId}/refund`, undefined, headers)).status).toBe(403);
    expect((await actors.ops.post('/payments/h2h/1', merchant.order(CARDS.visa), headers)).status).toBe(403);
  });
});
