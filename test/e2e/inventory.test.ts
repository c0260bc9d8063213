import { randomBytes, randomUUID } from 'node:crypto';
import { noisyPicture } from '../setup/pictures';
import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, type Json } from './client';
import { Goods, ITEMS } from './goods';

const { credentials, apiUrl } = sharedStack();

let picture: Buffer;
let webpPicture: Buffer;
let actors: Actors;
let stranger: Actors;
let goods: Goods;

beforeAll(async () => {
  [picture, webpPicture] = await Promise.all([noisyPicture(400, 330), noisyPicture(64, 64, 'webp')]);
  [actors, stranger] = await Promise.all([actorsOf(credentials), actorsOf(credentials, credentials.other)]);
  goods = new Goods(actors);
});

const decide = (itemId: string, verb: 'approve' | 'reject', body?: Json) =>
  actors.tenantAdmin.post(`${ITEMS}/${itemId}/${verb}`, body);

test.each(['MUG-BLUE', 'POSTER-A2'])('a new sandbox sells %s', async (sku) => {
  for (const who of [actors, stranger]) {
    const { body } = await who.merchant.get(`${ITEMS}?search=${sku}&status=approved`);
    expect(body.data).toMatchObject([{ sku, currency: 'EUR', available: expect.any(Number) }]);
    expect(body.data[0].available).toBeGreaterThan(0);
  }
});

test('a seller adds an item, the tenant admin approves it, once', async () => {
  const added = await goods.added({ description: 'Holds 300 ml.' });
  expect(added).toMatchObject({
    itemId: expect.stringMatching(/^itm_/),
    status: 'pending_approval',
    price: '12.50',
    quantity: 10,
    reserved: 0,
    available: 10,
    images: [],
  });
  expect(await goods.item(added.itemId)).toEqual(added);
  expect((await actors.merchant.post(`${ITEMS}/${added.itemId}/approve`)).status).toBe(403);
  expect((await decide(added.itemId, 'approve', { version: 7 })).body.code).toBe('invalid_state');
  const { status, body } = await decide(added.itemId, 'approve', { version: added.version });
  expect([status, body.status]).toEqual([200, 'approved']);
  expect(body).toMatchObject({ decidedBy: credentials.clients.tenantAdmin.clientId, decidedAt: expect.any(String) });
  expect(await decide(added.itemId, 'approve')).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
});

test('a rejection has a reason, which the seller reads; a change has it looked at again', async () => {
  const { itemId } = await goods.added();
  expect(await decide(itemId, 'reject')).toMatchObject({ status: 400, body: { details: [{ field: 'reason' }] } });
  expect((await decide(itemId, 'reject', { reason: 'Not a mug.' })).body.status).toBe('rejected');
  expect(await goods.item(itemId)).toMatchObject({ status: 'rejected', reason: 'Not a mug.' });
  const changed = (await goods.change(itemId, { name: 'Blue bowl' })).body;
  expect(changed).toMatchObject({ status: 'pending_approval', name: 'Blue bowl', price: '12.50', version: 2 });
  expect(changed.reason).toBeUndefined();
});

test.each([
  ['name', { name: 'Another name' }],
  ['price', { price: '1.00' }],
  ['currency', { price: '1000', currency: 'JPY' }],
  ['description', { description: 'Another description' }],
])('another %s has to be approved anew', async (_what, change) => {
  const { itemId } = await goods.approved();
  expect((await goods.change(itemId, change)).body).toMatchObject({ status: 'pending_approval', ...change });
});

test('another quantity or sku has not, nor what stays the same', async () => {
  const { itemId, version } = await goods.approved();
  const sku = `sku-${randomUUID()}`;
  const { body } = await goods.change(itemId, { quantity: 4, sku, name: 'Blue mug', price: '12.50' });
  expect(body).toMatchObject({ status: 'approved', quantity: 4, sku, version });
  expect((await goods.change(itemId, { price: '1.234' })).body.details).toMatchObject([{ field: 'price' }]);
  expect((await goods.change(itemId, { currency: 'USD' })).status).toBe(400);
});

test('a sku is there once in an organization', async () => {
  const { sku, itemId } = await goods.added();
  await expect(goods.added({ sku })).rejects.toThrow(/409.*duplicate_sku/);
  const other = await goods.added();
  expect(await goods.change(other.itemId, { sku })).toMatchObject({ status: 409, body: { code: 'duplicate_sku' } });
  await new Goods(stranger).added({ sku });
  expect((await goods.item(itemId)).sku).toBe(sku);
});

test('several are decided at once, each for itself', async () => {
  const [one, two, done] = [await goods.added(), await goods.added(), await goods.approved()];
  const foreign = await new Goods(stranger).added();
  const itemIds = [one, two, done, foreign].map(({ itemId }) => itemId);
  const all = (body: Json) => actors.tenantAdmin.post(`${ITEMS}/approvals`, body);
  expect((await all({ decision: 'rejected', itemIds })).status).toBe(400);
  const approved = await all({ decision: 'approved', itemIds });
  expect(approved.status).toBe(200);
  expect(approved.body.data).toEqual([
    { itemId: one.itemId, status: 'approved' },
    { itemId: two.itemId, status: 'approved' },
    { itemId: done.itemId, status: 'approved' },
    { itemId: foreign.itemId, error: { code: 'not_found', message: expect.any(String) } },
  ]);
  const rejected = await all({ decision: 'rejected', reason: 'too late', itemIds: [one.itemId] });
  expect(rejected.body.data).toMatchObject([{ itemId: one.itemId, error: { code: 'invalid_state' } }]);
});

test('pieces are counted in and out, once each, and never below nothing', async () => {
  const { itemId } = await goods.added({ quantity: 3 });
  const key = { 'idempotency-key': randomUUID() };
  const adjust = (delta: number, headers = {}) =>
    actors.merchant.post(`${ITEMS}/${itemId}/adjust`, { delta, reason: 'counted' }, headers);
  const first = await adjust(-2, key);
  expect([first.status, first.body.quantity]).toEqual([200, 1]);
  expect((await adjust(-2, key)).body).toEqual(first.body);
  expect(await adjust(-2)).toMatchObject({ status: 422, body: { code: 'out_of_stock' } });
  expect((await adjust(0)).status).toBe(400);
  expect((await adjust(1_000_000_000)).status).toBe(400);
  expect((await adjust(5)).body.quantity).toBe(6);
  const path = `${ITEMS}/${itemId}/movements`;
  const { body } = await actors.merchant.get(path);
  expect(body.data.map(({ kind, quantity }: Json) => [kind, quantity])).toEqual([
    ['adjusted', 5],
    ['adjusted', -2],
    ['added', 3],
  ]);
  const page = (await actors.tenantAdmin.get(`${path}?limit=2`)).body;
  const rest = (await actors.ops.get(`${path}?limit=2&cursor=${page.nextCursor}`)).body;
  expect([...page.data, ...rest.data]).toEqual(body.data);
  expect(rest.nextCursor).toBeNull();
});

test('pictures are uploaded, named, shown in their sequence and read back', async () => {
  const [png, webp] = [await goods.upload(picture, 'image/png'), await goods.upload(webpPicture, 'image/webp')];
  expect(png).toMatchObject({ status: 201, body: { contentType: 'image/png', sizeBytes: picture.length } });
  const images = [webp.body.imageId, png.body.imageId];
  const { itemId } = await goods.approved({ images });
  expect((await goods.item(itemId)).images).toEqual(images);
  const read = (who: Actors, imageId: string) =>
    fetch(`${apiUrl}${ITEMS}/${itemId}/images/${imageId}`, { headers: who.tenantAdmin.headers });
  const response = await read(actors, png.body.imageId);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(Buffer.from(await response.arrayBuffer()).equals(picture)).toBe(true);
  expect((await read(stranger, png.body.imageId)).status).toBe(404);
  const changed = (await goods.change(itemId, { images: [png.body.imageId] })).body;
  expect(changed).toMatchObject({ status: 'pending_approval', images: [png.body.imageId] });
  expect((await read(actors, webp.body.imageId)).status).toBe(404);
});

test('only pictures are taken, of the seller’s own, eight at most', async () => {
  expect((await goods.upload(Buffer.from('%PDF-1.7'), 'application/pdf')).status).toBe(415);
  expect((await goods.upload(Buffer.from('<svg/>'), 'image/png')).status).toBe(400);
  expect((await goods.upload(Buffer.concat([picture, randomBytes(6_000_000)]), 'image/png')).status).toBe(413);
  const { body } = await new Goods(stranger).upload(picture, 'image/png');
  await expect(goods.added({ images: [body.imageId] })).rejects.toThrow(/400.*images\[0\]/);
  const nine = Array.from({ length: 9 }, (_, n) => `fil_0000000000000000000000000${n}`);
  await expect(goods.added({ images: nine })).rejects.toThrow(/400.*images/);
});

test('a list has filters and pages, newest first', async () => {
  const mark = randomUUID();
  const made: Json[] = [];
  for (const name of [`100%_${mark}`, `${mark} b`, `${mark} c`]) made.unshift(await goods.added({ name }));
  const listed = async (query: string, who: Actors['tenantAdmin'] = actors.merchant) =>
    (await who.get(`${ITEMS}?${query}`)).body;
  const ids = ({ data }: Json) => data.map(({ itemId }: Json) => itemId);
  const wanted = made.map(({ itemId }) => itemId);
  expect(ids(await listed(`search=${mark.toUpperCase()}&status=pending_approval&currency=EUR`))).toEqual(wanted);
  expect(ids(await listed(`search=${encodeURIComponent(`%_${mark}`)}`))).toEqual(wanted.slice(2));
  expect(ids(await listed(`search=${made[0].sku}`))).toEqual(wanted.slice(0, 1));
  expect(ids(await listed(`search=${mark}&status=approved`))).toEqual([]);
  const first = await listed(`search=${mark}&limit=2`);
  expect(ids(first)).toEqual(wanted.slice(0, 2));
  expect(ids(await listed(`search=${mark}&limit=2&cursor=${first.nextCursor}`))).toEqual(wanted.slice(2));
  const seller = `search=${mark}&organizationId=${credentials.organizationId}`;
  expect(ids(await listed(seller, actors.tenantAdmin))).toEqual(wanted);
  expect(ids(await listed(seller, actors.ops))).toEqual(wanted);
  expect(ids(await listed(seller, stranger.tenantAdmin))).toEqual([]);
});

test('the same key adds one item; a body that is wrong is refused with every field', async () => {
  const key = { 'idempotency-key': randomUUID() };
  const body = { sku: randomUUID(), name: 'A mug', price: '1.00', currency: 'EUR' };
  const [one, again] = [await actors.merchant.post(ITEMS, body, key), await actors.merchant.post(ITEMS, body, key)];
  expect(one).toMatchObject({ status: 201, body: { quantity: 0, images: [] } });
  expect(again.body).toEqual(one.body);
  const wrong = await actors.merchant.post(ITEMS, {
    sku: '',
    name: 'A',
    price: '1.000',
    currency: 'EUR',
    quantity: -1,
  });
  expect(wrong.body.details.map(({ field }: Json) => field).sort()).toEqual(['price', 'quantity', 'sku']);
});

test('nobody else sees an item', async () => {
  const { itemId } = await goods.added();
  for (const path of [itemId, `${itemId}/movements`])
    for (const who of [stranger.merchant, stranger.tenantAdmin])
      expect((await who.get(`${ITEMS}/${path}`)).status).toBe(404);
  expect((await stranger.tenantAdmin.post(`${ITEMS}/${itemId}/approve`)).status).toBe(404);
  expect((await new Goods(stranger).change(itemId, { name: 'Mine' })).status).toBe(404);
});
