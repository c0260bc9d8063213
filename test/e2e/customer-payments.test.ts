import { randomUUID } from 'node:crypto';
import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, CAPTURED, CARDS, type Json, type Reply, send } from './client';

const { credentials } = sharedStack();
const BASE = '/customer/1.0.0';

let actors: Actors;
let stranger: Actors;

beforeAll(async () => {
  [actors, stranger] = await Promise.all([actorsOf(credentials), actorsOf(credentials, credentials.other)]);
});

async function customer(customerStatus = 'verified', { tenantAdmin }: Actors = actors): Promise<string> {
  const { status, body } = await tenantAdmin.post(`${BASE}/create`, {
    customerType: 'Person',
    customerName: 'Buyer',
    customerStatus,
    person: { firstName: { name: 'A' }, lastName: { name: 'Buyer' }, email: `buyer-${randomUUID()}@example.com` },
  });
  expect(status).toBe(201);
  return body.customerId;
}

const card = (number: string, more: object = {}) => ({
  card: { number, holder: 'A Buyer', expiryMonth: '12', expiryYear: '2030', ...more },
});
const methodsOf = (customerId: string) => `${BASE}/${customerId}/paymentMethods`;
const act = (method: string, path: string): Promise<Reply> =>
  send(actors.tenantAdmin.apiUrl + BASE + path, { method, headers: actors.tenantAdmin.headers });
const transactions = async (customerId: string): Promise<Json> =>
  (await actors.tenantAdmin.get(`${BASE}/${customerId}/transactions`)).body.data;

describe('payments of a customer', () => {
  test('are grouped under it, newest first, and stay when the customer is erased', async () => {
    const customerId = await customer();
    const first = await actors.merchant.paid(CARDS.visa, { customer: { customerId, email: 'buyer@example.com' } });
    const second = await actors.merchant.paid(CARDS.mastercard, { customer: { customerId } });
    const listed = await transactions(customerId);
    expect(listed.map(({ type, paymentId }: Json) => [type, paymentId])).toEqual([
      ['payment', second.paymentId],
      ['payment', first.paymentId],
    ]);
    const page = await actors.tenantAdmin.get(`${BASE}/${customerId}/transactions?limit=1`);
    const next = await actors.tenantAdmin.get(`${BASE}/${customerId}/transactions?cursor=${page.body.nextCursor}`);
    expect(next.body.data.map(({ paymentId }: Json) => paymentId)).toEqual([first.paymentId]);

    expect((await act('DELETE', `/delete/${customerId}`)).status).toBe(200);
    expect((await transactions(customerId)).map(({ paymentId }: Json) => paymentId)).toEqual([
      second.paymentId,
      first.paymentId,
    ]);
    expect(await actors.merchant.status(first.paymentId)).toMatchObject({ customerId, amount: '10.00' });
    const refund = await actors.merchant.refund(first.paymentId);
    expect([refund.status, refund.body.data.refund?.status]).toEqual([201, 'succeeded']);
    const late = await actors.merchant.pay(CARDS.visa, { customer: { customerId } });
    expect([late.status, late.body.details?.[0].field]).toEqual([400, 'customer.customerId']);
  });

  test.each(['blacklisted', 'bancrupted', 'on_hold'])('are refused while it is %s', async (status) => {
    const customerId = await customer(status);
    const { status: code, body } = await actors.merchant.pay(CARDS.visa, { customer: { customerId } });
    expect([code, body.code]).toEqual([422, 'customer_blocked']);
    expect(await transactions(customerId)).toEqual([]);
  });

  test('need a customer of the tenant', async () => {
    for (const customerId of [await customer('new', stranger), 'cus_00000000000000000000000000', 'x']) {
      const { status, body } = await actors.merchant.pay(CARDS.visa, { customer: { customerId } });
      expect([status, body.details?.[0].field]).toEqual([400, 'customer.customerId']);
    }
  });

  test('under way keep it from being erased', async () => {
    const customerId = await customer();
    const waiting = { customer: { customerId }, returnUrl: 'https://shop.example.com/back' };
    const { paymentId } = await actors.merchant.paid(CARDS.challenge, waiting, ['requires_action']);
    const refused = await act('DELETE', `/delete/${customerId}`);
    expect([refused.status, refused.body.code]).toEqual([409, 'customer_in_use']);
    await actors.merchant.cancel(paymentId);
    await actors.merchant.until(paymentId, 'cancelled');
    expect((await act('DELETE', `/delete/${customerId}`)).status).toBe(200);
  });
});

describe('payment methods', () => {
  test('are one per customer and card, however the card came there', async () => {
    const [one, two] = [await customer(), await customer()];
    const added = await actors.tenantAdmin.post(methodsOf(one), card(CARDS.visa, { cvv: '123' }));
    expect([added.status, added.body]).toEqual([
      201,
      {
        paymentMethodId: expect.stringMatching(/^pm_/),
        customerId: one,
        type: 'card',
        paymentBrand: 'VISA',
        card: { bin: '41111111', last4Digits: '1111', holder: 'A Buyer', expiryMonth: '12', expiryYear: '2030' },
        isDefault: false,
        createdAt: expect.any(String),
      },
    ]);
    const { paymentMethodId } = added.body;
    const again = await Promise.all([1, 2, 3].map(() => actors.tenantAdmin.post(methodsOf(one), card(CARDS.visa))));
    expect(again.map(({ status, body }) => [status, body])).toEqual(again.map(() => [200, added.body]));
    const renewed = await actors.tenantAdmin.post(methodsOf(one), card(CARDS.visa, { expiryYear: '2034' }));
    expect([renewed.status, renewed.body.paymentMethodId, renewed.body.card.expiryYear]).toEqual([
      200,
      paymentMethodId,
      '2034',
    ]);
    const paid = await actors.merchant.paid(CARDS.visa, { storeCard: true, customer: { customerId: one } });
    expect(paid.cardToken).toBe(paymentMethodId);
    const others = await actors.tenantAdmin.post(methodsOf(two), card(CARDS.visa));
    expect([others.status, others.body.paymentMethodId === paymentMethodId]).toEqual([201, false]);
    expect((await actors.tenantAdmin.get(methodsOf(one))).body.data).toHaveLength(1);
  });

  test('pay for their customer only, and until they are removed', async () => {
    const [one, two] = [await customer(), await customer()];
    const { body } = await actors.tenantAdmin.post(methodsOf(one), card(CARDS.mastercard));
    const token = { cardToken: body.paymentMethodId };
    const paid = await actors.merchant.paid(undefined as never, { ...token, customer: { customerId: one } }, CAPTURED);
    expect(paid).toMatchObject({ customerId: one, paymentBrand: 'MASTERCARD', card: { last4Digits: '4444' } });
    for (const order of [{ ...token }, { ...token, customer: { customerId: two } }]) {
      const refused = await actors.merchant.pay(undefined, order);
      expect([refused.status, refused.body.code]).toEqual([422, 'card_token_unusable']);
    }
    expect((await act('DELETE', `/${two}/paymentMethods/${body.paymentMethodId}`)).status).toBe(404);
    expect((await act('DELETE', `/${one}/paymentMethods/${body.paymentMethodId}`)).status).toBe(200);
    expect((await act('DELETE', `/${one}/paymentMethods/${body.paymentMethodId}`)).status).toBe(404);
    expect((await actors.tenantAdmin.get(methodsOf(one))).body).toEqual({ data: [], nextCursor: null });
    const late = await actors.merchant.pay(undefined, { ...token, customer: { customerId: one } });
    expect([late.status, late.body.code]).toEqual([422, 'card_token_unusable']);
    expect((await actors.tenantAdmin.post(methodsOf(one), card(CARDS.mastercard))).status).toBe(201);
  });
});

test('the export holds everything, masked, and who has looked', async () => {
  const customerId = await customer();
  const { paymentId } = await actors.merchant.paid(CARDS.visa, { customer: { customerId }, storeCard: true });
  await actors.ops.get(`${BASE}/fetch/${customerId}`, { tenantid: credentials.tenantId });
  await actors.tenantAdmin.get(`${BASE}/listByTenant/${credentials.tenantId}?limit=200`);
  const { status, body } = await actors.tenantAdmin.get(`${BASE}/${customerId}/export`);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    customer: { customerId, customerName: 'Buyer' },
    statusHistory: [{ to: 'verified', reason: 'created' }],
    identifiers: [{ type: 'email' }],
    secrets: [],
    payments: [{ paymentId, type: 'payment' }],
    paymentMethods: [{ customerId, card: { last4Digits: '1111' } }],
    mandates: [],
  });
  // Other suites may list the tenant's customers meanwhile.
  const actions = new Set(body.audit.map(({ action }: Json) => action));
  expect(actions).toEqual(new Set(['customer.export', 'customer.list', 'customer.read']));
  const { actor } = body.audit.find(({ action }: Json) => action === 'customer.read');
  expect(actor).toBe(credentials.clients.ops.clientId);
  expect(JSON.stringify(body)).not.toContain(CARDS.visa);
});
