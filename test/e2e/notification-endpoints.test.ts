import { newUuid } from '../../src/domain/ids';
import { sharedStack } from '../setup/stack';
import { isGenuine, Receiver } from '../unit/edge/notifications/receiver';
import { type Actors, actorsOf, CARDS, type Json, type Merchant, send, transactionId, until } from './client';
import { Goods, ITEMS } from './goods';
import { put, Seller } from './sellers';

const { credentials, apiUrl } = sharedStack();
const ENDPOINTS = '/notifications/1.0.0/endpoints';
const NOTIFICATIONS = '/ipg/1.0.0/payment/notifications';
const LINKS = '/payment-links/1.0.0/links';

let actors: Actors;
let receiver: Receiver;
/** Of its own: an endpoint hears of everything that happens to its organization. */
let shop: Seller;
let merchant: Merchant;

beforeAll(async () => {
  actors = await actorsOf(credentials);
  receiver = await new Receiver().listen();
  shop = await Seller.create(credentials, actors);
  merchant = shop.merchant;
});
afterAll(() => receiver.close());

/** An endpoint at a path of its own, with what has come there. */
async function endpoint(events: string[]) {
  const path = `/${transactionId()}`;
  const { status, body } = await merchant.post(ENDPOINTS, { url: receiver.url(path), events });
  expect(status).toBe(201);
  const heard = (type: string): Promise<Json> =>
    until(`${type} is told`, async () => receiver.at(path).find((one) => one.type === type));
  return { path, heard, endpointId: body.endpointId, secret: body.secret };
}
const remove = (id: string) => send(`${apiUrl}${ENDPOINTS}/${id}`, { method: 'DELETE', headers: merchant.headers });

test('it hears of payments beside the address that came with one, signed with a secret of its own', async () => {
  const { path, heard, endpointId, secret } = await endpoint(['payment.*']);
  const ownPath = `/${transactionId()}`;
  const { paymentId } = await merchant.paid(CARDS.visa, { notificationUrl: receiver.url(ownPath) });
  const told = await heard('payment.settled');
  expect(told.data).toMatchObject({ paymentId, transactionStatus: 'settled' });
  await until('the address of the payment is told too', async () => receiver.at(ownPath).length === 2);
  const ofEndpoint = receiver.received.filter((got) => got.path === path);
  expect(ofEndpoint.every((got) => isGenuine(got, secret))).toBe(true);
  const ofPayment = receiver.received.filter((got) => got.path === ownPath);
  expect(ofPayment.some((got) => isGenuine(got, secret))).toBe(false);
  const ids = [...ofEndpoint, ...ofPayment].map(({ body }) => JSON.parse(body).id);
  expect(new Set(ids).size).toBe(4);
  const { data } = (await merchant.get(`${NOTIFICATIONS}?endpointId=${endpointId}&subjectId=${paymentId}`)).body;
  expect(data).toMatchObject([{ type: 'payment.settled', endpointId }, { type: 'payment.captured' }]);
  const { body: whole } = await merchant.get(`${NOTIFICATIONS}/${told.id}`);
  expect(whole.body).toEqual(told);
  await remove(endpointId);
});

test('it hears of links, items, orders and questions, each as the API shows it', async () => {
  const { heard, endpointId } = await endpoint(['link.*', 'item.*', 'order.*', 'ticket.*']);
  const goods = new Goods({ ...actors, merchant });
  const item = await goods.approved();
  expect((await heard('item.approved')).data).toEqual(await goods.item(item.itemId));
  const { itemId } = await goods.added();
  await actors.tenantAdmin.post(`${ITEMS}/${itemId}/reject`, { reason: 'The picture shows another item.' });
  expect((await heard('item.rejected')).data).toMatchObject({ itemId, reason: 'The picture shows another item.' });

  const gift = { amount: { min: '5.00', max: '500.00' }, currency: 'EUR', title: 'A gift', approval: 'required' };
  const link = (await merchant.post(LINKS, { ...gift, maxPayments: 1 })).body;
  await actors.tenantAdmin.post(`${LINKS}/${link.linkId}/approve`);
  const approved = await heard('link.approved');
  expect(approved.data).toEqual((await merchant.get(`${LINKS}/${link.linkId}`)).body);
  const typed = { number: CARDS.visa, expiry: '12/40', cvv: '123', holder: 'Ana Silva', email: 'ana@example.com' };
  const form = { ...typed, method: '1', amount: '25.00', attempt: newUuid(), order: newUuid() };
  const paid = await fetch(link.url, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' });
  expect(paid.status).toBe(303);
  expect((await heard('link.paid')).data).toMatchObject({ linkId: link.linkId, status: 'paid' });
  const order = (await heard('order.paid')).data;
  expect(order).toMatchObject({ status: 'paid', total: '25.00', linkId: link.linkId });
  const { data: payments } = (await merchant.get(`/ipg/1.0.0/payment/payments?linkId=${link.linkId}`)).body;
  expect(payments).toMatchObject([{ paymentId: order.paymentId, linkId: link.linkId, orderId: order.orderId }]);
  const byOrder = (await merchant.get(`/ipg/1.0.0/payment/payments?orderId=${order.orderId}`)).body.data;
  expect(byOrder.map(({ paymentId }: Json) => paymentId)).toEqual([order.paymentId]);

  const other = (await merchant.post(LINKS, gift)).body;
  await actors.tenantAdmin.post(`${LINKS}/${other.linkId}/reject`, { reason: 'Not our price.' });
  expect((await heard('link.rejected')).data).toMatchObject({ linkId: other.linkId, statusDetail: 'Not our price.' });
  const free = (await merchant.post(LINKS, { ...gift, approval: 'default' })).body;
  const question = { attempt: newUuid(), email: 'ana@example.com', words: 'When does it come?' };
  await fetch(`${free.url}/tickets`, { method: 'POST', body: new URLSearchParams(question), redirect: 'manual' });
  const ticket = (await heard('ticket.opened')).data;
  expect(ticket).toMatchObject({ linkId: free.linkId, messages: [{ from: 'buyer', text: 'When does it come?' }] });
  await merchant.post(`${LINKS}/${free.linkId}/disable`);
  expect((await heard('link.disabled')).data).toMatchObject({ linkId: free.linkId, status: 'disabled' });
  await remove(endpointId);
});

test('it hears of each step of a payout, in order', async () => {
  const { path, heard, endpointId } = await endpoint(['payout.*']);
  await shop.sold('30.00');
  const { payoutId } = (await shop.payOut({ amount: '20.00' })).body;
  const settled = await heard('payout.settled');
  expect(settled.data).toEqual(await shop.payout(payoutId));
  const steps = receiver.at(path).filter(({ data }) => data.payoutId === payoutId);
  expect(steps.map(({ type }) => type)).toEqual(['payout.scheduled', 'payout.sent', 'payout.settled']);
  await remove(endpointId);
});

test('it is listed, changed, pinged, disabled, enabled, given a new secret and removed', async () => {
  const { path, endpointId, secret } = await endpoint(['payout.*']);
  const one = `${ENDPOINTS}/${endpointId}`;
  const listed = (await merchant.get(ENDPOINTS)).body.data;
  expect(listed.map((row: Json) => row.endpointId)).toContain(endpointId);
  expect(JSON.stringify(listed)).not.toContain(secret);
  expect((await put(merchant, one, { description: 'Books' })).body).toMatchObject({ events: ['payout.*'] });
  const pinged = (await merchant.post(`${one}/ping`)).body;
  expect(pinged).toMatchObject({ type: 'test.ping', state: 'delivered', endpointId, attempts: [{ status: 204 }] });
  expect(isGenuine(receiver.received.find((got) => got.path === path)!, secret)).toBe(true);
  const rotated = (await merchant.post(`${one}/secret/rotate`, { overlapSeconds: 0 })).body;
  expect(rotated.secret).not.toBe(secret);
  await merchant.post(`${one}/ping`);
  const last = receiver.received.filter((got) => got.path === path).at(-1)!;
  expect([isGenuine(last, rotated.secret), isGenuine(last, secret)]).toEqual([true, false]);
  expect(await merchant.post(`${one}/secret/rotate`, { overlapSeconds: 100_000_000 })).toMatchObject({ status: 400 });
  expect((await merchant.post(`${one}/disable`)).body).toMatchObject({ status: 'disabled' });
  expect((await merchant.post(`${one}/enable`)).body).toMatchObject({ status: 'enabled' });
  expect((await remove(endpointId)).status).toBe(204);
  expect((await merchant.get(one)).status).toBe(404);
});

test.each([
  [{ url: 'ftp://127.0.0.1/' }, 'url'],
  [{ url: 'http://user:secret@127.0.0.1/' }, 'url'],
  [{ url: 'https://shop.example/', events: ['payment.lost'] }, 'events[0]'],
  [{ url: 'https://shop.example/', events: ['test.ping'] }, 'events[0]'],
])('one that can never work is refused: %j', async (body, field) => {
  const { status, body: answer } = await merchant.post(ENDPOINTS, body);
  expect([status, answer.details?.[0]?.field]).toEqual([400, field]);
});

test('others neither see it nor touch it; a merchant account’s own token is not enough', async () => {
  const { endpointId } = await endpoint(['payout.*']);
  const one = `${ENDPOINTS}/${endpointId}`;
  const { merchant: stranger } = await actorsOf(credentials, credentials.other);
  for (const caller of [stranger, actors.merchant]) {
    expect((await caller.get(one)).status).toBe(404);
    expect((await caller.post(`${one}/ping`)).status).toBe(404);
    expect((await put(caller, one, { description: 'mine' })).status).toBe(404);
  }
  await remove(endpointId);
});
