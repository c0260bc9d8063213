import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { ItemImages, removeUnusedImages, thumbnailOf } from '../../../../src/commerce/inventory/images';
import { Inventory, type NewItem } from '../../../../src/commerce/inventory/service';
import { newId } from '../../../../src/domain/ids';
import { FileStore } from '../../../../src/foundation/files/file-store';
import { DocumentKeys } from '../../../../src/foundation/vault/document-keys';
import { noisyPicture } from '../../../setup/pictures';
import { KEYS, STAFF } from '../../people/customers/place';
import { Shop } from '../orders/shop';

let shop: Shop;
let inventory: Inventory;
let images: ItemImages;
let picture: Buffer;

beforeAll(async () => {
  picture = await noisyPicture(400, 300);
  shop = await Shop.open('inventory');
  inventory = new Inventory(shop.database);
  images = new ItemImages(shop.database, new FileStore(shop.database, new DocumentKeys(KEYS)));
});
afterAll(() => shop?.close());

const upload = async (content = picture) =>
  (await images.store(shop.seller, { contentType: 'image/png', content: [content] as never }, STAFF.id)).id;

function add(overrides: Partial<NewItem> = {}) {
  const id = newId('item');
  const price = { amountMinor: 500n, currency: 'EUR' };
  return inventory.add(
    shop.seller,
    { id, sku: id, name: 'A mug', price, quantity: 3, images: [], ...overrides },
    STAFF,
  );
}

const decide = (id: string, decision: 'approved' | 'rejected') =>
  inventory.decide(shop.seller, id, { decision, ...(decision === 'rejected' && { reason: 'no' }) }, STAFF);

test('the same id again answers the item that is there, and counts its pieces once', async () => {
  const first = await add();
  const again = await add({ id: first.row.id, sku: first.row.sku });
  expect(again).toEqual(first);
  expect(first.row.quantity).toBe(3);
});

test('of two decisions at once, one counts', async () => {
  const { row } = await add();
  const both = await Promise.allSettled([decide(row.id, 'approved'), decide(row.id, 'rejected')]);
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

test('adjustments at once all count, one that is repeated once', async () => {
  const { row } = await add();
  const adjust = (actId: string) => inventory.adjust(shop.seller, row.id, { delta: 1, reason: 'found', actId }, STAFF);
  await Promise.all(['a', 'b', 'c', 'a', 'b', 'c', 'd'].map(adjust));
  expect((await inventory.find(shop.seller, row.id)).row.quantity).toBe(7);
});

test('an act is in the audit log, with its reason', async () => {
  const { row } = await add();
  await inventory.adjust(shop.seller, row.id, { delta: -1, reason: 'broken', actId: 'x' }, STAFF);
  await decide(row.id, 'rejected');
  await inventory.change(shop.seller, row.id, { name: 'Another' }, STAFF);
  await decide(row.id, 'approved');
  const lines = await shop.database.ops('audit_log').where({ target: row.id }).orderBy('id');
  expect(lines.map(({ action, detail }) => [action, detail.reason])).toEqual([
    ['item.add', undefined],
    ['item.adjust', 'broken'],
    ['item.reject', 'no'],
    ['item.change', undefined],
    ['item.approve', undefined],
  ]);
});

test('a picture that no item names is removed after a day; one that an item names stays', async () => {
  const [used, unused, fresh] = [await upload(), await upload(), await upload()];
  const { row } = await add({ images: [used] });
  await shop.database
    .system('files')
    .whereIn('id', [used, unused])
    .update({ completed_at: new Date(Date.now() - 25 * 3_600_000) });
  expect(await removeUnusedImages(shop.database.system)).toBe(1);
  const left = await shop.do((trx) => trx('files').whereIn('id', [used, unused, fresh]).orderBy('id').pluck('id'));
  expect(left).toEqual([used, fresh].sort());
  const chunks = await shop.do((trx) => trx('file_chunks').where({ file_id: unused }));
  expect(chunks).toEqual([]);
  const { content, sizeBytes } = await images.open(row.tenant_id, row.id, used);
  const read: Buffer[] = [];
  for await (const chunk of content) read.push(chunk);
  expect(Buffer.concat(read).equals(picture)).toBe(true);
  expect(sizeBytes).toBe(picture.length);
});

test('a picture has a small copy, for the items that name it', async () => {
  const image = await upload();
  const { row } = await add({ images: [image] });
  const other = await add();
  const small = await shop.do((trx) => thumbnailOf(trx, [other.row.id, row.id], image));
  expect(await sharp(small).metadata()).toMatchObject({ format: 'webp', width: 128, height: 96 });
  expect(small.length).toBeLessThan(20_000);
  await expect(shop.do((trx) => thumbnailOf(trx, [other.row.id], image))).rejects.toMatchObject({ code: 'not_found' });
});

test('what only begins as a picture is none, and nothing of it is kept', async () => {
  const before = await shop.do((trx) => trx('files').pluck('id'));
  const broken = Buffer.concat([picture.subarray(0, 200), randomBytes(1_000)]);
  await expect(upload(broken)).rejects.toMatchObject({ code: 'invalid_request' });
  // A few bytes that claim 4,000 million points.
  const huge = Buffer.from(picture);
  huge.writeUInt32BE(65_535, 16);
  huge.writeUInt32BE(65_535, 20);
  await expect(upload(huge)).rejects.toMatchObject({ code: 'invalid_request' });
  expect(await shop.do((trx) => trx('files').pluck('id'))).toEqual(before);
});

test('the database refuses a ninth picture, and a document as one', async () => {
  const { row } = await add({ images: [await upload()] });
  const ninth = upload().then((file_id) =>
    shop.do((trx) => trx('item_images').insert({ item_id: row.id, tenant_id: row.tenant_id, position: 9, file_id })),
  );
  await expect(ninth).rejects.toMatchObject({ constraint: 'item_images_position_check' });
  const pdf = upload().then((id) =>
    shop.do((trx) => trx('files').where({ id }).update({ content_type: 'application/pdf' })),
  );
  await expect(pdf).rejects.toMatchObject({ constraint: 'files_content_type' });
});
