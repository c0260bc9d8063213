import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, CAPTURED, CARDS, type Json, type Reply, send } from './client';
import { Seller } from './sellers';
import { ownTenant } from './tenants';
import { newCustomer } from './topups';

/** Two organizations of one tenant, and whose customers each may charge. */

const { apiUrl } = sharedStack();
const SHARING = '/customer/1.0.0/sharing';
let actors: Actors;
let other: Seller;
let customerId: string;
let cardToken: string;

beforeAll(async () => {
  const tenant = await ownTenant();
  actors = await actorsOf(sharedStack().credentials, tenant);
  other = await Seller.create(tenant, actors, null);
  customerId = await newCustomer(actors, { organizationId: tenant.organizationId });
  const saved = await actors.tenantAdmin.post(`/customer/1.0.0/${customerId}/paymentMethods`, {
    card: { number: CARDS.visa, holder: 'A Owner', expiryMonth: '12', expiryYear: '2030', cvv: '123' },
  });
  cardToken = saved.body.paymentMethodId;
});

const share = (shared: unknown, { headers } = actors.tenantAdmin): Promise<Reply> =>
  send(apiUrl + SHARING, { method: 'PUT', headers, body: { shared } });
const said = ({ status, body }: Reply): Json => [status, body.code, body.details];

test('the organization of a customer charges it; another finds neither the customer nor its card', async () => {
  const customer = { customerId };
  await actors.merchant.paid(CARDS.visa, { customer });
  await actors.merchant.paid(undefined as never, { cardToken, customer });
  const unknown = said(await other.merchant.pay(CARDS.visa, { customer: { customerId: `${customerId}x` } }));
  expect(unknown).toMatchObject([400, 'invalid_request', [{ field: 'customer.customerId' }]]);
  expect(said(await other.merchant.pay(CARDS.visa, { customer }))).toEqual(unknown);
  expect(said(await other.merchant.pay(undefined, { cardToken, customer }))).toEqual(unknown);
  // Nothing says that the customer is blocked either.
  await actors.tenantAdmin.post(`/customer/1.0.0/status/${customerId}`, { status: 'on_hold', reason: 'a test' });
  expect(said(await other.merchant.pay(CARDS.visa, { customer }))).toEqual(unknown);
  await actors.tenantAdmin.post(`/customer/1.0.0/status/${customerId}`, { status: 'verified', reason: 'a test' });
});

test('a customer of no organization is everybody’s in the tenant', async () => {
  const customer = { customerId: await newCustomer(actors) };
  await actors.merchant.paid(CARDS.visa, { customer });
  await other.merchant.paid(CARDS.visa, { customer });
});

test('a tenant that shares its customers lets each organization charge them, until it does no more', async () => {
  const customer = { customerId };
  expect((await actors.tenantAdmin.get(SHARING)).body).toEqual({ shared: false });
  expect((await share(true, actors.merchant)).status).toBe(403);
  expect((await share('yes')).status).toBe(400);
  expect(await share(true)).toMatchObject({ status: 200, body: { shared: true } });
  const paid = await other.merchant.paid(undefined as never, { cardToken, customer }, CAPTURED);
  expect(paid.customerId).toBe(customerId);
  await share(false);
  expect((await other.merchant.pay(CARDS.visa, { customer })).status).toBe(400);
});
