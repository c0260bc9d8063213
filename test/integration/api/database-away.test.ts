import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { withReference } from '../../../src/api/reference/reference';
import { type ApiDependencies, apiRoutes } from '../../../src/api/routes';
import { loadConfig } from '../../../src/foundation/config/config';
import { prepareHome } from '../../../src/sandbox/runtime/home';
import { loadSecrets } from '../../../src/sandbox/runtime/secrets';
import { setup } from '../../../src/sandbox/runtime/setup';
import { type Json, type Reply, send, until } from '../../e2e/client';
import { type Operation, Requests, sendRequest } from '../../e2e/operations';
import { createTestDatabase, testAdminUrl } from '../../setup/environment';
import { freePorts } from '../../setup/ports';
import { projectRoot } from '../../setup/project';
import { startEngine } from '../../setup/services';
import { type Away, Cuttable } from './cuttable';

/** Every operation of the API while the database is away: 503 and when to come back, never a 500. */

const { document } = withReference(apiRoutes({} as ApiDependencies));
const { operations } = new Requests(document, {});

let place: Awaited<ReturnType<typeof createTestDatabase>>;
let line: Cuttable;
let engine: Awaited<ReturnType<typeof startEngine>>;
let home: string;
let api: ChildProcess;
let apiUrl: string;
let output = '';
let credentials: Json;
let requests: Requests;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  place = await createTestDatabase('away');
  engine = await startEngine();
  const through = await Cuttable.before(place.url);
  line = through.line;
  home = mkdtempSync(join(tmpdir(), 'tillway-away-'));
  const {
    postgresAdminPassword: _a,
    postgresRuntimePassword: _b,
    postgresSystemPassword: _c,
    postgresOpsPassword: _d,
    homeId: _e,
    ...keys
  } = loadSecrets(prepareHome(home));
  const [port, metrics, simulator] = (await freePorts(3)) as [number, number, number];
  const env = {
    ...keys,
    DATABASE_URL: through.url,
    TEMPORAL_ADDRESS: engine.address,
    TILLWAY_HOME: home,
    PORT: String(port),
    METRICS_PORT: String(metrics),
    SIMULATOR_PORT: String(simulator),
    // Who calls is known throughout: what is tried is what comes after.
    ACCESS_TOKEN_CACHE_MS: '600000',
    API_EMBEDDED_WORKER: 'false',
    API_FIRST_ANSWER_MS: '500',
  };
  ({ credentials } = await setup(loadConfig({ ...env, DATABASE_URL: place.url, DATABASE_ADMIN_URL: place.adminUrl })));
  requests = new Requests(document, { ...credentials, ...GIVEN });
  apiUrl = `http://127.0.0.1:${port}`;
  api = spawn(process.execPath, [join(projectRoot, 'dist/src/api/main.js')], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [api.stdout!, api.stderr!]) stream.on('data', (chunk) => (output += chunk));
  await until(
    'the API listens',
    async () => (await send(`${apiUrl}/health/live`).catch(() => undefined))?.status === 200,
  );
  for (const [role, client] of Object.entries<Json>(credentials.clients)) tokens[role] = await tokenOf(client);
});
afterAll(async () => {
  const ended = new Promise((resolve) => api?.once('exit', resolve));
  api?.kill('SIGTERM');
  await (api && ended);
  await line?.close();
  await engine?.stop();
  await place?.drop();
  if (home) rmSync(home, { recursive: true, force: true });
});

async function tokenOf({ clientId, clientSecret }: Json): Promise<string> {
  const reply = await askForToken(clientId, clientSecret);
  if (reply.status !== 200) throw new Error(`no token: ${reply.status} ${output}`);
  return reply.body.access_token;
}

const askForToken = (clientId: string, clientSecret: string) =>
  sendForm('token', clientId, clientSecret, 'grant_type=client_credentials');

const sendForm = (endpoint: 'token' | 'revoke', clientId: string, clientSecret: string, body: string) =>
  send(`${apiUrl}/auth/1.0.0/${endpoint}`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body,
  });

/** By the name of a member or parameter, where the smallest value of its schema would be refused. */
const GIVEN: Record<string, Json> = {
  id: '61',
  documentNumber: '1',
  name: 'clientSecret',
  customerId: 'cus_00000000000000000000000000',
  requesterId: 'cus_00000000000000000000000001',
  senderId: 'cus_00000000000000000000000001',
  beneficiaryId: 'bnf_00000000000000000000000000',
  from: '2026-01-01T00:00:00Z',
  to: '2026-02-01T00:00:00Z',
  // So `to` is the name of a channel.
  channel: 'external',
  person: { firstName: { name: 'Ada' }, lastName: { name: 'L' }, email: 'ada@example.com' },
};

const ROLES: Record<string, string> = { merchant: 'merchant', tenant_admin: 'tenantAdmin', ops: 'ops' };

/** What they answer without the database: pages, what is refused before it is asked, and what asks another part. */
const WITHOUT_DATABASE: Record<string, number> = {
  'GET /docs': 200,
  'GET /docs/codes': 200,
  'GET /openapi.json': 200,
  'GET /health/live': 200,
};
/** Refused before the database is asked: a callback for its signature or form, a client where a person is needed. */
const REFUSED = [400, 401, 403, 404];
const REFUSES_BY_ITSELF =
  /^\/(?:callbacks\/(?!test)|auth\/1.0.0\/(?:token|revoke)|auth\/1.0.0\/users\/(?:to|session|factors|recovery|passkeys)|onboarding\/1.0.0\/parameters\/)/;

describe.each<Away>(['nobody listens', 'hangs up'])('while at the address of the database %s', (away) => {
  beforeAll(async () => {
    await warm();
    await line.cut(away);
  });
  afterAll(() => line.restore());

  test.each(operations.map((operation) => [operation.id, operation] as const))('%s', async (id, operation) => {
    const reply = await call(operation);
    const said = `${reply.status} ${JSON.stringify(reply.body)}`;
    if (WITHOUT_DATABASE[id]) return expect(said).toMatch(new RegExp(`^${WITHOUT_DATABASE[id]} `));
    // What a route with a cache has just read it may still answer.
    if (id === 'GET /payments/methods' && reply.status === 200) return;
    if (REFUSED.includes(reply.status) && REFUSES_BY_ITSELF.test(operation.path)) return;
    expect(said).toMatch(/^503 /);
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test.each([true, false])('the token endpoint, right secret: %p', async (right) => {
    const { clientId, clientSecret } = credentials.clients.merchant;
    const reply = await askForToken(clientId, right ? clientSecret : 'wrong');
    expect([reply.status, reply.body.error]).toEqual([503, 'temporarily_unavailable']);
    expect(reply.headers.get('retry-after')).toBe('1');
  });

  test('the end of a token', async () => {
    const { clientId, clientSecret } = credentials.clients.merchant;
    const reply = await sendForm('revoke', clientId, clientSecret, `token=${tokens.merchant}`);
    expect([reply.status, reply.body.error]).toEqual([503, 'temporarily_unavailable']);
  });
});

test.each<[string, () => Promise<void>, () => Promise<void>]>([
  ['the line is cut', () => line.cut('nobody listens'), () => line.restore()],
  ['the server hangs up', () => line.cut('hangs up'), () => line.restore()],
  ['the server ends every session', () => endSessions(), async () => undefined],
  [
    'the database takes no more connections',
    async () => {
      await asOwner(`ALTER DATABASE ${databaseName()} ALLOW_CONNECTIONS false`);
      await endSessions();
    },
    () => asOwner(`ALTER DATABASE ${databaseName()} ALLOW_CONNECTIONS true`),
  ],
])('requests under way when %s', async (_, cut, restore) => {
  const statuses: Record<string, string[]> = {};
  let isOver = false;
  const asked = operations.filter((operation) => operation.roles.length > 0);
  const callers = Array.from({ length: 16 }, async (_one, caller) => {
    for (let n = caller; !isOver; n += 7) {
      const operation = asked[n % asked.length]!;
      const status = await call(operation).then(
        (reply) => reply.status,
        // A stream that had begun.
        (error) => (STREAMS.test(operation.path) ? 0 : String(error.cause ?? error)),
      );
      statuses[status] ??= [];
      statuses[status].push(operation.id);
    }
  });
  const seen = (status: number) => statuses[status]?.length ?? 0;
  try {
    for (let round = 1; round <= 3; round += 1) {
      await until('some requests are answered', async () => seen(404) > round * 50);
      await until('some are refused', async () => {
        await cut();
        return seen(503) >= round * 4;
      });
      await restore();
    }
  } finally {
    isOver = true;
    await Promise.all(callers);
  }
  expect(Object.keys(statuses).filter((status) => !/^(?:0|2..|4..|503)$/.test(status))).toEqual([]);
});

const STREAMS = /\/(?:export|statement|file)$/;

const databaseName = () => `"${new URL(place.url).pathname.slice(1)}"`;
const endSessions = () =>
  asOwner(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${databaseName().replaceAll('"', "'")}`,
  );

async function asOwner(statement: string): Promise<void> {
  const client = new Client({ connectionString: testAdminUrl('postgres') });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

/** Has the API open connections that are then cut. */
async function warm(): Promise<void> {
  const list = operations.find(({ id }) => id === 'GET /ipg/1.0.0/payment/payments')!;
  await until('the database is back', async () => (await call(list)).status === 200);
  await Promise.all(Array.from({ length: 20 }, () => call(list)));
}

async function call(operation: Operation): Promise<Reply> {
  const role = operation.roles.find((one) => ROLES[one]);
  const request = requests.of(operation);
  if (role) request.headers.authorization = `Bearer ${tokens[ROLES[role]!]}`;
  return sendRequest(apiUrl, request);
}
