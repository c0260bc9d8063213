import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, CAPTURED, CARDS, challenge, type Json, PAYMENTS, type Reply, send } from './client';
import { ownTenant } from './tenants';
import { newCustomer, Topups } from './topups';

/** The tenant's policy on 3-D Secure: each test has a tenant of its own. */

const { credentials, apiUrl } = sharedStack();
const POLICY = '/routing/1.0.0/authentication-policy';
let actors: Actors;

beforeEach(async () => {
  actors = await actorsOf(credentials, await ownTenant());
});

const put = (body: Json, { headers } = actors.tenantAdmin): Promise<Reply> =>
  send(apiUrl + POLICY, { method: 'PUT', headers, body });
async function set(policy: Json): Promise<void> {
  const full = { exemptions: [], ...policy };
  expect(await put({ policy })).toMatchObject({ status: 200, body: { policy: full } });
  expect((await actors.tenantAdmin.get(POLICY)).body).toEqual({ policy: full });
}

/** Pays with a card that asks for nothing by itself. */
async function pay(overrides: Json = {}): Promise<Json> {
  const { status, body } = await actors.merchant.pay(CARDS.visa, { threeDS: 'none', ...overrides });
  expect([201, 202]).toContain(status);
  return body.data;
}
async function authenticate({ paymentId, action }: Json): Promise<void> {
  await challenge(action.url, 'authenticated');
  await actors.merchant.until(paymentId, ...CAPTURED);
}

test('without a policy the request decides, and nothing is shown', async () => {
  expect((await actors.tenantAdmin.get(POLICY)).body).toEqual({});
  const paid = await pay();
  expect(paid).toMatchObject({ transactionStatus: 'captured' });
  expect(paid.authentication).toBeUndefined();
});

test('where it is always required, nobody switches it off: payments, top-ups, card checks', async () => {
  await set({ require: 'always' });
  for (const threeDS of ['none', 'auto', 'required'])
    expect(await pay({ threeDS })).toMatchObject({
      transactionStatus: 'requires_action',
      authentication: { asked: threeDS, applied: 'required' },
    });
  const customerId = await newCustomer(actors);
  const topup = await new Topups(actors.tenantAdmin).create(customerId, { threeDS: 'none' });
  expect(topup.body.status).toBe('awaiting_3ds');
  const check = await actors.tenantAdmin.post(`/customer/1.0.0/${customerId}/paymentMethods`, {
    card: { number: CARDS.visa, holder: 'A Owner', expiryMonth: '12', expiryYear: '2030', cvv: '123' },
  });
  expect([check.status, check.body.status]).toEqual([202, 'requires_action']);
});

test('low values are let off five times, and again once the payer has authenticated', async () => {
  await set({ require: 'always', exemptions: ['low_value'] });
  const { paymentId } = await pay();
  for (let times = 2; times <= 5; times += 1)
    expect(await pay()).toMatchObject({
      transactionStatus: 'captured',
      authentication: { asked: 'none', applied: 'none', exemption: 'low_value' },
    });
  const { body } = await actors.merchant.get(`${PAYMENTS}/${paymentId}/attempts`);
  expect(body.data).toMatchObject([{ authentication: { applied: 'none', exemption: 'low_value' } }]);

  const sixth = await pay();
  expect(sixth).toMatchObject({ transactionStatus: 'requires_action', authentication: { applied: 'required' } });
  expect(sixth.authentication.exemption).toBeUndefined();
  await authenticate(sixth);
  expect(await pay()).toMatchObject({ transactionStatus: 'captured' });
});

test('a low value whose issuer wants 3-D Secure: the payer is asked, once, for the same payment', async () => {
  await set({ require: 'always', exemptions: ['low_value'] });
  const { status, body } = await actors.merchant.pay(CARDS.authenticationRequired, { threeDS: 'none' });
  expect(status).toBe(202);
  const authentication = { asked: 'none', applied: 'required', softDeclined: true, refusedExemption: 'low_value' };
  expect(body.data).toMatchObject({ transactionStatus: 'requires_action', authentication });
  await authenticate(body.data);
  const attempts = await actors.merchant.get(`${PAYMENTS}/${body.data.paymentId}/attempts`);
  expect(attempts.body.data).toMatchObject([{ authentication }]);
  const charges = await fetch(`${credentials.simulatorUrl}/sim/processors/a/charges?reference=${body.data.paymentId}`);
  expect(((await charges.json()) as Json).data).toMatchObject([{ refusedExemption: 'low_value', status: 'captured' }]);
});

test('a top-up shows what was decided, as its payment does', async () => {
  await set({ require: 'always', exemptions: ['low_value'] });
  const topups = new Topups(actors.tenantAdmin);
  const made = await topups.create(await newCustomer(actors), { threeDS: 'none', amount: '10.00', currency: 'EUR' });
  const authentication = { asked: 'none', applied: 'none', exemption: 'low_value' };
  expect(made.body.authentication).toEqual(authentication);
  expect((await actors.tenantAdmin.get(`/wallet/1.0.0/topups/${made.body.topupId}`)).body).toMatchObject({
    authentication,
  });
});

test('low values are 30 euros at most, 100 together, and only where the request asks', async () => {
  await set({ require: 'always', exemptions: ['low_value'] });
  const asked = { transactionStatus: 'requires_action' };
  expect(await pay({ amount: '30.01' })).toMatchObject(asked);
  expect(await pay({ currency: 'USD' })).toMatchObject(asked);
  expect(await pay({ threeDS: 'auto' })).toMatchObject(asked);
  expect(await pay({ storeCard: true })).toMatchObject(asked);
  for (let times = 1; times <= 3; times += 1) expect(await pay({ amount: '30.00' })).toMatchObject(PAID);
  expect(await pay({ amount: '10.01' })).toMatchObject(asked);
  expect(await pay({ amount: '10.00' })).toMatchObject(PAID);
});
const PAID = { transactionStatus: 'captured' };

test('of many low values at once, no more than five are let off', async () => {
  await set({ require: 'always', exemptions: ['low_value'] });
  const payments = await Promise.all(Array.from({ length: 12 }, () => pay({ amount: '1.00' })));
  expect(payments.filter(({ authentication }) => authentication.exemption)).toHaveLength(5);
});

test('the conditions of a policy: amount, country and risk; what is not known fits', async () => {
  await set({ require: 'when', above: [{ currency: 'EUR', amount: '50.00' }], countries: ['BR'] });
  const customer = { country: 'PT' };
  // Below it the issuer decides: the request cannot ask for less.
  expect((await pay({ amount: '50.00', customer })).authentication).toEqual({ asked: 'none', applied: 'auto' });
  const required = { applied: 'required' };
  expect((await pay({ amount: '50.01', customer })).authentication).toMatchObject(required);
  expect((await pay({ currency: 'USD', customer })).authentication).toMatchObject(required);
  expect((await pay({ customer: { country: 'BR' } })).authentication).toMatchObject(required);
  expect((await pay()).authentication).toMatchObject(required);
  expect((await pay({ threeDS: 'required', customer })).authentication).toMatchObject(required);
  await set({ require: 'never' });
  expect((await pay({ threeDS: 'auto' })).authentication).toEqual({ asked: 'auto', applied: 'none' });
});

test('later payments of a series go without, where the policy says so; the first never', async () => {
  await set({ require: 'when', above: [{ currency: 'EUR', amount: '500.00' }], exemptions: ['merchant_initiated'] });
  const first = await pay({ recurring: { initial: true } });
  expect(first).toMatchObject({ transactionStatus: 'requires_action' });
  await authenticate(first);
  const follow = async (overrides: Json = {}): Promise<Json> => {
    const recurring = { originalPaymentId: first.paymentId };
    const { body } = await actors.merchant.pay(undefined, { recurring, ...overrides });
    return body.data.authentication;
  };
  expect(await follow({ amount: '600.00' })).toEqual({
    asked: 'auto',
    applied: 'none',
    exemption: 'merchant_initiated',
  });
  expect(await follow()).toEqual({ asked: 'auto', applied: 'auto' });
  await set({ require: 'always' });
  expect(await follow({ threeDS: 'none' })).toEqual({ asked: 'none', applied: 'required' });
});

test('only the tenant’s admin sets it; a policy that says nothing is refused', async () => {
  expect((await put({ policy: { require: 'always' } }, actors.merchant)).status).toBe(403);
  expect((await put({ policy: { require: 'when' } })).status).toBe(400);
  expect((await put({ policy: { require: 'always', risk: ['high'] } })).status).toBe(400);
  expect((await put({ policy: { require: 'when', above: [{ currency: 'JPY', amount: '1.00' }] } })).status).toBe(400);
  await set({ require: 'always' });
  expect((await put({})).body).toEqual({});
  expect(await pay()).toMatchObject(PAID);
});
