import { newUuid } from '../../src/domain/ids';
import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, CARDS, Caller, type Json, outOfBalance, send, until } from './client';
import { hiddenOf, letter, newMember, type Shown, Visitor } from './page-visitors';
import { put, Seller } from './sellers';
import { newCustomer, TOPUPS, Topups } from './topups';

const { credentials } = sharedStack();
const LINKS = '/payment-links/1.0.0/links';

let actors: Actors;
let seller: Seller;
/** The seller, and another one, where top-ups are read. */
let history: Caller;
let shop: Caller;
beforeAll(async () => {
  actors = await actorsOf(credentials);
  seller = await Seller.create(credentials, actors);
  const tenantid = credentials.tenantId;
  history = new Caller(credentials.apiUrl, { ...seller.merchant.headers, tenantid });
  shop = new Caller(credentials.apiUrl, { ...actors.merchant.headers, tenantid });
});

const asks = (customerId: string, body: object = {}) =>
  seller.merchant.post(LINKS, {
    purpose: 'topup',
    customerId,
    title: 'Top up your wallet',
    amount: '20.00',
    currency: 'EUR',
    ...body,
  });
async function link(customerId: string, body: object = {}): Promise<Json> {
  const reply = await asks(customerId, body);
  if (reply.status !== 201) throw new Error(`not created: ${JSON.stringify(reply.body)}`);
  return reply.body;
}
const form = (number: string = CARDS.visa, more: object = {}) => ({
  number,
  expiry: '12/40',
  cvv: '123',
  holder: 'A Stranger',
  email: 'stranger@example.com',
  method: '1',
  attempt: newUuid(),
  order: newUuid(),
  ...more,
});
const topupIn = ({ location }: Shown) => /pay_([0-9a-z]{26})/.exec(location)![0].replace('pay_', 'top_');
const statistics = async (linkId: string): Promise<Json> =>
  (await seller.merchant.get(`${LINKS}/${linkId}/statistics`)).body;
const wallet = async (customerId: string): Promise<Json> => {
  const { body } = await actors.tenantAdmin.get(`/wallet/1.0.0/customers/${customerId}/balances`);
  return (body.data ?? body).find(({ currency }: Json) => currency === 'EUR');
};

test('a top-up by link fills the wallet, is cleared to the seller, and a refund takes both back', async () => {
  const topups = new Topups(actors.tenantAdmin);
  const customerId = await newCustomer(actors);
  const { url, linkId, ...shown } = await link(customerId);
  expect(shown).toMatchObject({ purpose: 'topup', customerId, amount: { min: '20.00', max: '20.00' } });
  const visitor = new Visitor(url);
  const { text } = await visitor.get();
  // The name of the customer, shortened: `Wallet Owner`.
  expect(text).toContain('W… O…');
  expect(text).not.toContain('Wallet Owner');
  expect(text).toContain('Pay €20.00');
  const email = `${newUuid()}@payer.example`;
  const sent = form(CARDS.visa, { email });
  const [paid, twice] = await Promise.all([visitor.post('', sent), visitor.post('', sent)]);
  expect([paid.status, twice.location]).toEqual([303, paid.location]);
  const topupId = topupIn(paid);
  const topup = await topups.until(topupId, 'settled');
  expect(topup).toMatchObject({ customerId, linkId, sellerId: seller.organizationId, amount: '20.00' });
  expect(await wallet(customerId)).toMatchObject({ available: '20.00' });
  // The receipt names who has sold it, not who has taken the money.
  await visitor.post(`/${topup.paymentId}/receipt`, {});
  expect(await letter(credentials.apiUrl, email)).toMatch(/^A Seller\n\nTop up your wallet: /);
  expect(await statistics(linkId)).toMatchObject({ tried: 1, paid: 1, amount: '20.00' });
  expect(await seller.balance()).toMatchObject({ available: '20.00' });

  await topups.act(topupId, 'refund', { amount: '5.00' });
  await topups.until(topupId, 'partially_refunded');
  expect(await wallet(customerId)).toMatchObject({ available: '15.00' });
  expect(await seller.balance()).toMatchObject({ available: '15.00' });
  const payout = await seller.payOut();
  await seller.become(payout.body.payoutId, 'settled');
  // What was paid out is owed when it goes back, and carried.
  await topups.act(topupId, 'refund');
  await topups.until(topupId, 'refunded');
  expect(await wallet(customerId)).toMatchObject({ available: '0.00' });
  expect(await seller.balance()).toMatchObject({ balance: '-15.00' });
  expect(await outOfBalance(actors)).toEqual([]);
});

test('its history belongs to the seller, the tenant and the customer, as a list and as CSV', async () => {
  const customerId = await newCustomer(actors);
  const { url, linkId } = await link(customerId);
  const ids = [topupIn(await new Visitor(url).post('', form())), topupIn(await new Visitor(url).post('', form()))];
  const listed = async (who: Caller, query: string) =>
    (await who.get(`${TOPUPS}?${query}`)).body.data.map(({ topupId }: Json) => topupId);
  expect(await listed(history, `linkId=${linkId}`)).toEqual([...ids].reverse());
  expect(await listed(actors.tenantAdmin, `linkId=${linkId}&sellerId=${seller.organizationId}`)).toHaveLength(2);
  expect(await listed(shop, `linkId=${linkId}`)).toEqual([]);
  const csv = await history.get(`${TOPUPS}/export?linkId=${linkId}`);
  expect(csv.body.trim().split(/\r?\n/)).toHaveLength(3);
  expect(csv.body).toContain(linkId);
  expect((await history.get(`${TOPUPS}/${ids[0]}`)).body).toMatchObject({ topupId: ids[0] });
  expect((await shop.get(`${TOPUPS}/${ids[0]}`)).status).toBe(404);
  // Somebody else's wallet is not the seller's to empty.
  expect((await history.post(`${TOPUPS}/${ids[0]}/refund`)).status).toBe(403);
});

test('a refused card, then 3-D Secure with another; one that may be paid once is paid once', async () => {
  const customerId = await newCustomer(actors);
  const { url, linkId } = await link(customerId, { maxPayments: 1, amount: { min: '5.00', max: '50.00' } });
  const visitor = new Visitor(url);
  const small = await visitor.post('', form(CARDS.visa, { amount: '4.99' }));
  expect([small.status, small.text.includes('too small or too large')]).toEqual([400, true]);
  const refused = await visitor.follow(await visitor.post('', form(CARDS.declined, { amount: '7.50' })));
  expect(refused.text).toContain('Not paid');
  const challenged = await visitor.post('', form(CARDS.challenge, { amount: '7.50' }));
  expect(challenged.location).toContain(credentials.simulatorUrl);
  expect((await visitor.post('', form(CARDS.visa, { amount: '7.50' }))).status).toBe(409);
  await fetch(challenged.location, { method: 'POST', body: new URLSearchParams({ outcome: 'authenticated' }) });
  await until('the wallet has it', async () => (await wallet(customerId))?.available === '7.50');
  expect(await statistics(linkId)).toMatchObject({ tried: 2, paid: 1, amount: '7.50' });
  await until('the link is paid', async () => (await visitor.get()).status === 410);
});

test('the limits of top-ups hold, and the page says so', async () => {
  const { other } = credentials;
  const stranger = await actorsOf(credentials, other);
  const customerId = await newCustomer(stranger);
  await put(stranger.tenantAdmin, '/wallet/1.0.0/limits', {
    customerId,
    operation: 'topup',
    currency: 'EUR',
    perTransaction: '10.00',
  });
  const body = {
    purpose: 'topup',
    customerId,
    title: 'Top up',
    amount: { min: '1.00', max: '50.00' },
    currency: 'EUR',
  };
  const { url, linkId } = (await stranger.merchant.post(LINKS, body)).body;
  const visitor = new Visitor(url);
  const tooMuch = await visitor.post('', form(CARDS.visa, { amount: '10.01' }));
  expect([tooMuch.status, tooMuch.text.includes('more than this wallet may be topped up with')]).toEqual([409, true]);
  expect((await visitor.post('', form(CARDS.visa, { amount: '10.00' }))).status).toBe(303);
  expect((await stranger.merchant.get(`${LINKS}/${linkId}/statistics`)).body).toMatchObject({ tried: 1 });
});

test('a saved card tops up the wallet of its own customer only', async () => {
  const [owner, other] = await Promise.all([newMember(actors.tenantAdmin), newMember(actors.tenantAdmin, 'Pat Other')]);
  const { url } = await link(owner.customerId);
  for (const [member, mayBeSaved] of [
    [owner, true],
    [other, false],
  ] as const) {
    const visitor = new Visitor(url);
    await visitor.signIn(member);
    expect((await visitor.get()).text.includes('Save this card')).toBe(mayBeSaved);
    expect((await visitor.post('', form(CARDS.visa, { storeCard: 'yes' }))).status).toBe(303);
    if (mayBeSaved) await until('it is offered', async () => hiddenOf(await visitor.get()).card);
    else expect(hiddenOf(await visitor.get())).not.toHaveProperty('card');
  }
});

test.each<[string, object, string]>([
  ['no customer', { customerId: undefined }, 'customerId'],
  ['an order', { orderId: 'ord_1', amount: undefined, currency: undefined }, 'amount'],
  ['lines', { lines: [{ description: 'x', amount: '1.00' }], amount: undefined }, 'amount'],
  ['another way than a card', { kinds: ['qr'] }, 'kinds'],
  ['a payment that names a customer', { purpose: 'payment' }, 'customerId'],
])('is not created with %s', async (_what, body, field) => {
  const reply = await asks(await newCustomer(actors), body);
  expect(reply.status).toBe(400);
  expect(JSON.stringify(reply.body.details)).toContain(`"${field}"`);
});

test('is not created for a customer of another tenant or another seller', async () => {
  const stranger = await actorsOf(credentials, credentials.other);
  const foreign = await newCustomer(stranger);
  const organizationId = credentials.organizationId;
  const anothers = await newCustomer(actors, { organizationId });
  for (const customerId of [foreign, anothers, 'cus_00000000000000000000000000']) {
    const { status, body } = await asks(customerId);
    expect([status, body.details]).toMatchObject([400, [{ field: 'customerId' }]]);
  }
});

test('is gone once its customer is', async () => {
  const customerId = await newCustomer(actors);
  const { url } = await link(customerId);
  const path = `${credentials.apiUrl}/customer/1.0.0/delete/${customerId}`;
  expect((await send(path, { method: 'DELETE', headers: actors.tenantAdmin.headers })).status).toBe(200);
  expect((await fetch(url)).status).toBe(404);
});
