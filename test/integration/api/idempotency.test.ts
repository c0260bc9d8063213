import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Client } from 'pg';
import { DomainError } from '../../../src/domain/errors';
import { testDatabaseUrl } from '../../setup/environment';
import { type ApiServer, startApi, unique } from './api-server';
import { Behaviour, sampleRoutes } from './sample-routes';

let api: ApiServer;
let token: string;
let headers: Record<string, string>;
const behaviour = new Behaviour();
const BODY = { amount: '1.00', currency: 'EUR' };

beforeAll(async () => {
  api = await startApi({ routes: sampleRoutes(behaviour) });
  token = await api.tokenOf(api.seeded.clients.merchant);
  headers = { organizationId: api.seeded.organizationId };
});
afterAll(() => api.close());
beforeEach(() => {
  Object.assign(behaviour, {
    executions: [],
    gate: Promise.resolve(),
    failWith: undefined,
    failAfterCreating: undefined,
  });
});

const create = (key: string, body: unknown = BODY, server = api) =>
  server.call('POST', '/things', { token, headers: { ...headers, 'idempotency-key': key }, body });
const rowOf = (key: string) => api.database.system('idempotency_keys').where({ key }).first();

test('100 parallel requests with one key run once; the others are told to wait or get its answer', async () => {
  const key = unique('key');
  behaviour.gate = new Promise((resolve) => setTimeout(resolve, 150));
  const replies = await Promise.all(Array.from({ length: 100 }, () => create(key)));
  expect(behaviour.executions).toHaveLength(1);
  const counts = new Map<number, number>();
  for (const { status } of replies) counts.set(status, (counts.get(status) ?? 0) + 1);
  expect([...counts.keys()].every((status) => status === 201 || status === 409)).toBe(true);
  expect(counts.get(201)).toBeGreaterThanOrEqual(1);
  for (const reply of replies)
    if (reply.status === 201) expect(reply.json.id).toBe(behaviour.executions[0]);
    else expect(reply.json.code).toBe('idempotency_in_progress');
});

test('a repeat gets the first answer again, byte for byte, and says so', async () => {
  const key = unique('key');
  const first = await create(key, '{"amount":"1.00","currency":"EUR"}');
  const again = await create(key, '{ "currency": "EUR", "remark": null, "amount": "1.00" }');
  expect(first.headers.get('idempotent-replayed')).toBeNull();
  expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true']);
  expect(behaviour.executions).toHaveLength(1);
});

test('the same key with another body, or for another organization, is refused', async () => {
  const key = unique('key');
  await create(key);
  const other = await create(key, { ...BODY, amount: '2.00' });
  expect([other.status, other.json.code]).toEqual([422, 'idempotency_key_reused']);
  expect(behaviour.executions).toHaveLength(1);
});

test('keys belong to a client: another client’s same key is another key', async () => {
  const key = unique('key');
  await create(key);
  const admin = await api.tokenOf(api.seeded.clients.tenantAdmin);
  const reply = await api.call('POST', '/things', {
    token: admin,
    headers: { ...headers, 'idempotency-key': key },
    body: { ...BODY, amount: '3.00' },
  });
  expect(reply.status).toBe(201);
  expect(behaviour.executions).toHaveLength(2);
});

test('without a key each request is new', async () => {
  await api.call('POST', '/things', { token, headers, body: BODY });
  await api.call('POST', '/things', { token, headers, body: BODY });
  expect(new Set(behaviour.executions).size).toBe(2);
});

test('a validation failure does not consume the key', async () => {
  const key = unique('key');
  expect((await create(key, { amount: '1', currency: 'EUR' })).status).toBe(400);
  expect(await rowOf(key)).toBeUndefined();
  expect((await create(key)).status).toBe(201);
});

test.each([[' '.repeat(256)], ['k'.repeat(256)]])('key %# of a wrong form is 400', async (key) => {
  const reply = await create(key.trim() || 'x'.repeat(300));
  expect(reply.json.details).toEqual([{ field: 'Idempotency-Key', message: expect.any(String) }]);
});

test('a refusal frees the key', async () => {
  const key = unique('key');
  behaviour.failWith = new DomainError('insufficient_funds', 'Too little money');
  expect((await create(key)).status).toBe(422);
  behaviour.failWith = undefined;
  expect((await create(key, { ...BODY, amount: '2.00' })).status).toBe(201);
});

test('after a failure with unknown outcome the repeat works on the same resource', async () => {
  const key = unique('key');
  behaviour.failAfterCreating = Object.assign(new Error('connection lost'), { code: 'ECONNRESET' });
  expect((await create(key)).status).toBe(503);
  behaviour.failAfterCreating = new DomainError('invalid_state', 'refused');
  expect((await create(key)).status).toBe(409);
  behaviour.failAfterCreating = undefined;
  expect((await create(key)).status).toBe(201);
  expect(behaviour.executions).toHaveLength(3);
  expect(new Set(behaviour.executions).size).toBe(1);
  expect((await create(key, { ...BODY, amount: '2.00' })).status).toBe(422);
});

test('the key of a process that died is taken over, once, with the same resource', async () => {
  const key = unique('key');
  const hanging = new Behaviour();
  hanging.gate = new Promise(() => {});
  const hung = await startApi({ routes: sampleRoutes(hanging), seeded: api.seeded });
  const stuck = create(key, BODY, hung).catch(() => undefined);
  await until(async () => (await rowOf(key)) !== undefined);
  const seed = (await rowOf(key)).resource_seed;
  expect((await create(key)).json.code).toBe('idempotency_in_progress');
  await hung.close();
  await stuck;
  behaviour.gate = new Promise((resolve) => setTimeout(resolve, 100));
  const replies = await Promise.all(Array.from({ length: 20 }, () => create(key)));
  expect(behaviour.executions).toHaveLength(1);
  expect(replies.filter(({ status }) => status === 201)).not.toHaveLength(0);
  expect((await rowOf(key)).resource_seed).toBe(seed);
});

test('a process whose lock connection was cut takes its place again', async () => {
  const admin = new Client({ connectionString: testDatabaseUrl() });
  await admin.connect();
  const holders = async () => {
    const { rows } = await admin.query(
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'tillway-api-instance' AND datname = current_database()",
    );
    return rows.map(({ pid }) => pid as number);
  };
  const [before] = await holders();
  await admin.query('SELECT pg_terminate_backend($1)', [before]);
  await until(async () => {
    const [now] = await holders();
    return now !== undefined && now !== before;
  });
  await admin.end();
  expect((await create(unique('key'))).status).toBe(201);
});

test('neither the request nor the answer can be read from the row', async () => {
  const key = unique('key');
  await create(key, { ...BODY, remark: 'findme' });
  const row = await rowOf(key);
  expect(row.status).toBe(201);
  expect(row.request_mac).toHaveLength(32);
  expect(row.answer_sealed.toString('latin1')).not.toContain('findme');
});

test('old keys are swept', async () => {
  const key = unique('key');
  await create(key);
  await api.database
    .system('idempotency_keys')
    .where({ key })
    .update({ created_at: new Date(Date.now() - 80 * 3_600_000) });
  await api.app.sweep();
  expect(await rowOf(key)).toBeUndefined();
});

test.each(['refuses connections', 'accepts and is silent'])(
  'while the database %s, 503 within two seconds',
  async (how) => {
    const direct = new URL(testDatabaseUrl());
    const sockets = new Set<Socket>();
    let silent = false;
    const proxy = createServer((socket) => {
      sockets.add(socket.on('error', () => {}));
      if (silent) return;
      const upstream = connect(Number(direct.port), direct.hostname).on('error', () => socket.destroy());
      sockets.add(upstream);
      socket.pipe(upstream).pipe(socket);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const through = new URL(direct);
    through.port = String((proxy.address() as AddressInfo).port);
    const server = await startApi({
      routes: sampleRoutes(behaviour),
      seeded: api.seeded,
      databaseUrl: through.toString(),
    });
    try {
      expect((await create(unique('key'), BODY, server)).status).toBe(201);
      silent = how !== 'refuses connections';
      if (!silent) proxy.close();
      for (const socket of sockets) socket.destroy();
      const reply = await create(unique('key'), BODY, server);
      expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '1']);
      expect(behaviour.executions).toHaveLength(1);
    } finally {
      for (const socket of sockets) socket.destroy();
      if (silent) proxy.close();
      await server.close();
    }
  },
  // A bound against waiting forever, no measurement.
);

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('it never happened');
}
