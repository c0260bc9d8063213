import { randomUUID } from 'node:crypto';
import { apiKeyFor } from '../../src/edge/processors/credentials';
import { sharedStack } from '../setup/stack';
import { isGenuine, Receiver } from '../unit/edge/notifications/receiver';
import {
  type Actors,
  actorsOf,
  CAPTURED,
  CARDS,
  Caller,
  challenge,
  type Json,
  outOfBalance,
  PAYMENTS,
  type Reply,
  receiptsOf,
  send,
  transfersOf,
  until,
} from './client';
import { ownTenant } from './tenants';
import { newCustomer, TOPUPS, Topups } from './topups';

const { credentials, apiUrl } = sharedStack();
let actors: Actors;
let topups: Topups;
/** A tenant that takes fees. */
let charging: Actors;
let charged: Topups;

beforeAll(async () => {
  [actors, charging] = await Promise.all([
    actorsOf(credentials),
    ownTenant().then((own) => actorsOf(credentials, own)),
  ]);
  topups = new Topups(actors.tenantAdmin);
  charged = new Topups(charging.tenantAdmin);
});
afterAll(async () => {
  expect(await outOfBalance(actors)).toEqual([]);
  expect(await outOfBalance(charging)).toEqual([]);
});

const put = ({ headers }: Caller, path: string, body: unknown) => send(apiUrl + path, { method: 'PUT', headers, body });
const feeOf = (fee: object) => put(charging.tenantAdmin, '/wallet/1.0.0/fees', { operation: 'topup', ...fee });
const balanceOf = async (customerId: string, currency = 'EUR', { tenantAdmin } = actors): Promise<Json> => {
  const { body } = await tenantAdmin.get(`/wallet/1.0.0/customers/${customerId}/balances`);
  return body.data.find((balance: Json) => balance.currency === currency);
};
const causesOf = async (paymentId: string, { tenantAdmin } = actors): Promise<string[]> =>
  (await transfersOf({ tenantAdmin } as Actors, paymentId)).map(
    ({ cause, phase, amount }) => `${cause.split('/')[1]} ${phase} ${amount}`,
  );
const refusal = ({ status, body }: Reply) => [status, body.code];
const disputeOf = ({ paymentId, organizationId }: Json, by = actors): Promise<Json> =>
  until('the dispute', async () => {
    const { body } = await by.tenantAdmin.get(`/disputes/1.0.0/disputes?paymentId=${paymentId}`, {
      organizationid: organizationId,
    });
    return body.data[0];
  });
const chargesBack = ({ paymentId }: Json, more: object = {}) =>
  actors.simulator.callback({ reference: paymentId, event: 'charged_back', ...more });

describe('states', () => {
  test('captured at once, held until settled, then available', async () => {
    const customerId = await newCustomer(actors);
    const { status, body } = await topups.create(customerId, { amount: '25.00' });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      topupId: expect.stringMatching(/^top_/),
      customerId,
      status: expect.stringMatching(/captured|settled/),
      amount: '25.00',
      fee: '0.00',
      netAmount: '25.00',
      result: { code: 0 },
      amounts: { authorized: '25.00', captured: '25.00', refunded: '0.00', chargedBack: '0.00', feeReturned: '0.00' },
      card: { last4Digits: '1111' },
    });
    const settled = await topups.until(body.topupId, 'settled');
    expect(settled.settledAt).toBeDefined();
    expect(await causesOf(settled.paymentId)).toEqual(['capture posted 25.00', 'settled posted 25.00']);
    expect(await balanceOf(customerId)).toMatchObject({ available: '25.00', held: '0.00' });
  });

  test('3-D Secure: awaiting the payer, then captured; or failed', async () => {
    const customerId = await newCustomer(actors);
    const { status, body } = await topups.create(customerId, {}, CARDS.challenge);
    expect([status, body.status, body.action.type]).toEqual([202, 'awaiting_3ds', 'redirect']);
    expect(await balanceOf(customerId)).toBeUndefined();
    await challenge(body.action.url, 'authenticated');
    await topups.until(body.topupId, 'settled');
    const refused = (await topups.create(customerId, {}, CARDS.challenge)).body;
    await challenge(refused.action.url, 'failed');
    expect(await topups.until(refused.topupId, 'failed')).toMatchObject({ result: { code: 300 }, netAmount: '0.00' });
    expect(await balanceOf(customerId)).toMatchObject({ available: '10.00', held: '0.00' });
  });

  test('a decline is a 201 whose record says failed', async () => {
    const { status, body } = await topups.create(await newCustomer(actors), {}, CARDS.declined);
    expect([status, body.status, body.result.code, body.netAmount]).toEqual([201, 'failed', 200, '0.00']);
  });

  test('captured by hand in part: the rest is released', async () => {
    const customerId = await newCustomer(actors);
    const authorized = await topups.made(customerId, { capture: 'manual' }, ['authorized']);
    expect(authorized.amounts).toMatchObject({ authorized: '10.00', captured: '0.00' });
    expect(refusal(await topups.act(authorized.topupId, 'refund'))).toEqual([409, 'invalid_state']);
    expect(refusal(await topups.act(authorized.topupId, 'capture', { amount: '10.01' }))).toEqual([
      422,
      'capture_exceeds_authorized',
    ]);
    const { status, body } = await topups.act(authorized.topupId, 'capture', { amount: '6.00' });
    expect([status, body.amounts.captured, body.netAmount]).toEqual([200, '6.00', '6.00']);
    await topups.until(authorized.topupId, 'settled');
    expect(await balanceOf(customerId)).toMatchObject({ available: '6.00', held: '0.00' });
  });

  test('cancelled before the capture, and not after it', async () => {
    const customerId = await newCustomer(actors);
    const { topupId, paymentId } = await topups.made(customerId, { capture: 'manual' }, ['authorized']);
    const { status, body } = await topups.act(topupId, 'cancel');
    expect([status, body.status]).toEqual([200, 'cancelled']);
    expect(await causesOf(paymentId)).toEqual(['authorize pending 10.00', 'release void 10.00']);
    const captured = await topups.made(customerId, {}, CAPTURED);
    expect(refusal(await topups.act(captured.topupId, 'cancel'))).toEqual([409, 'invalid_state']);
  });

  test('a processor that does not answer is asked until it is known', async () => {
    const { status, body } = await topups.create(await newCustomer(actors), {}, CARDS.neverAnswers);
    expect([status, body.status, body.result.code]).toEqual([202, 'pending', 500]);
    await topups.until(body.topupId, 'settled');
    expect(await actors.simulator.charges(body.paymentId)).toHaveLength(1);
  });

  test('money that arrives after all goes back to the card, and never into the wallet', async () => {
    const customerId = await newCustomer(actors);
    const { topupId, paymentId } = (await topups.create(customerId, {}, CARDS.declined)).body;
    const card = { number: CARDS.visa, expiryMonth: '12', expiryYear: '2030' };
    await send(`${credentials.simulatorUrl}/a/v1/payments`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKeyFor(credentials.processorSecrets.a)}`,
        'idempotency-key': randomUUID(),
      },
      body: { reference: paymentId, amount: '10.00', currency: 'EUR', capture: true, card },
    });
    await actors.simulator.callback({ reference: paymentId, event: 'captured' });
    await until('it is returned', async () => (await receiptsOf(actors, paymentId))[0]?.status === 'returned');
    expect(await topups.read(topupId)).toMatchObject({ status: 'failed' });
    expect(await balanceOf(customerId)).toBeUndefined();
  });

  test('every change is told, signed by the secret of the tenant’s own', async () => {
    const receiver = await new Receiver().listen();
    const { body: secret } = await actors.tenantAdmin.post(`${TOPUPS}/notification-secret/rotate`);
    const path = `/${randomUUID()}`;
    const notificationUrl = receiver.url(path);
    const { body } = await topups.create(await newCustomer(actors), { notificationUrl }, CARDS.challenge);
    await challenge(body.action.url, 'authenticated');
    await topups.until(body.topupId, 'settled');
    await topups.act(body.topupId, 'refund', { amount: '4.00' });
    await until('all is told', async () => receiver.at(path).length >= 4);
    const told = receiver.at(path);
    expect(told.map(({ type, data }) => [type, data.status, data.topupId])).toEqual(
      ['awaiting_3ds', 'captured', 'settled', 'partially_refunded'].map((status) => [
        `topup.${status}`,
        status,
        body.topupId,
      ]),
    );
    expect(told.at(-1).data.refund).toMatchObject({ amount: '4.00', feeReturned: '0.00', status: 'succeeded' });
    for (const request of receiver.received) expect(isGenuine(request, secret.value)).toBe(true);
    await receiver.close();
  });
});

describe('fees and refunds', () => {
  beforeAll(async () => {
    for (const [currency, fixed] of [
      ['JPY', '3'],
      ['EUR', '0.03'],
      ['BHD', '0.003'],
    ])
      expect((await feeOf({ currency, fixed, basisPoints: 333 })).status).toBe(200);
  });

  test.each([
    ['JPY', '1000', '36', '964', '333', '12', '333', '12', '334', '12'],
    ['EUR', '10.00', '0.36', '9.64', '3.33', '0.12', '3.33', '0.12', '3.34', '0.12'],
    ['BHD', '1.001', '0.036', '0.965', '0.500', '0.018', '0.250', '0.009', '0.251', '0.009'],
    // Half a fen of fee goes to the even one.
    ['EUR', '10.00', '0.36', '9.64', '1.25', '0.04', '1.25', '0.05', '7.50', '0.27'],
  ])('%s %s: fee %s, net %s, and all of it back in three refunds', async (currency, amount, fee, net, ...parts) => {
    const nothing = fee.replace(/^\d+/, '0').replace(/\d/g, '0');
    const customerId = await newCustomer(charging);
    const quote = await charging.tenantAdmin.post('/wallet/1.0.0/quote', { operation: 'topup', currency, amount });
    expect(quote.body).toMatchObject({ fee, net });
    const made = await charged.made(customerId, { currency, amount });
    expect(made).toMatchObject({ fee, netAmount: net });
    expect(await balanceOf(customerId, currency, charging)).toMatchObject({ available: net });
    for (let at = 0; at < parts.length; at += 2) {
      const isLast = at === parts.length - 2;
      const { status, body } = await charged.act(made.topupId, 'refund', isLast ? undefined : { amount: parts[at] });
      expect([status, body.refund.amount, body.refund.feeReturned]).toEqual([201, parts[at], parts[at + 1]]);
      expect(body.status).toBe(isLast ? 'refunded' : 'partially_refunded');
    }
    expect((await charged.read(made.topupId)).amounts).toMatchObject({ refunded: amount, feeReturned: fee });
    expect(await balanceOf(customerId, currency, charging)).toMatchObject({
      available: nothing,
      held: nothing,
    });
    expect(await charging.simulator.charges(made.paymentId)).toMatchObject([{ captured: amount, refunded: amount }]);
  });

  test('the fee is that of what is captured, by the terms as they stood', async () => {
    await feeOf({ currency: 'SEK', fixed: '1.00' });
    const customerId = await newCustomer(charging);
    const order = { currency: 'SEK', amount: '20.00', capture: 'manual' };
    const made = await charged.made(customerId, order, ['authorized']);
    expect(made).toMatchObject({ fee: '1.00', netAmount: '19.00' });
    await feeOf({ currency: 'SEK', fixed: '5.00' });
    expect((await charged.act(made.topupId, 'capture', { amount: '8.00' })).body).toMatchObject({
      fee: '1.00',
      netAmount: '7.00',
    });
    expect(refusal(await charged.create(customerId, { currency: 'SEK', amount: '5.00' }))).toEqual([
      422,
      'fee_exceeds_amount',
    ]);
  });

  test('twenty refunds of 1 on 10 at once: exactly ten', async () => {
    const { topupId, paymentId } = await topups.made(await newCustomer(actors));
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => topups.act(topupId, 'refund', { amount: '1.00' })),
    );
    expect(replies.filter(({ status }) => status === 201 || status === 202)).toHaveLength(10);
    expect(await topups.until(topupId, 'refunded')).toMatchObject({ amounts: { refunded: '10.00' } });
    expect(await actors.simulator.charges(paymentId)).toMatchObject([{ refunded: '10.00' }]);
    expect((await topups.read(topupId)).refunds).toHaveLength(10);
  });

  test('a refund that is declined changes nothing in the end', async () => {
    const customerId = await newCustomer(charging);
    const made = await charged.made(customerId, {}, ['settled'], CARDS.refundDeclined);
    const { status, body } = await charged.act(made.topupId, 'refund', { amount: '5.00' });
    expect([status, body.refund]).toMatchObject([202, { status: 'pending', feeReturned: '0.18' }]);
    expect(await balanceOf(customerId, 'EUR', charging)).toMatchObject({ available: '4.82' });
    await until('it is declined', async () => (await charged.read(made.topupId)).refunds[0].status === 'declined');
    expect(await balanceOf(customerId, 'EUR', charging)).toMatchObject({ available: '9.64', held: '0.00' });
    expect((await charged.read(made.topupId)).amounts).toMatchObject({ refunded: '0.00', feeReturned: '0.00' });
  });

  test('a refund of money that is no longer there is refused, a smaller one is not', async () => {
    const customerId = await newCustomer(charging);
    const [first, second] = [await charged.made(customerId), await charged.made(customerId)];
    await chargesBack(first);
    await charged.until(first.topupId, 'charged_back');
    // 19.28 less 10.00: what the wallet has left of both is less than the refund of one, and its fee.
    expect(await balanceOf(customerId, 'EUR', charging)).toMatchObject({ available: '9.28' });
    expect(refusal(await charged.act(second.topupId, 'refund'))).toEqual([422, 'insufficient_funds']);
    expect((await charged.read(second.topupId)).amounts).toMatchObject({ refunded: '0.00', feeReturned: '0.00' });
    expect((await charged.act(second.topupId, 'refund', { amount: '9.00' })).status).toBe(201);
  });

  test('what fails counts against no limit', async () => {
    const customerId = await newCustomer(actors);
    await put(actors.tenantAdmin, '/wallet/1.0.0/limits', {
      customerId,
      operation: 'topup',
      currency: 'EUR',
      dailyAmount: '10.00',
    });
    const cancelled = await topups.made(customerId, { capture: 'manual' }, ['authorized']);
    expect(refusal(await topups.create(customerId, { amount: '0.01' }))).toEqual([422, 'limit_exceeded']);
    await topups.act(cancelled.topupId, 'cancel');
    expect((await topups.create(customerId, {}, CARDS.declined)).status).toBe(201);
    const replies = await Promise.all(Array.from({ length: 6 }, () => topups.create(customerId, { amount: '2.50' })));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 422, 422]);
  });
});

describe('chargebacks', () => {
  test('of money that is there: out of the wallet; won, and it is back', async () => {
    const customerId = await newCustomer(actors);
    const made = await topups.made(customerId);
    await chargesBack(made);
    await topups.until(made.topupId, 'charged_back');
    expect(await balanceOf(customerId)).toMatchObject({ available: '0.00' });
    const { disputeId } = await disputeOf(made);
    await actors.simulator.callback({ reference: made.paymentId, event: 'chargeback_won' });
    await topups.until(made.topupId, 'settled');
    expect(await balanceOf(customerId)).toMatchObject({ available: '10.00' });
    expect((await transfersOf(actors, disputeId)).map(({ cause }) => cause.replace(`${disputeId}/`, ''))).toEqual([
      'charged-back',
      'charged-back/wallet',
      'won',
      'won/wallet',
    ]);
  });

  test('of money that is gone: owed, and the customer is on hold', async () => {
    const customerId = await newCustomer(charging);
    const [first, second] = [await charged.made(customerId), await charged.made(customerId)];
    for (const made of [first, second]) {
      await chargesBack(made);
      await charged.until(made.topupId, 'charged_back');
    }
    // Both fees were never in the wallet.
    expect(await balanceOf(customerId, 'EUR', charging)).toMatchObject({ available: '0.00', owed: '0.72' });
    const { body } = await charging.tenantAdmin.get(`/customer/1.0.0/fetch/${customerId}`);
    expect(body.customerStatus).toBe('on_hold');
    expect(refusal(await charged.create(customerId))).toEqual([422, 'customer_blocked']);
    const events = await charging.tenantAdmin.get(`/customer/1.0.0/${customerId}/events`);
    expect(events.body.data.at(-1)).toMatchObject({ to: 'on_hold', actor: 'rule' });
    const erased = await send(`${apiUrl}/customer/1.0.0/delete/${customerId}`, {
      method: 'DELETE',
      headers: charging.tenantAdmin.headers,
    });
    expect(refusal(erased)).toEqual([409, 'customer_in_use']);
  });
});

describe('who may', () => {
  /** A customer with a password, signed in. */
  async function signedIn(): Promise<{ customerId: string; email: string; self: Caller }> {
    const email = `self-${randomUUID()}@example.com`;
    const password = `pw-${randomUUID()}`;
    const { tenantId } = credentials;
    const customerId = await newCustomer(actors, {
      person: { firstName: { name: 'My' }, lastName: { name: 'Self' }, email, password },
    });
    const { body } = await send(`${apiUrl}/auth/1.0.0/customers/token`, {
      method: 'POST',
      body: { tenantId, email, password },
    });
    const authorization = `Bearer ${body.access_token}`;
    return { customerId, email, self: new Caller(apiUrl, { authorization, tenantid: tenantId }) };
  }

  test('a customer tops up, lists, refunds and exports its own wallet and nobody else’s', async () => {
    const { customerId, self } = await signedIn();
    const own = new Topups(self);
    const made = await own.made(customerId);
    const other = await topups.made(await newCustomer(actors), {}, CAPTURED);
    expect((await own.create(other.customerId)).status).toBe(404);
    expect((await self.get(`${TOPUPS}/${other.topupId}`)).status).toBe(404);
    for (const what of ['capture', 'cancel', 'refund'] as const)
      expect((await own.act(other.topupId, what)).status).toBe(404);
    const listed = await self.get(`${TOPUPS}?customerId=${other.customerId}`);
    expect(listed.body.data.map(({ topupId }: Json) => topupId)).toEqual([made.topupId]);
    expect((await own.act(made.topupId, 'refund', { amount: '1.00' })).status).toBe(201);
    const { body: csv } = await self.get(`${TOPUPS}/export`);
    expect(csv.trim().split('\r\n')).toHaveLength(2);
    expect((await self.post(`${TOPUPS}/notification-secret/rotate`)).status).toBe(403);
    const { body: record } = await self.get(`/customer/1.0.0/${customerId}/export`);
    const acts = record.audit.filter(({ action }: Json) => action.startsWith('customer.topup'));
    expect(acts.map(({ action, actor }: Json) => [action, actor])).toEqual([
      ['customer.topup_refund', customerId],
      ['customer.topup_create', customerId],
    ]);
  });

  test('a second factor is asked for where funding is on', async () => {
    const { customerId, self } = await signedIn();
    const flags = await put(actors.tenantAdmin, `/customer/1.0.0/twoFA/changeTwoFa/${customerId}`, { funding: true });
    expect(flags.status).toBe(200);
    expect(refusal(await new Topups(self).create(customerId))).toEqual([422, 'two_factor_required']);
    expect(refusal(await topups.create(customerId))).toEqual([422, 'two_factor_required']);
    expect((await self.get(TOPUPS)).body.data).toEqual([]);
  });

  test('whoever pays does not choose that the issuer stays out of it; the tenant may', async () => {
    const { customerId, self } = await signedIn();
    const { body } = await new Topups(self).create(customerId, { threeDS: 'none' }, CARDS.challenge);
    expect(body).toMatchObject({ status: 'awaiting_3ds', action: { type: 'redirect' } });
    const byTenant = await topups.create(customerId, { threeDS: 'none' }, CARDS.challenge);
    expect(byTenant.body.status).not.toBe('awaiting_3ds');
  });

  test('what a tenant admin does for a customer stands in the audit log', async () => {
    const customerId = await newCustomer(actors);
    const made = await topups.made(customerId, { capture: 'manual' }, ['authorized']);
    await topups.act(made.topupId, 'capture');
    await topups.act(made.topupId, 'refund');
    const { body } = await actors.tenantAdmin.get(`/customer/1.0.0/${customerId}/export`);
    const actions = body.audit.map(({ action }: Json) => action).filter((action: string) => /topup/.test(action));
    expect(actions.reverse()).toEqual(['customer.topup_create', 'customer.topup_capture', 'customer.topup_refund']);
  });

  test('the other tenant, and merchants, see nothing', async () => {
    const made = await topups.made(await newCustomer(actors), {}, CAPTURED);
    expect((await charging.tenantAdmin.get(`${TOPUPS}/${made.topupId}`)).status).toBe(404);
    expect((await charged.create(made.customerId)).status).toBe(400);
    const { merchant } = actors;
    // A merchant reads what it has sold by links, and nothing else.
    const tenantid = { tenantid: credentials.tenantId };
    expect((await merchant.get(`${TOPUPS}?customerId=${made.customerId}`, tenantid)).body.data).toEqual([]);
    expect((await merchant.get(`${TOPUPS}/${made.topupId}`, tenantid)).status).toBe(404);
    expect((await merchant.post(`${TOPUPS}/${made.topupId}/refund`, undefined, tenantid)).status).toBe(403);
    expect((await merchant.get(`${PAYMENTS}/${made.paymentId}/status-by-payment-id`)).status).toBe(404);
    const merchants = await actors.tenantAdmin.get('/onboarding/1.0.0/merchants?limit=200');
    expect(JSON.stringify(merchants.body)).not.toContain(made.organizationId);
  });
});

describe('requests', () => {
  test('by a saved card, which is the customer’s own', async () => {
    const customerId = await newCustomer(actors);
    const made = await topups.made(customerId, { storeCard: true }, CAPTURED);
    expect(made.savedCardId).toMatch(/^pm_/);
    const again = await topups.create(customerId, { savedCardId: made.savedCardId }, null);
    expect([again.status, again.body.card.last4Digits]).toEqual([201, '1111']);
    const stranger = await newCustomer(actors);
    const stolen = await topups.create(stranger, { savedCardId: made.savedCardId }, null);
    expect(refusal(stolen)).toEqual([422, 'card_token_unusable']);
  });

  test('repeated under one key are one top-up', async () => {
    const customerId = await newCustomer(actors);
    const key = { 'idempotency-key': randomUUID() };
    const replies = [
      await topups.create(customerId, {}, CARDS.visa, key),
      await topups.create(customerId, {}, CARDS.visa, key),
    ];
    expect(replies[1]!.body).toEqual(replies[0]!.body);
    expect((await actors.tenantAdmin.get(`${TOPUPS}?customerId=${customerId}`)).body.data).toHaveLength(1);
    const { topupId } = replies[0]!.body;
    const refunds = await Promise.all([1, 2, 3].map(() => topups.act(topupId, 'refund', { amount: '2.00' }, 'k')));
    expect(refunds.some(({ status }) => status === 201)).toBe(true);
    expect((await topups.read(topupId)).refunds).toHaveLength(1);
  });

  test.each([
    ['no card', { card: undefined }],
    ['both a card and a saved one', { savedCardId: 'pm_1' }],
    ['three decimals of EUR', { amount: '1.000' }],
    ['nothing', { amount: '0.00' }],
    ['a customer who is nobody', { customerId: 'cus_nobody' }],
    ['an unknown member', { tip: '1.00' }],
    ['an address that is no address', { notificationUrl: 'nowhere' }],
  ])('with %s are refused', async (_, overrides) => {
    const customerId = await newCustomer(actors);
    const order = { customerId, amount: '10.00', currency: 'EUR' };
    const card = { number: CARDS.visa, holder: 'A', expiryMonth: '12', expiryYear: '2030', cvv: '123' };
    const { status, body } = await actors.tenantAdmin.post(TOPUPS, { ...order, card, ...overrides });
    expect([status, body.code]).toEqual([400, 'invalid_request']);
  });

  test('lists are filtered and paged; transactions of the customer name top-ups', async () => {
    const customerId = await newCustomer(actors);
    const first = await topups.made(customerId, {}, CAPTURED);
    const second = await topups.made(customerId, { amount: '500', currency: 'JPY' }, CAPTURED);
    const third = (await topups.create(customerId, {}, CARDS.declined)).body;
    const list = async (query: string) =>
      (await actors.tenantAdmin.get(`${TOPUPS}?customerId=${customerId}${query}`)).body;
    const ids = ({ data }: Json) => data.map(({ topupId }: Json) => topupId);
    const page = await list('&limit=2');
    expect(ids(page)).toEqual([third.topupId, second.topupId]);
    expect(ids(await list(`&limit=2&cursor=${page.nextCursor}`))).toEqual([first.topupId]);
    expect(ids(await list('&status=failed'))).toEqual([third.topupId]);
    expect(ids(await list('&currency=JPY'))).toEqual([second.topupId]);
    expect(ids(await list(`&to=${first.createdAt}`))).toEqual([]);
    const csv = await actors.tenantAdmin.get(`${TOPUPS}/export?customerId=${customerId}`);
    expect(csv.headers.get('content-type')).toContain('text/csv');
    const rows = csv.body.trim().split('\r\n');
    expect(rows[0]).toMatch(/^topupId,customerId,status,currency,amount,fee,netAmount,/);
    expect(rows.slice(1).map((row: string) => row.split(',').slice(0, 7).join())).toEqual([
      [third.topupId, customerId, 'failed', 'EUR', '10.00', '0.00', '0.00'].join(),
      expect.stringMatching(`^${second.topupId},${customerId},(captured|settled),JPY,500,0,500$`),
      expect.stringMatching(`^${first.topupId},${customerId},(captured|settled),EUR,10.00,0.00,10.00$`),
    ]);
    const { body } = await actors.tenantAdmin.get(`/customer/1.0.0/${customerId}/transactions`);
    expect(body.data.map(({ type, topupId }: Json) => [type, topupId])).toEqual(
      [third, second, first].map(({ topupId }) => ['topup', topupId]),
    );
  });
});
