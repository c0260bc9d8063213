import { plainPicture } from '../setup/pictures';
import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, type Caller, type Json, send, transactionId, until } from './client';
import { Goods } from './goods';
import { PAYOUTS, put, Seller } from './sellers';

/** Two sellers of one tenant: what one of them has, the other neither sees nor touches, as a program or as a person. */

const { credentials } = sharedStack();
const LINKS = '/payment-links/1.0.0/links';
const TICKETS = '/payment-links/1.0.0/tickets';

let actors: Actors;
let own: Seller;
let other: Seller;
/** What the one seller has, by its path. */
let things: { path: string; list: string; id: string }[];
let acts: [method: 'POST' | 'PUT', path: string, body: object][];

beforeAll(async () => {
  actors = await actorsOf(credentials);
  [own, other] = await Promise.all([Seller.create(credentials, actors), Seller.create(credentials, actors)]);
  await own.sold('25.00');
  const goods = new Goods({ merchant: own.merchant, tenantAdmin: actors.tenantAdmin });
  const { imageId } = (await goods.upload(await plainPicture(20, 20, '#336699'), 'image/png')).body;
  const { itemId } = await goods.approved({ images: [imageId] });
  const { orderId } = await goods.ordered([{ itemId, quantity: 1 }]);
  const title = 'Consulting in November';
  const link = (await own.merchant.post(LINKS, { title, orderId, approval: 'required' })).body;
  const { linkId } = link;
  await actors.tenantAdmin.post(`${LINKS}/${linkId}/approve`);
  const shared = await own.merchant.post(`${LINKS}/${linkId}/share`, { channel: 'external', to: 'my own shop' });
  const { shareId } = shared.body;
  await fetch(`${link.url}/tickets`, {
    method: 'POST',
    body: new URLSearchParams({ email: `${transactionId()}@buyer.example`, words: 'Is it blue?' }),
  });
  const ticketId = await until('the ticket', async () => {
    const { body } = await own.merchant.get(`${TICKETS}?linkId=${linkId}`);
    return body.data[0]?.ticketId as string | undefined;
  });
  const { payoutId } = (await own.payOut({ amount: '5.00' })).body;
  const item = `/inventory/1.0.0/items/${itemId}`;
  const order = `/orders/1.0.0/orders/${orderId}`;
  things = [
    { path: item, list: '/inventory/1.0.0/items', id: itemId },
    { path: order, list: '/orders/1.0.0/orders', id: orderId },
    { path: `${LINKS}/${linkId}`, list: LINKS, id: linkId },
    { path: `${TICKETS}/${ticketId}`, list: TICKETS, id: ticketId },
    { path: `${PAYOUTS}/payouts/${payoutId}`, list: `${PAYOUTS}/payouts`, id: payoutId },
    { path: `${item}/images/${imageId}`, list: '', id: imageId },
    { path: `${item}/movements`, list: '', id: itemId },
    { path: `${LINKS}/${linkId}/statistics`, list: '', id: linkId },
    { path: `${LINKS}/${linkId}/shares`, list: '', id: shareId },
    { path: `${PAYOUTS}/payouts/${payoutId}/statement`, list: '', id: payoutId },
    { path: `${PAYOUTS}/payouts/${payoutId}/pain001`, list: '', id: payoutId },
  ];
  acts = [
    ['PUT', item, { name: 'Mine now' }],
    ['POST', `${item}/adjust`, { delta: -1, reason: 'taken' }],
    ['POST', `${order}/cancel`, {}],
    ['POST', `${LINKS}/${linkId}/disable`, {}],
    ['POST', `${LINKS}/${linkId}/enable`, {}],
    ['POST', `${LINKS}/${linkId}/expiry`, { expiresAt: '2040-01-31T12:00:00.000Z' }],
    ['POST', `${LINKS}/${linkId}/share`, { channel: 'external', to: 'a shop of mine' }],
    ['POST', `${LINKS}/${linkId}/shares/${shareId}/resend`, {}],
    ['POST', `${TICKETS}/${ticketId}/answer`, { text: 'Yes' }],
    ['POST', `${TICKETS}/${ticketId}/close`, {}],
    ['POST', `${PAYOUTS}/payouts/${payoutId}/cancel`, {}],
  ];
});

const statusOf = async (who: Caller, path: string) => (await fetch(who.apiUrl + path, { headers: who.headers })).status;

/** As a program, and as a person. */
const CALLERS = ['merchant', 'contact'] as const;

test.each(CALLERS)('the %s of a seller sees what is the seller’s', async (as) => {
  for (const { path, list, id } of things) {
    expect([path, await statusOf(own[as], path)]).toEqual([path, 200]);
    if (list) expect(JSON.stringify((await own[as].get(list)).body.data)).toContain(id);
  }
});

test.each(CALLERS)('the %s of another seller finds nothing of it', async (as) => {
  for (const { path, list, id } of things) {
    expect([path, await statusOf(other[as], path)]).toEqual([path, 404]);
    if (list) expect(JSON.stringify((await other[as].get(list)).body.data)).not.toContain(id);
  }
});

test.each(CALLERS)('the %s of another seller can do nothing to it', async (as) => {
  const { apiUrl, headers } = other[as];
  for (const [method, path, body] of acts) {
    const { status } = await send(apiUrl + path, { method, headers, body });
    expect([path, status]).toEqual([path, 404]);
  }
});

test('nor can a seller take what is another’s into a link, an order or a payout', async () => {
  const [item, order] = things;
  const taken: [string, Json][] = [
    [LINKS, { title: 'Mine', orderId: order!.id }],
    [LINKS, { title: 'Mine', currency: 'EUR', lines: [{ itemId: item!.id, quantity: 1 }] }],
    ['/orders/1.0.0/orders', { currency: 'EUR', lines: [{ itemId: item!.id, quantity: 1 }] }],
  ];
  for (const [path, body] of taken) {
    const { status } = await other.merchant.post(path, body);
    expect([path, body, [400, 404].includes(status)]).toEqual([path, body, true]);
  }
  const balance = await other.balance();
  expect(balance).toMatchObject({ available: '0.00' });
  const { status } = await other.payOut({ amount: '5.00' });
  expect(status).toBe(422);
});

test('what only a tenant admin may do, a seller may not', async () => {
  const [item, , link] = things;
  const refused: [method: 'POST' | 'PUT', path: string, body: object][] = [
    ['POST', `${item!.path}/approve`, {}],
    ['POST', '/inventory/1.0.0/items/approvals', { decision: 'approve', itemIds: [item!.id] }],
    ['PUT', '/payment-links/1.0.0/settings', {}],
    ['PUT', '/payment-links/1.0.0/theme', {}],
    ['POST', `${PAYOUTS}/accounts/${own.organizationId}/verify`, {}],
    ['POST', `${PAYOUTS}/runs`, {}],
  ];
  for (const as of CALLERS)
    for (const [method, path, body] of refused) {
      const { apiUrl, headers } = own[as];
      expect([path, (await send(apiUrl + path, { method, headers, body })).status]).toEqual([path, 403]);
    }
  // Nobody approves what nobody has delegated.
  expect((await own.contact.post(`${link!.path}/approve`, {})).status).toBeGreaterThanOrEqual(403);
  expect((await put(own.merchant, `${PAYOUTS}/terms`, { currency: 'EUR' })).status).toBe(403);
});
