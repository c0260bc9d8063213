import { randomBytes, randomUUID } from 'node:crypto';
import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, Caller, type Json, send, until } from './client';
import { ownTenant } from './tenants';

const { credentials, apiUrl } = sharedStack();
const BASE = '/customer/1.0.0';
const PDF = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(600_000)]);
const FRONT = { purpose: 'KYC', name: 'identity card', documentType: 'ID front side', location: '' };

let actors: Actors;
let stranger: Actors;

beforeAll(async () => {
  [actors, stranger] = await Promise.all([actorsOf(credentials), actorsOf(credentials, credentials.other)]);
});

const email = () => `eve-${randomUUID()}@example.com`;

async function create(overrides: Json = {}, person: Json = {}): Promise<Json> {
  const record = {
    customerType: 'Person',
    customerName: 'Eve',
    person: {
      firstName: { name: 'Eve' },
      lastName: { name: 'Moneypenny' },
      email: email(),
      documents: [FRONT],
      ...person,
    },
    ...overrides,
  };
  const { status, body } = await actors.tenantAdmin.post(`${BASE}/create`, record);
  if (status !== 201) throw new Error(`not created: ${JSON.stringify(body)}`);
  return body;
}

const fetchOne = async (customerId: string) => (await actors.tenantAdmin.get(`${BASE}/fetch/${customerId}`)).body;
const documentsOf = async (customerId: string): Promise<Json[]> =>
  (await actors.tenantAdmin.get(`${BASE}/${customerId}/documents`)).body.data;
const move = (customerId: string, customerStatus: string, more: Json = {}) =>
  actors.tenantAdmin.post(`${BASE}/status/${customerId}`, { customerStatus, reason: 'so it is', ...more });
const historyOf = async (customerId: string): Promise<string[]> =>
  (await actors.tenantAdmin.get(`${BASE}/${customerId}/events`)).body.data.map(({ to }: Json) => to);
const auditOf = async (customerId: string): Promise<Json[]> =>
  (await actors.tenantAdmin.get(`${BASE}/audit?customerId=${customerId}`)).body.data;

/** A customer with one document, and where that lies. */
async function withDocument(overrides: Json = {}): Promise<{ customerId: string; path: string; documentId: string }> {
  const { customerId } = await create(overrides);
  const [{ documentId }] = await documentsOf(customerId);
  return { customerId, documentId, path: `${BASE}/${customerId}/documents/${documentId}` };
}

async function upload(path: string, content: Buffer = PDF, type = 'application/pdf', who: Caller = actors.tenantAdmin) {
  const response = await fetch(`${apiUrl}${path}/file`, {
    method: 'PUT',
    headers: { ...who.headers, 'content-type': type },
    body: new Uint8Array(content),
  });
  return { status: response.status, body: (await response.json()) as Json };
}

function download(path: string, who: Caller = actors.tenantAdmin) {
  return fetch(`${apiUrl}${path}/file`, { headers: who.headers });
}

const PASSWORD = 'correct horse battery staple';

/** A customer signed in with its password, its e-mail address verified by the code that was sent there. */
async function signedIn(customerId: string, address: string): Promise<Caller> {
  const verifications = `${BASE}/${customerId}/verifications`;
  const { body } = await actors.tenantAdmin.post(verifications, { type: 'email', value: address });
  const letter: Json = await until('the code', async () => {
    const mailbox = await send(`${apiUrl}/sandbox/mailbox?to=${encodeURIComponent(address)}`);
    return mailbox.body.data[0];
  });
  const [code] = /\b\d{6}\b/.exec(letter.text)!;
  await actors.tenantAdmin.post(`${verifications}/confirm`, { sessionId: body.sessionId, code });
  const who = { tenantId: credentials.tenantId, email: address, password: PASSWORD };
  const token = await send(`${apiUrl}/auth/1.0.0/customers/token`, { method: 'POST', body: who });
  return new Caller(apiUrl, { authorization: `Bearer ${token.body.access_token}`, tenantid: credentials.tenantId });
}

test('a customer is verified once the required document is, and every step is in the history', async () => {
  const { customerId, path } = await withDocument();
  expect((await upload(path)).status).toBe(200);
  expect((await move(customerId, 'under_verificaiton')).body).toMatchObject({
    customerId,
    customerStatus: 'under_verificaiton',
  });
  const approved = await actors.tenantAdmin.post(`${path}/approve`);
  expect(approved.body).toMatchObject({
    status: 'verified',
    file: { contentType: 'application/pdf', sizeBytes: PDF.length },
  });
  await until('verified', async () => (await fetchOne(customerId)).customerStatus === 'verified');
  const { data } = (await actors.tenantAdmin.get(`${BASE}/${customerId}/events`)).body;
  expect(data).toMatchObject([
    { to: 'new', actor: credentials.clients.tenantAdmin.clientId },
    { from: 'new', to: 'under_verificaiton', actor: credentials.clients.tenantAdmin.clientId, reason: 'so it is' },
    { from: 'under_verificaiton', to: 'verified', actor: 'verification' },
  ]);
  expect((await fetchOne(customerId)).person.documents).toEqual([
    { ...FRONT, status: 'verified', verificationResponse: 'Verified' },
  ]);
});

test('what is rejected is sent again and reviewed again', async () => {
  const { customerId, path } = await withDocument({ customerStatus: 'under_verificaiton' });
  await upload(path);
  const rejected = await actors.tenantAdmin.post(`${path}/reject`, { reason: 'too dark' });
  expect(rejected.body).toMatchObject({ status: 'rejected', verificationResponse: 'too dark' });
  expect((await fetchOne(customerId)).person.documents[0].verificationResponse).toBe('too dark');
  expect((await actors.tenantAdmin.post(`${path}/reject`, { reason: 'again' })).status).toBe(409);

  const { body: again } = await upload(path);
  expect(again).toMatchObject({ status: 'underverification', verificationResponse: 'Awaiting review' });
  const stale = await actors.tenantAdmin.post(`${path}/approve`, { fileId: rejected.body.file.fileId });
  expect([stale.status, stale.body.code]).toEqual([409, 'invalid_state']);
  expect((await actors.tenantAdmin.post(`${path}/approve`, { fileId: again.file.fileId })).status).toBe(200);
  await until('verified', async () => (await fetchOne(customerId)).customerStatus === 'verified');
  expect((await upload(path)).status).toBe(409);
});

test('nobody is verified by hand without documents, unless it is said', async () => {
  const { customerId } = await withDocument();
  expect((await move(customerId, 'verified')).status).toBe(409);
  expect((await move(customerId, 'dispute')).status).toBe(409);
  await move(customerId, 'under_verificaiton');
  const refused = await move(customerId, 'verified');
  expect([refused.status, refused.body.code]).toEqual([409, 'invalid_state']);
  expect((await move(customerId, 'verified', { override: true })).status).toBe(200);
  expect((await move(customerId, 'on_hold')).status).toBe(200);
  expect((await move(customerId, 'verified')).status).toBe(200);
  expect(await historyOf(customerId)).toEqual(['new', 'under_verificaiton', 'verified', 'on_hold', 'verified']);
  const line = (await auditOf(customerId)).find(({ detail }) => detail.override);
  expect(line).toMatchObject({ action: 'customer.status_changed', detail: { reason: 'so it is', to: 'verified' } });
});

test('of a document that expires the customer is told, then it is under investigation', async () => {
  const to = email();
  const { customerId } = await create({ customerStatus: 'under_verificaiton' }, { email: to });
  const [{ documentId }] = await documentsOf(customerId);
  const path = `${BASE}/${customerId}/documents/${documentId}`;
  const past = await actors.tenantAdmin.post(`${path}/approve`, { expiresAt: '2020-01-31' });
  expect(past.status).toBe(409);
  const expiresAt = new Date(Date.now() + 5_000).toISOString();
  expect((await actors.tenantAdmin.post(`${path}/approve`, { expiresAt })).body).toMatchObject({ expiresAt });
  await until('told', async () => {
    const { body } = await send(`${apiUrl}/sandbox/mailbox?to=${encodeURIComponent(to)}`, {
      headers: { accept: 'application/json' },
    });
    return JSON.stringify(body).includes('ID front side');
  });
  await until('expired', async () => (await fetchOne(customerId)).customerStatus === 'under_investigation');
  expect((await documentsOf(customerId))[0].status).toBe('expired');
  expect(await historyOf(customerId)).toEqual(['under_verificaiton', 'verified', 'under_investigation']);

  await upload(path);
  await actors.tenantAdmin.post(`${path}/approve`, { expiresAt: '2099-12-31' });
  await until('verified again', async () => (await fetchOne(customerId)).customerStatus === 'verified');
});

test('the expiry that a document states counts', async () => {
  const metadata = [{ name: 'expiryDate', type: 'Date', value: '2099-12-31' }];
  const { customerId } = await create({}, { documents: [{ ...FRONT, metadata }] });
  const [{ documentId }] = await documentsOf(customerId);
  const { body } = await actors.tenantAdmin.post(`${BASE}/${customerId}/documents/${documentId}/approve`);
  expect(body.expiresAt).toBe('2100-01-01T00:00:00.000Z');
});

test('a file comes back as it was sent, as a download that no browser runs, and who read it is known', async () => {
  const { customerId, path, documentId } = await withDocument();
  await upload(path);
  const response = await download(path);
  expect(response.status).toBe(200);
  expect(Buffer.from(await response.arrayBuffer())).toEqual(PDF);
  expect(response.headers.get('content-type')).toBe('application/pdf');
  expect(response.headers.get('content-length')).toBe(String(PDF.length));
  expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${documentId}.pdf"`);
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(response.headers.get('content-security-policy')).toMatch(/sandbox$/);
  // Other suites list the customers of this tenant meanwhile.
  const lines = (await auditOf(customerId)).filter(({ action }) => action !== 'customer.list');
  expect(lines.slice(0, 2)).toMatchObject([
    { action: 'customer.document_file_read', actor: credentials.clients.tenantAdmin.clientId, detail: { documentId } },
    { action: 'customer.document_file_uploaded' },
  ]);
});

test('only staff of the tenant see a file, ops neither', async () => {
  const { path } = await withDocument();
  await upload(path);
  expect((await download(path, stranger.tenantAdmin)).status).toBe(404);
  expect((await upload(path, PDF, 'application/pdf', stranger.tenantAdmin)).status).toBe(404);
  expect((await download(path, actors.merchant)).status).toBe(403);
  expect((await download(path, actors.ops)).status).toBe(403);
});

test('a customer sends its own files, and reads nobody’s', async () => {
  const address = email();
  const documents = [FRONT];
  const { customerId } = await create({}, { email: address, password: PASSWORD, documents });
  const other = await withDocument();
  const own = await signedIn(customerId, address);
  const { body } = await own.get(`${BASE}/${customerId}/documents`);
  const path = `${BASE}/${customerId}/documents/${body.data[0].documentId}`;
  const sent = await upload(path, PDF, 'application/pdf', own);
  expect(sent.body.file).toMatchObject({ uploadedBy: customerId, sizeBytes: PDF.length });
  expect((await download(path, own)).status).toBe(403);
  expect((await own.post(`${path}/approve`)).status).toBe(403);
  expect((await upload(other.path, PDF, 'application/pdf', own)).status).toBe(404);
  expect((await own.get(`${BASE}/${other.customerId}/documents`)).status).toBe(404);
});

test.each<[string, Buffer, string, number]>([
  ['a type that is not taken', Buffer.from('GIF89a'), 'image/gif', 415],
  ['content of another type', Buffer.from('GIF89a'), 'image/png', 400],
  ['nothing', Buffer.alloc(0), 'application/pdf', 400],
  ['too much', Buffer.concat([PDF, Buffer.alloc(10_485_760)]), 'application/pdf', 413],
])('a file with %s is refused', async (_, content, type, status) => {
  const { path, customerId } = await withDocument();
  const response = await upload(path, content, type);
  expect([response.status, response.body.status]).toEqual([status, status]);
  expect((await documentsOf(customerId))[0].file).toBeUndefined();
});

test('what the record no longer holds has no document, and an erased customer no file', async () => {
  const { customerId, path } = await withDocument();
  await upload(path);
  const [kept] = await documentsOf(customerId);
  await send(`${apiUrl}${BASE}/update/${customerId}`, {
    method: 'PUT',
    headers: actors.tenantAdmin.headers,
    body: { person: { documents: [{ ...FRONT, documentType: 'Passport' }, FRONT] } },
  });
  expect((await documentsOf(customerId)).map(({ documentId }) => documentId)).toEqual([
    expect.not.stringMatching(kept.documentId),
    kept.documentId,
  ]);
  await send(`${apiUrl}${BASE}/delete/${customerId}`, { method: 'DELETE', headers: actors.tenantAdmin.headers });
  expect((await download(path)).status).toBe(404);
  expect((await actors.tenantAdmin.get(`${BASE}/${customerId}/documents`)).status).toBe(404);
  expect((await auditOf(customerId)).map(({ action }) => action)).toContain('customer.delete');
});

test('what a tenant requires is its own to say, and customers under verification are looked at anew', async () => {
  const path = `${BASE}/verificationPolicy`;
  const admin = (await actorsOf(credentials, await ownTenant())).tenantAdmin;
  const put = (body: Json) => send(apiUrl + path, { method: 'PUT', headers: admin.headers, body });
  const { body: before } = await admin.get(path);
  expect(before).toEqual({
    Person: [{ purpose: 'KYC', documentTypes: ['ID front side'] }],
    Organization: [{ purpose: 'KYB', documentTypes: ['Certificate of incorporation'] }],
  });
  const record = {
    customerType: 'Person',
    customerName: 'Eve',
    customerStatus: 'under_verificaiton',
    person: {
      firstName: { name: 'E' },
      lastName: { name: 'M' },
      email: email(),
      documents: [{ ...FRONT, documentType: 'Passport' }],
    },
  };
  const { customerId } = (await admin.post(`${BASE}/create`, record)).body;
  const [{ documentId }] = (await admin.get(`${BASE}/${customerId}/documents`)).body.data;
  await admin.post(`${BASE}/${customerId}/documents/${documentId}/approve`);
  expect((await admin.get(`${BASE}/fetch/${customerId}`)).body.customerStatus).toBe('under_verificaiton');

  expect((await put({ Person: [{ purpose: 'KYC', documentTypes: [] }] })).status).toBe(400);
  const policy = { ...before, Person: [{ purpose: 'KYC', documentTypes: ['ID front side', 'Passport'] }] };
  expect((await put(policy)).body).toEqual(policy);
  await until(
    'verified',
    async () => (await admin.get(`${BASE}/fetch/${customerId}`)).body.customerStatus === 'verified',
  );
  expect((await actors.tenantAdmin.get(path)).body).toEqual(before);
});

test('whom a list showed is in the audit of each, without the others', async () => {
  const { customerId } = await create();
  await actors.ops.get(`${BASE}/listByTenant/${credentials.tenantId}?limit=5`, { tenantid: credentials.tenantId });
  const line = (await auditOf(customerId)).find(({ action }) => action === 'customer.list');
  expect(line).toMatchObject({ actor: credentials.clients.ops.clientId });
  expect(line!.detail.customerIds).toBeUndefined();
});
