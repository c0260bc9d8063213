import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, CAPTURED, CARDS, challenge, type Json, type Reply, send, until } from './client';

const { credentials } = sharedStack();
const BASE = '/customer/1.0.0';

let actors: Actors;
let stranger: Actors;

beforeAll(async () => {
  [actors, stranger] = await Promise.all([actorsOf(credentials), actorsOf(credentials, credentials.other)]);
});

async function customer({ tenantAdmin }: Actors = actors): Promise<{ customerId: string; email: string }> {
  const email = `holder-${randomUUID()}@example.com`;
  const { status, body } = await tenantAdmin.post(`${BASE}/create`, {
    customerType: 'Person',
    customerName: 'Holder',
    customerStatus: 'verified',
    person: { firstName: { name: 'A' }, lastName: { name: 'Holder' }, email },
  });
  expect(status).toBe(201);
  return { customerId: body.customerId, email };
}

const methodsOf = (customerId: string) => `${BASE}/${customerId}/paymentMethods`;
const order = (number: string, { card, ...more }: Json = {}) => ({
  card: { number, holder: 'A Holder', expiryMonth: '12', expiryYear: '2030', cvv: '123', ...card },
  ...more,
});
const add = (customerId: string, number: string, more: Json = {}, key?: string): Promise<Reply> =>
  actors.tenantAdmin.post(methodsOf(customerId), order(number, more), key ? { 'idempotency-key': key } : {});
const act = (method: string, path: string): Promise<Reply> =>
  send(actors.tenantAdmin.apiUrl + path, { method, headers: actors.tenantAdmin.headers });
const cards = async (customerId: string): Promise<Json[]> =>
  (await actors.tenantAdmin.get(methodsOf(customerId))).body.data;
const verification = async (customerId: string, id: string): Promise<Json> =>
  (await actors.tenantAdmin.get(`${BASE}/${customerId}/cardVerifications/${id}`)).body;
const mails = async (to: string): Promise<Json[]> =>
  (await send(`${credentials.apiUrl}/sandbox/mailbox?to=${encodeURIComponent(to)}`)).body.data;

/** Pays with the card, so that the processor knows it, and answers the payment's id. */
async function payWith(customerId: string, cardToken: string): Promise<string> {
  const paid = await actors.merchant.paid(undefined as never, { cardToken, customer: { customerId } }, CAPTURED);
  return paid.paymentId;
}

describe('a card is saved', () => {
  test('once its issuer has approved an authorization of zero', async () => {
    const { customerId } = await customer();
    const added = await add(customerId, CARDS.visa);
    expect([added.status, added.body.card?.last4Digits]).toEqual([201, '1111']);
    const charges = await actors.simulator.allCharges();
    const verified = charges.filter(({ reference }) => reference.startsWith('cvf_'));
    expect(verified[0]).toMatchObject({ amount: '0.00', status: 'authorized', captured: '0.00', requests: 1 });
    const again = await add(customerId, CARDS.visa);
    expect([again.status, again.body.paymentMethodId]).toEqual([200, added.body.paymentMethodId]);
    const renewed = await add(customerId, CARDS.visa, { card: { expiryYear: '2035' } });
    expect([renewed.status, renewed.body.paymentMethodId]).toEqual([200, added.body.paymentMethodId]);
    expect(renewed.body.card.expiryYear).toBe('2035');
  });

  test('after 3-D Secure, where the issuer challenges', async () => {
    const { customerId } = await customer();
    const begun = await add(customerId, CARDS.challenge, { returnUrl: 'https://shop.example.com/back' });
    expect([begun.status, begun.body.status, begun.body.action?.type]).toEqual([202, 'requires_action', 'redirect']);
    expect(await cards(customerId)).toEqual([]);
    await challenge(begun.body.action.url, 'authenticated');
    const done = await until('the card', async () => {
      const found = await verification(customerId, begun.body.cardVerificationId);
      return found.status === 'verified' && found;
    });
    expect(done).toMatchObject({ result: { code: 0 }, paymentMethodId: expect.stringMatching(/^pm_/) });
    expect(done.action).toBeUndefined();
    expect((await cards(customerId)).map(({ paymentMethodId }) => paymentMethodId)).toEqual([done.paymentMethodId]);
    expect((await add(customerId, CARDS.challenge)).status).toBe(200);
    await payWith(customerId, done.paymentMethodId).catch(() => undefined);
  });

  test('not when the customer fails 3-D Secure, nor when the issuer refuses', async () => {
    const { customerId } = await customer();
    const begun = await add(customerId, CARDS.visa, { threeDS: 'required' });
    expect(begun.status).toBe(202);
    await challenge(begun.body.action.url, 'failed');
    const { result } = await until('the end', async () => {
      const found = await verification(customerId, begun.body.cardVerificationId);
      return found.status === 'failed' && found;
    });
    expect(result.code).toBe(300);
    for (const [number, code] of [
      [CARDS.declined, 200],
      [CARDS.authenticationFails, 300],
      [CARDS.lost, 205],
    ] as const) {
      const { status, body } = await add(customerId, number);
      expect([status, body.code]).toEqual([422, 'card_not_verified']);
      expect(body.message).toContain(`result code ${code}`);
    }
    expect(await cards(customerId)).toEqual([]);
  });

  test('also when the processor never answers, and not when it closes the connection', async () => {
    const { customerId } = await customer();
    const [silent, closed] = await Promise.all([
      add(customerId, CARDS.neverAnswers),
      add(customerId, CARDS.closesConnection),
    ]);
    expect(silent.status === 202 || silent.status === 201).toBe(true);
    await until('the card', async () => (await cards(customerId)).length === 1);
    expect([202, 422]).toContain(closed.status);
    if (closed.status === 202)
      await until('the end', async () => {
        const { status, result } = await verification(customerId, closed.body.cardVerificationId);
        return status === 'failed' && result.code === 501;
      });
    expect(await cards(customerId)).toHaveLength(1);
  });

  test('once, however often it is asked for', async () => {
    const { customerId } = await customer();
    const key = randomUUID();
    const replies = [await add(customerId, CARDS.amex, {}, key), await add(customerId, CARDS.amex, {}, key)];
    expect(replies.map(({ status }) => status)).toEqual([201, 201]);
    const many = await Promise.all([1, 2, 3].map(() => add(customerId, CARDS.mastercard)));
    expect(new Set(many.map(({ body }) => body.paymentMethodId)).size).toBe(1);
    expect(many.map(({ status }) => status).filter((status) => status === 201)).toHaveLength(1);
    expect(await cards(customerId)).toHaveLength(2);
  });

  test('for nobody of another tenant, and seen by nobody else', async () => {
    const { customerId } = await customer();
    const { status } = await stranger.tenantAdmin.post(methodsOf(customerId), order(CARDS.visa));
    expect(status).toBe(404);
    const begun = await add(customerId, CARDS.challenge);
    const other = await customer();
    const path = `cardVerifications/${begun.body.cardVerificationId}`;
    expect((await actors.tenantAdmin.get(`${BASE}/${other.customerId}/${path}`)).status).toBe(404);
    expect((await stranger.tenantAdmin.get(`${BASE}/${customerId}/${path}`)).status).toBe(404);
    // Erased while it is under way: its answer finds nobody.
    expect((await act('DELETE', `${BASE}/delete/${customerId}`)).status).toBe(200);
    await challenge(begun.body.action.url, 'authenticated');
    expect((await actors.tenantAdmin.get(`${BASE}/${customerId}/${path}`)).status).toBe(404);
  });
});

test('one saved card is the default, until it is removed', async () => {
  const { customerId } = await customer();
  const [one, two] = [(await add(customerId, CARDS.visa)).body, (await add(customerId, CARDS.mastercard)).body];
  const choose = (id: string) => act('PUT', `${methodsOf(customerId)}/${id}/default`);
  for (const { paymentMethodId } of [one, two, two]) {
    const chosen = await choose(paymentMethodId);
    expect([chosen.status, chosen.body.isDefault]).toEqual([200, true]);
  }
  const defaults = async () =>
    (await cards(customerId)).filter(({ isDefault }) => isDefault).map(({ paymentMethodId }) => paymentMethodId);
  expect(await defaults()).toEqual([two.paymentMethodId]);
  await Promise.all([1, 2, 3, 4].map((n) => choose((n % 2 ? one : two).paymentMethodId)));
  expect(await defaults()).toHaveLength(1);
  expect((await act('DELETE', `${methodsOf(customerId)}/${two.paymentMethodId}`)).status).toBe(200);
  expect((await choose(two.paymentMethodId)).status).toBe(404);
  await choose(one.paymentMethodId);
  expect(await defaults()).toEqual([one.paymentMethodId]);
});

describe('what an issuer does with a card reaches the saved one:', () => {
  test('a new expiry', async () => {
    const { customerId } = await customer();
    const { paymentMethodId } = (await add(customerId, CARDS.visa)).body;
    const reference = await payWith(customerId, paymentMethodId);
    await actors.simulator.callback({ reference, event: 'card_updated', expiryMonth: '03', expiryYear: '2036' });
    await until('the new expiry', async () => (await cards(customerId))[0]?.card.expiryYear === '2036');
    expect((await cards(customerId))[0]).toMatchObject({ paymentMethodId, card: { last4Digits: '1111' } });
    await payWith(customerId, paymentMethodId);
  });

  test('a new number, under the same token', async () => {
    const { customerId } = await customer();
    const { paymentMethodId } = (await add(customerId, CARDS.mastercard)).body;
    const reference = await payWith(customerId, paymentMethodId);
    const sent = await actors.simulator.callback({ reference, event: 'card_updated', newNumber: true, repeat: 3 });
    expect(sent.responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    // Ids are hexadecimal, and may have many digits in a row.
    expect(`${sent.request.body}`.replaceAll(/_[0-9a-z]+/g, '')).not.toMatch(/\d{12}/);
    const [renewed] = await until('the new number', async () => {
      const found = await cards(customerId);
      return found[0]?.card.last4Digits !== '4444' && found;
    });
    expect(renewed).toMatchObject({ paymentMethodId, paymentBrand: 'MASTERCARD' });
    const paid = await actors.merchant.paid(
      undefined as never,
      { cardToken: paymentMethodId, customer: { customerId } },
      CAPTURED,
    );
    expect(paid.card.last4Digits).toBe(renewed.card.last4Digits);
  });

  test('its end: the card is removed, and the customer told', async () => {
    const { customerId, email } = await customer();
    const { paymentMethodId } = (await add(customerId, CARDS.amex)).body;
    const reference = await payWith(customerId, paymentMethodId);
    const forged = await actors.simulator.callback({ reference, event: 'card_closed', forge: true });
    expect(forged.responses[0]!.status).toBe(401);
    expect(await cards(customerId)).toHaveLength(1);
    await actors.simulator.callback({ reference, event: 'card_closed' });
    await until('the removal', async () => (await cards(customerId)).length === 0);
    const refused = await actors.merchant.pay(undefined, { cardToken: paymentMethodId, customer: { customerId } });
    expect([refused.status, refused.body.code]).toEqual([422, 'card_token_unusable']);
    const letter = await until('the mail', async () => (await mails(email))[0]);
    expect(letter.subject).toContain('0005');
  });
});

test('customers are told once, before a saved card expires', async () => {
  const { customerId, email } = await customer();
  const soon = new Date();
  const card = { expiryMonth: String(soon.getUTCMonth() + 1).padStart(2, '0'), expiryYear: `${soon.getUTCFullYear()}` };
  expect((await add(customerId, CARDS.visa, { card })).status).toBe(201);
  expect((await add(customerId, CARDS.mastercard)).status).toBe(201);
  const connection = await Connection.connect({ address: credentials.temporalAddress });
  try {
    const schedule = new Client({ connection }).schedule.getHandle('card-expiry/schedule');
    await schedule.trigger();
    await until('the mail', async () => (await mails(email)).length > 0);
    const runs = (await schedule.describe()).info.numActionsTaken;
    await schedule.trigger();
    await until('another run', async () => (await schedule.describe()).info.numActionsTaken > runs);
  } finally {
    await connection.close();
  }
  expect(await mails(email)).toMatchObject([{ subject: 'Your card ending in 1111 expires soon' }]);
});
