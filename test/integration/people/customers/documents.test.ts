import { randomBytes } from 'node:crypto';
import { FileStore } from '../../../../src/foundation/files/file-store';
import { DocumentKeys } from '../../../../src/foundation/vault/document-keys';
import { DocumentFiles } from '../../../../src/people/customers/document-files';
import { type DocumentOwner, type DocumentRecord, Documents } from '../../../../src/people/customers/documents';
import { insertPerson, KEYS, openPlace, type Place, STAFF } from './place';

const keys = new DocumentKeys(KEYS);
const documents = new Documents(keys);
const FRONT: DocumentRecord = {
  purpose: 'KYC',
  name: 'identity card of A Person',
  documentType: 'ID front side',
  location: 'https://files.example/1',
  metadata: [{ name: 'number', type: 'String', value: 'X1234567' }],
};
const BACK: DocumentRecord = { ...FRONT, documentType: 'ID back side' };
const PDF: Buffer = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(700_000)]);

let place: Place;
let files: DocumentFiles;

beforeAll(async () => {
  place = await openPlace('documents');
  files = new DocumentFiles(place.database, new FileStore(place.database, keys));
});
afterAll(() => place?.close());

const inTenant = <T>(work: Parameters<typeof place.database.tenant<T>>[1]) =>
  place.database.tenant(place.tenantId, work);
const rowsOf = ({ id }: DocumentOwner) => inTenant((trx) => documents.of(trx, [id]));
const sync = (owner: DocumentOwner, list: DocumentRecord[]) => inTenant((trx) => documents.sync(trx, owner, list));

async function* stream(...parts: Buffer[]): AsyncGenerator<Buffer> {
  yield* parts;
}

async function withDocument() {
  const owner = await insertPerson(place);
  await sync(owner, [FRONT]);
  const [row] = await rowsOf(owner);
  return { owner, at: { tenantId: place.tenantId, customerId: owner.id, documentId: row!.id } };
}

async function contentOf(at: Awaited<ReturnType<typeof withDocument>>['at']): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of (await files.open(at, STAFF)).content) parts.push(part);
  return Buffer.concat(parts);
}

const store = (
  at: Awaited<ReturnType<typeof withDocument>>['at'],
  content: Buffer = PDF,
  contentType = 'application/pdf',
) => files.store(at, { contentType, content: stream(content.subarray(0, 3), content.subarray(3)) }, STAFF);

test('a record’s documents come back as they were sent, with our status and our word', async () => {
  const owner = await insertPerson(place);
  const sent = [{ ...FRONT, status: 'underverification', verificationResponse: 'fine!' }, { name: '' }];
  await inTenant((trx) => documents.add(trx, [{ owner, documents: sent }]));
  const ours = { status: 'underverification', verificationResponse: 'Awaiting review' };
  const shown = await inTenant((trx) => documents.present(trx, [owner.id]));
  expect(shown.get(owner.id)).toEqual([
    { ...FRONT, ...ours },
    { name: '', ...ours },
  ]);
});

test('what is personal about a document is not readable in the database', async () => {
  const { owner } = await withDocument();
  const { rows } = await place.database.system.raw(
    "SELECT t::text || encode(content_sealed, 'escape') AS text FROM customer_documents t WHERE customer_id = ?",
    [owner.id],
  );
  expect(rows[0].text).toContain(owner.id);
  for (const secret of ['identity card', 'files.example', 'X1234567']) expect(rows[0].text).not.toContain(secret);
});

test('a document that comes again unchanged stays what it is, wherever it stands; a changed one is new', async () => {
  const owner = await insertPerson(place);
  await sync(owner, [FRONT, BACK]);
  const [front, back] = await rowsOf(owner);
  const spelledOtherwise = Object.fromEntries(Object.entries({ ...FRONT, status: 'verified' }).reverse());
  await sync(owner, [BACK, spelledOtherwise, FRONT]);
  const after = await rowsOf(owner);
  expect(after.map(({ id }) => id)).toEqual([back!.id, front!.id, expect.not.stringContaining(front!.id)]);

  await sync(owner, [{ ...BACK, location: 'elsewhere' }]);
  const [changed, ...others] = await rowsOf(owner);
  expect(others).toEqual([]);
  expect([front!.id, back!.id]).not.toContain(changed!.id);
});

test('a file comes back byte by byte, and its reading is written down first', async () => {
  const { owner, at } = await withDocument();
  const { file } = await store(at);
  expect(file).toMatchObject({ size_bytes: PDF.length, chunks: 3, content_type: 'application/pdf' });
  expect(await contentOf(at)).toEqual(PDF);
  const lines = await place.database.ops('audit_log').where({ target: owner.id }).orderBy('id');
  expect(lines.map(({ action }) => action)).toEqual(['customer.document_file_uploaded', 'customer.document_file_read']);
});

test('chunks are sealed', async () => {
  const { at } = await withDocument();
  const { file } = await store(at);
  const chunks = await inTenant((trx) => trx('file_chunks').where({ file_id: file.id }).orderBy('position'));
  expect(chunks).toHaveLength(3);
  for (const { sealed } of chunks) expect(PDF.includes(sealed.subarray(0, 64))).toBe(false);
});

test('chunks that were swapped, or a last one that is missing, are no file', async () => {
  const { at } = await withDocument();
  const { file } = await store(at);
  await inTenant((trx) => trx('files').where({ id: file.id }).update({ chunks: 2 }));
  await expect(contentOf(at)).rejects.toThrow();
  await inTenant((trx) => trx('files').where({ id: file.id }).update({ chunks: 4 }));
  await expect(contentOf(at)).rejects.toThrow();
});

test.each<[string, Buffer, string, string]>([
  ['HTML that says it is a PDF', Buffer.from('<html>'), 'application/pdf', 'invalid_request'],
  ['a PNG that says it is a JPEG', Buffer.from('89504e470d0a1a0a', 'hex'), 'image/jpeg', 'invalid_request'],
  ['nothing', Buffer.alloc(0), 'application/pdf', 'invalid_request'],
  ['another type', Buffer.from('<svg>'), 'image/svg+xml', 'unsupported_media_type'],
])('%s is refused and leaves nothing behind', async (_, content, contentType, code) => {
  const { at } = await withDocument();
  await expect(store(at, content, contentType)).rejects.toMatchObject({ code });
  expect(await inTenant((trx) => trx('files').where({ document_id: at.documentId }))).toEqual([]);
});

test('a sender that goes away leaves nothing behind, and the earlier file stays', async () => {
  const { at } = await withDocument();
  await store(at);
  async function* cutOff(): AsyncGenerator<Buffer> {
    yield PDF;
    throw new Error('aborted');
  }
  await expect(files.store(at, { contentType: 'application/pdf', content: cutOff() }, STAFF)).rejects.toThrow(
    'aborted',
  );
  expect(await contentOf(at)).toEqual(PDF);
});

test('a new file takes the place of the earlier one; a verified document takes none', async () => {
  const { at } = await withDocument();
  await store(at);
  const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), randomBytes(10)]);
  await store(at, png, 'image/png');
  expect(await contentOf(at)).toEqual(png);
  expect(await inTenant((trx) => trx('files').where({ document_id: at.documentId }))).toHaveLength(1);

  await inTenant((trx) => trx('customer_documents').where({ id: at.documentId }).update({ status: 'verified' }));
  await expect(store(at)).rejects.toMatchObject({ code: 'invalid_state' });
});

test('another tenant has no such document', async () => {
  const { at } = await withDocument();
  await store(at);
  const foreign = { ...at, tenantId: place.otherTenantId };
  await expect(files.open(foreign, STAFF)).rejects.toMatchObject({ code: 'not_found' });
  await expect(store(foreign)).rejects.toMatchObject({ code: 'not_found' });
});

test('keys are brought under the next one, and files open as before', async () => {
  const { at, owner } = await withDocument();
  await store(at);
  const next = `k2:${randomBytes(32).toString('base64')}`;
  const both = new DocumentKeys(`${next},${KEYS}`);
  expect(await both.rewrap(place.database.system)).toBeGreaterThan(1);
  expect(await both.rewrap(place.database.system)).toBe(0);
  files = new DocumentFiles(place.database, new FileStore(place.database, new DocumentKeys(next)));
  expect(await contentOf(at)).toEqual(PDF);
  const shown = await inTenant((trx) => new Documents(new DocumentKeys(next)).present(trx, [owner.id]));
  expect(shown.get(owner.id)).toMatchObject([FRONT]);
  await new DocumentKeys(`${KEYS},${next}`).rewrap(place.database.system);
  files = new DocumentFiles(place.database, new FileStore(place.database, keys));
});

test('erasure takes documents, withdrawn ones too, and every chunk', async () => {
  const { owner, at } = await withDocument();
  const { file } = await store(at);
  await sync(owner, [BACK]);
  await inTenant((trx) => documents.erase(trx, owner.id));
  expect(await rowsOf(owner)).toEqual([]);
  const left = await inTenant((trx) => trx('file_chunks').where({ file_id: file.id }));
  expect(left).toEqual([]);
});
