import { randomUUID } from 'node:crypto';
import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, type Json, until } from './client';
import { Goods, ITEMS, ORDERS } from './goods';

const { credentials } = sharedStack();

let actors: Actors;
let stranger: Actors;
let goods: Goods;

beforeAll(async () => {
  [actors, stranger] = await Promise.all([actorsOf(credentials), actorsOf(credentials, credentials.other)]);
  goods = new Goods(actors);
});

const get = async (orderId: string): Promise<Json> => (await actors.merchant.get(`${ORDERS}/${orderId}`)).body;
const cancel = (orderId: string) => actors.merchant.post(`${ORDERS}/${orderId}/cancel`);
const stockOf = async (itemId: string) => {
  const { quantity, reserved, available } = await goods.item(itemId);
  return { quantity, reserved, available };
};

test('an order copies names and prices, adds up, and holds its pieces until it is cancelled', async () => {
  const { itemId, sku } = await goods.approved();
  const order = await goods.ordered(
    [
      { itemId, quantity: 2 },
      { description: 'Delivery', amount: '4.50', quantity: 1 },
    ],
    { reference: 'cart-4711' },
  );
  expect(order).toMatchObject({
    orderId: expect.stringMatching(/^ord_/),
    status: 'open',
    total: '29.50',
    reference: 'cart-4711',
    lines: [
      { itemId, sku, description: 'Blue mug', amount: '12.50', quantity: 2, total: '25.00' },
      { description: 'Delivery', amount: '4.50', quantity: 1, total: '4.50' },
    ],
  });
  const heldMs = Date.parse(order.reservedUntil) - Date.parse(order.createdAt);
  expect(Math.abs(heldMs - 30 * 60_000)).toBeLessThan(60_000);
  expect(await stockOf(itemId)).toEqual({ quantity: 10, reserved: 2, available: 8 });
  await goods.change(itemId, { price: '99.00' });
  expect(await get(order.orderId)).toEqual(order);
  expect((await cancel(order.orderId)).body).toMatchObject({ status: 'cancelled', closedAt: expect.any(String) });
  expect((await cancel(order.orderId)).body.status).toBe('cancelled');
  expect(await stockOf(itemId)).toEqual({ quantity: 10, reserved: 0, available: 10 });
  const { data } = (await actors.merchant.get(`${ITEMS}/${itemId}/movements`)).body;
  expect(data.map(({ kind, quantity, orderId }: Json) => [kind, quantity, orderId])).toEqual([
    ['released', 2, order.orderId],
    ['reserved', 2, order.orderId],
    ['added', 10, undefined],
  ]);
});

test('what cannot be ordered is refused, and names its line', async () => {
  const [plenty, few, waiting] = [await goods.approved(), await goods.approved({ quantity: 1 }), await goods.added()];
  const line = ({ itemId }: Json, quantity = 1) => ({ itemId, quantity });
  expect(await goods.order([line(plenty), line(few, 2)])).toMatchObject({
    status: 422,
    body: { code: 'out_of_stock', details: [{ field: 'lines[1].quantity' }] },
  });
  expect(await goods.order([line(plenty), line(waiting)])).toMatchObject({
    status: 422,
    body: { code: 'item_not_approved', details: [{ field: 'lines[1].itemId' }] },
  });
  expect(await goods.order([line(plenty)], { currency: 'USD' })).toMatchObject({
    status: 400,
    body: { code: 'invalid_request', details: [{ field: 'lines[0].itemId' }] },
  });
  expect(await new Goods(stranger).order([line(plenty)])).toMatchObject({
    status: 400,
    body: { details: [{ field: 'lines[0].itemId' }] },
  });
  expect((await stockOf(plenty.itemId)).reserved).toBe(0);
});

test('a body that is wrong is refused', async () => {
  const { itemId } = await goods.approved();
  const free = { description: 'Delivery', quantity: 1 };
  const wrong = [
    [],
    [{ itemId, quantity: 0 }],
    [{ itemId, quantity: 1, amount: '1.00' }],
    [free],
    [{ ...free, itemId }],
    [{ ...free, amount: '1.5' }],
    [{ ...free, amount: '0.00' }],
  ];
  for (const lines of wrong) expect((await goods.order(lines)).status).toBe(400);
  const both = await goods.order([
    { ...free, amount: '1.5' },
    { itemId, quantity: 0 },
  ]);
  expect(both.body.details.map(({ field }: Json) => field).sort()).toEqual(['lines[0].amount', 'lines[1].quantity']);
  const largest = { ...free, amount: '92233720368547758.07', quantity: 2 };
  expect(await goods.order([largest])).toMatchObject({ status: 400, body: { details: [{ field: 'lines' }] } });
});

test('of 200 buyers who come at once for 10 pieces, exactly 10 get one', async () => {
  const { itemId } = await goods.approved();
  const replies = await Promise.all(
    Array.from({ length: 200 }, () => {
      const key = { 'idempotency-key': randomUUID() };
      // As the documentation says: under overload the same request again, with its key.
      return until('an answer', async () => {
        const reply = await goods.order([{ itemId, quantity: 1 }], {}, key);
        return [503, 429, 409].includes(reply.status) ? undefined : reply;
      });
    }),
  );
  const statuses = replies.map(({ status, body }) => (status === 201 ? 'ordered' : body.code));
  expect(statuses.filter((status) => status === 'ordered')).toHaveLength(10);
  expect(new Set(statuses)).toEqual(new Set(['ordered', 'out_of_stock']));
  expect(await stockOf(itemId)).toEqual({ quantity: 10, reserved: 10, available: 0 });
});

test('what orders hold can be neither counted out nor set away', async () => {
  const { itemId } = await goods.approved();
  await goods.ordered([{ itemId, quantity: 9 }]);
  const adjusted = await actors.merchant.post(`${ITEMS}/${itemId}/adjust`, { delta: -2, reason: 'broken' });
  expect(adjusted).toMatchObject({ status: 422, body: { code: 'out_of_stock' } });
  expect(await goods.change(itemId, { quantity: 8 })).toMatchObject({ status: 422, body: { code: 'out_of_stock' } });
  expect((await goods.change(itemId, { quantity: 9 })).body).toMatchObject({ quantity: 9, available: 0 });
});

test('a list has filters and pages, newest first; the same key makes one order', async () => {
  const { itemId } = await goods.approved();
  const reference = randomUUID();
  const key = { 'idempotency-key': randomUUID() };
  const line = { itemId, quantity: 1 };
  const [one, again] = [await goods.order([line], { reference }, key), await goods.order([line], { reference }, key)];
  expect(again.body).toEqual(one.body);
  const made = [await goods.ordered([line], { reference }), one.body].map(({ orderId }) => orderId);
  const listed = async (query: string, who: Actors['ops'] = actors.merchant) =>
    (await who.get(`${ORDERS}?reference=${reference}&${query}`)).body;
  const ids = ({ data }: Json) => data.map(({ orderId }: Json) => orderId);
  expect(ids(await listed('status=open&review=false'))).toEqual(made);
  const first = await listed('limit=1');
  expect(ids(first)).toEqual(made.slice(0, 1));
  expect(ids(await listed(`limit=1&cursor=${first.nextCursor}`))).toEqual(made.slice(1));
  expect(ids(await listed('status=paid'))).toEqual([]);
  expect(ids(await listed(`organizationId=${credentials.organizationId}`, actors.tenantAdmin))).toEqual(made);
  expect(ids(await listed('', actors.ops))).toEqual(made);
  expect(ids(await listed('', stranger.tenantAdmin))).toEqual([]);
});

test('nobody else sees an order or cancels it', async () => {
  const { orderId } = await goods.ordered([{ description: 'A favour', amount: '1.00', quantity: 1 }]);
  expect((await stranger.merchant.get(`${ORDERS}/${orderId}`)).status).toBe(404);
  expect((await stranger.merchant.post(`${ORDERS}/${orderId}/cancel`)).status).toBe(404);
  expect((await actors.tenantAdmin.post(`${ORDERS}/${orderId}/cancel`)).status).toBe(403);
  expect((await get(orderId)).status).toBe('open');
});
