import { randomBytes } from 'node:crypto';
import { newId } from '../../../../src/domain/ids';
import { type EndpointChange, Endpoints } from '../../../../src/edge/notifications/endpoints';
import { NotificationQueue, type NotificationRow } from '../../../../src/edge/notifications/queue';
import { NotificationSender } from '../../../../src/edge/notifications/sender';
import { NotificationService } from '../../../../src/edge/notifications/service';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { jsonOf } from '../../../../src/foundation/db/json';
import { OutboundGuard } from '../../../../src/foundation/outbound/guard';
import { tell } from '../../../../src/foundation/outbox/outbox';
import { Ledger } from '../../../../src/money/ledger/ledger';
import { writeCatalogue } from '../../../../src/money/routing/method-catalogue';
import { CallbackSecrets } from '../../../../src/people/identity/callback-secrets';
import { seedSandbox } from '../../../../src/sandbox/seed/tenants';
import { createTestDatabase } from '../../../setup/environment';
import { capturedPayment } from '../../money/payments/captured';

const KEYS = `k1:${randomBytes(32).toString('base64')}`;
const PAGE = { limit: 200 };
const BY = { id: 'cli_test', source: '127.0.0.1', requestId: 'req_test' };
const secrets = new CallbackSecrets(KEYS);
const ledger = new Ledger();
const sender = new NotificationSender({
  guard: new OutboundGuard({ sandbox: true }),
  timeoutMs: 1_000,
  connections: 1,
});

let own: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
let tenant: Awaited<ReturnType<typeof seedSandbox>>;
let endpoints: Endpoints;
let queue: NotificationQueue;
let service: NotificationService;

beforeAll(async () => {
  own = await createTestDatabase('endpoints');
  database = openDatabase(own.logins, 20, 'test-endpoints');
  await writeCatalogue(database.system);
  tenant = await seedSandbox(database.system, secrets);
  endpoints = new Endpoints(database, secrets);
  queue = new NotificationQueue(database.system, 60_000);
  service = new NotificationService(database, queue, sender, secrets);
});
afterEach(async () => {
  for (const { id } of await endpoints.list(tenant, PAGE)) await endpoints.remove(tenant, id, BY);
});
afterAll(async () => {
  await sender.close();
  await database.close();
  await own.drop();
});

let hosts = 0;
/** An endpoint at a server of its own. */
async function endpoint(events?: string[]) {
  hosts += 1;
  const url = `https://merchant-${hosts}.example/hook`;
  const id = newId('notificationEndpoint');
  return endpoints.create(tenant, { id, url, events }, BY);
}

const rowsAbout = (subject: string): Promise<NotificationRow[]> =>
  database.system('notifications').where({ payment_id: subject }).orWhere({ subject_id: subject }).orderBy('id');

/** Something happened to a payout. */
const told = (subjectId: string, type: 'payout.sent' | 'payout.settled' = 'payout.sent') =>
  database.tenant(tenant.tenantId, (trx) =>
    tell(trx, {
      tenantId: tenant.tenantId,
      organizationId: tenant.organizationId,
      subjectId,
      type,
      data: { payoutId: subjectId },
    }),
  );
const claim = (url: string) =>
  queue.claim({ organizationId: tenant.organizationId, endpoint: new URL(url).origin }, 100, []);
const done = { at: new Date(), status: 200, error: null, durationMs: 1 };
const refused = { at: new Date(), status: 500, error: 'no', durationMs: 1 };

test('a step of a payment goes to each endpoint that asked for it, each time as a notification of its own', async () => {
  const all = await endpoint();
  const subject = await endpoint(['payment.*']);
  const single = await endpoint(['payment.captured', 'payout.settled']);
  await endpoint(['payment.failed', 'payout.*']);
  const off = await endpoint();
  await endpoints.disable(tenant, off.endpoint.id, BY);
  const rows = await rowsAbout(await capturedPayment(database, ledger, tenant));
  expect(rows.map(({ endpoint_id }) => endpoint_id).sort()).toEqual(
    [all, subject, single].map((one) => one.endpoint.id).sort(),
  );
  for (const row of rows) {
    const body = JSON.parse(row.body);
    expect(body).toMatchObject({ id: row.id, type: 'payment.captured', data: { transactionStatus: 'captured' } });
    expect(body.createdAt).toBe(row.created_at.toISOString());
    expect(body.data.timestamp).toBe(body.createdAt);
    expect(row.id).toMatch(/^ntf_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
  }
  expect(new Set(rows.map(({ id }) => id)).size).toBe(3);
});

test('what is taken back was never told, and nobody is told who did not ask', async () => {
  await endpoint(['link.*']);
  const id = newId('payout');
  await told(id);
  await endpoint(['payout.*']);
  const taken = database.tenant(tenant.tenantId, async (trx) => {
    await tell(trx, {
      tenantId: tenant.tenantId,
      organizationId: tenant.organizationId,
      subjectId: id,
      type: 'payout.sent',
      data: {},
    });
    throw new Error('taken back');
  });
  await expect(taken).rejects.toThrow('taken back');
  expect(await rowsAbout(id)).toEqual([]);
});

test('an organization has sixteen at most, however many are created at once; a place is free again', async () => {
  const tries = await Promise.allSettled(Array.from({ length: 20 }, () => endpoint()));
  const made = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value.endpoint] : []));
  expect(made.map(({ place }) => place).sort((a, b) => a! - b!)).toEqual(Array.from({ length: 16 }, (_, i) => i + 1));
  const refusals = tries.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
  expect(refusals).toEqual(Array(4).fill('invalid_state'));
  const id = newId('payout');
  await told(id);
  expect(new Set((await rowsAbout(id)).map((row) => row.id)).size).toBe(16);
  await endpoints.remove(tenant, made[4]!.id, BY);
  expect((await endpoint()).endpoint.place).toBe(made[4]!.place);
});

test('the same request again answers the same endpoint with the same secret', async () => {
  const order = { id: newId('notificationEndpoint'), url: 'https://again.example/' };
  const [one, two] = await Promise.all([endpoints.create(tenant, order, BY), endpoints.create(tenant, order, BY)]);
  expect(two).toEqual(one);
  expect(await endpoints.list(tenant, PAGE)).toHaveLength(1);
});

test('a page begins after an endpoint, and has one more than asked for when there are more', async () => {
  const made = [await endpoint(), await endpoint(), await endpoint()].map((one) => one.endpoint.id);
  const ids = async (page: { limit: number; after?: string }) =>
    (await endpoints.list(tenant, page)).map((row) => row.id);
  expect(await ids({ limit: 1 })).toEqual(made.slice(0, 2));
  expect(await ids({ limit: 1, after: made[1]! })).toEqual(made.slice(2));
});

test('to one destination the order about one thing is kept; another destination does not wait for it', async () => {
  const slow = await endpoint();
  const quick = await endpoint();
  const [one, two] = [newId('payout'), newId('payout')];
  await told(one);
  await told(one, 'payout.settled');
  await told(two);
  const first = await claim(slow.endpoint.url);
  expect(first.map(({ subject_id }) => subject_id).sort()).toEqual([one, two].sort());
  const sent = first.find(({ subject_id }) => subject_id === one)!;
  await queue.record(sent.id, refused, { state: 'pending', pauseMs: 60_000 });
  expect(await claim(slow.endpoint.url)).toEqual([]);
  for (const type of ['payout.sent', 'payout.settled']) {
    const claimed = (await claim(quick.endpoint.url)).filter(({ subject_id }) => subject_id === one);
    expect(claimed.map(({ body }) => JSON.parse(body).type)).toEqual([type]);
    await queue.record(claimed[0]!.id, done, { state: 'delivered' });
  }
});

test('the secret of the endpoint signs, for a while with the one before it; of a payment its account’s', async () => {
  const { endpoint: row, secret } = await endpoint(['payout.*']);
  await told(newId('payout'));
  const [before] = await claim(row.url);
  expect(before!.sealed.map((one) => secrets.open(one, before!.owner_id))).toEqual([secret]);
  const fresh = await endpoints.rotate(tenant, row.id, 60_000, BY);
  await told(newId('payout'));
  const [during] = await claim(row.url);
  expect(during!.sealed.map((one) => secrets.open(one, during!.owner_id))).toEqual([fresh, secret]);
  const last = await endpoints.rotate(tenant, row.id, 0, BY);
  await told(newId('payout'));
  const [after] = await claim(row.url);
  expect(after!.sealed.map((one) => secrets.open(one, after!.owner_id))).toEqual([last]);
  const [line] = await database.system('audit_log').where({ target: row.id }).orderBy('id', 'desc');
  expect(line).toMatchObject({ action: 'notification_endpoint.rotate_secret', detail: { overlapSeconds: 0 } });
  const lines = await database.system('audit_log').where({ target: row.id });
  expect(jsonOf(lines)).not.toContain(secret);
});

test('a disabled endpoint is sent nothing, and takes what it missed once it is enabled and asked for', async () => {
  const scope = { tenantId: tenant.tenantId, organizationId: tenant.organizationId };
  const { endpoint: row } = await endpoint();
  const id = newId('payout');
  await told(id);
  await endpoints.disable(tenant, row.id, BY);
  const [missed] = await rowsAbout(id);
  expect(missed).toMatchObject({ state: 'failed', next_attempt_at: null });
  await expect(service.resend(scope, missed!.id)).rejects.toMatchObject({ code: 'invalid_state' });
  const window = { from: missed!.created_at.toISOString(), to: new Date(Date.now() + 60_000).toISOString() };
  expect(await service.resendWindow(scope, window)).toBe(0);
  await endpoints.enable(tenant, row.id, BY);
  const moved = await endpoints.change(tenant, row.id, { url: 'https://moved.example/there' }, BY);
  expect(await service.resend(scope, missed!.id)).toMatchObject({ state: 'pending', url: moved.url });
  expect((await claim(moved.url)).map((one) => one.id)).toEqual([missed!.id]);
});

test('what waits goes to the new address; other members stay', async () => {
  const { endpoint: row } = await endpoint(['payout.*']);
  const id = newId('payout');
  await told(id);
  const change = (what: EndpointChange) => endpoints.change(tenant, row.id, what, BY);
  expect(await change({ url: 'https://new.example/x', description: 'Books' })).toMatchObject({ events: ['payout.*'] });
  expect(await rowsAbout(id)).toMatchObject([{ url: 'https://new.example/x', endpoint: 'https://new.example' }]);
  expect(await change({ events: [] })).toMatchObject({ events: null, description: 'Books' });
});

test('another organization sees none of them', async () => {
  const { endpoint: row } = await endpoint();
  const stranger = { tenantId: tenant.other.tenantId, organizationId: tenant.other.organizationId };
  await expect(endpoints.find(stranger, row.id)).rejects.toMatchObject({ code: 'not_found' });
  await expect(endpoints.rotate(stranger, row.id, 0, BY)).rejects.toMatchObject({ code: 'not_found' });
  await expect(endpoints.remove(stranger, row.id, BY)).rejects.toMatchObject({ code: 'not_found' });
  const sibling = { tenantId: tenant.tenantId, organizationId: tenant.other.organizationId };
  await expect(endpoints.find(sibling, row.id)).rejects.toMatchObject({ code: 'not_found' });
  expect(await endpoints.list(stranger, PAGE)).toEqual([]);
});
