import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { codecServer } from '../../../src/api/codec/server';
import { uiOfThisMachine } from '../../../src/api/codec/this-machine';
import { newId } from '../../../src/domain/ids';
import { type Config, loadConfig } from '../../../src/foundation/config/config';
import { openDatabase } from '../../../src/foundation/db/database';
import { EncryptionCodec } from '../../../src/foundation/temporal/data-converter';
import type { Role } from '../../../src/people/identity/principal';
import { Tokens } from '../../../src/people/identity/tokens';
import { endSessions, UserSessions } from '../../../src/people/identity/users/sessions';
import { Users } from '../../../src/people/identity/users/user';
import { testLogins } from '../../setup/environment';
import { type ApiServer, startApi } from './api-server';

const key = (byte: number) => Buffer.alloc(32, byte).toString('base64');
const database = openDatabase(testLogins(), 2, 'test-codec');
const ui = 'http://127.0.0.1:8233';
const base64 = (text: string) => Buffer.from(text).toString('base64');
const PLAIN = { metadata: { encoding: base64('json/plain') }, data: base64('{"reason":"ticket 4711"}') };
const KEYS = { VAULT_HMAC_KEY: key(2), CODEC_KEYS: `k1:${key(3)}` };
const sandbox = loadConfig({ NODE_ENV: 'test', ...KEYS });
const MINUTE = 60_000;
const sessions = new UserSessions(database, {
  tokenTtlMs: 30 * MINUTE,
  cookie: { idleMs: 30 * MINUTE, ttlMs: 720 * MINUTE },
});
/** A sandbox on loopback, as `npm start` has it. */
let api: ApiServer;
/** As in production: no sandbox. */
let production: ApiServer;
/** As the engine stores it. */
let sealed: typeof PLAIN;

const codecOf = (config: Config) => codecServer({ config, database, tokens: new Tokens(database, 0) });

beforeAll(async () => {
  api = await startApi({ rawMounts: [codecOf(sandbox)] });
  production = await startApi({ rawMounts: [codecOf({ ...sandbox, sandbox: false })], seeded: api.seeded });
  const context = { type: 'workflow', namespace: 'default', workflowId: 'payment/pay_1' } as const;
  const payload = { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from(PLAIN.data, 'base64') };
  const [{ metadata, data } = {}] = await new EncryptionCodec(KEYS.CODEC_KEYS).encode([payload], context);
  const text = (bytes?: Uint8Array | null) => Buffer.from(bytes ?? []).toString('base64');
  const entries = Object.entries(metadata ?? {}).map(([name, value]) => [name, text(value)]);
  sealed = { metadata: Object.fromEntries(entries), data: text(data) };
});
afterAll(async () => {
  await api.close();
  await production.close();
  await database.close();
});

/** Somebody of the role who has signed in, with a second factor or without. */
function signedIn(kind: 'token' | 'cookie', { role = 'ops' as Role, factor = 'totp' as 'totp' | null } = {}) {
  const userId = newId('user');
  return database.system.transaction(async (trx) => {
    const of = role === 'ops' ? {} : { tenantId: api.seeded.tenantId };
    const contact = { name: 'Ada', email: `${userId}@staff.example` };
    await new Users(database, KEYS.CODEC_KEYS, KEYS.VAULT_HMAC_KEY).create(trx, {
      id: userId,
      role: role as 'ops',
      contact,
      ...of,
    });
    const device = { source: '127.0.0.1', agent: 'a browser' };
    return { userId, ...(await sessions.begin(trx, userId, kind, device, factor ?? undefined)) };
  });
}

const cookieOf = ({ token }: { token: string }) => ({ cookie: `tillway_session=${token}` });
const bearerOf = ({ token }: { token: string }) => ({ authorization: `Bearer ${token}` });

function ask(headers: Record<string, string>, payloads: unknown = [sealed], at = production, origin = ui) {
  return fetch(`${at.baseUrl}/codec/decode`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin, ...headers },
    body: JSON.stringify({ payloads }),
  });
}

const readings = () => database.system('audit_log').where({ action: 'codec.decode' }).orderBy('at');

test.each(['cookie', 'token'] as const)(
  'an operator reads by the %s of its session; each reading is recorded',
  async (kind) => {
    const operator = await signedIn(kind);
    const reply = await ask(kind === 'cookie' ? cookieOf(operator) : bearerOf(operator));
    expect([reply.status, await reply.json()]).toEqual([200, { payloads: [PLAIN] }]);
    expect(reply.headers.get('access-control-allow-origin')).toBe(ui);
    expect(reply.headers.get('access-control-allow-credentials')).toBe('true');
    expect((await readings()).at(-1)).toMatchObject({
      actor: operator.userId,
      result: 'revealed',
      detail: { payloads: 1, workflows: ['payment/pay_1'], sessionId: operator.session.sessionId },
    });
  },
);

test('it ends with the session', async () => {
  const operator = await signedIn('cookie');
  expect((await ask(cookieOf(operator))).status).toBe(200);
  await database.system.transaction((trx) => endSessions(trx, operator.userId));
  expect((await ask(cookieOf(operator))).status).toBe(401);
});

test('nobody else reads: no second factor, no operator, no person, another site, nobody at all', async () => {
  const before = (await readings()).length;
  const withoutFactor = await ask(cookieOf(await signedIn('cookie', { factor: null })));
  expect([withoutFactor.status, await withoutFactor.json()]).toEqual([
    403,
    expect.objectContaining({ code: 'second_factor_missing' }),
  ]);
  expect((await ask(cookieOf(await signedIn('cookie', { role: 'tenant_admin' })))).status).toBe(403);
  for (const client of [api.seeded.clients.ops, api.seeded.clients.merchant])
    expect((await ask(bearerOf({ token: await production.tokenOf(client) }))).status).toBe(403);
  const operator = await signedIn('cookie');
  for (const origin of ['https://evil.example', 'http://127.0.0.1:3000', 'null'])
    expect((await ask(cookieOf(operator), [sealed], production, origin)).status).toBe(401);
  expect((await ask({})).status).toBe(401);
  expect((await ask({ cookie: 'tillway_codec=cli_1.99999999999999.forged' })).status).toBe(401);
  expect(await readings()).toHaveLength(before);
});

test('nothing is encrypted: operators act through the API', async () => {
  const operator = await signedIn('token');
  const reply = await production.call('POST', '/codec/encode', { token: operator.token, body: { payloads: [PLAIN] } });
  expect(reply.status).toBe(404);
});

test('the page tells who is not signed in where to do that, and an operator what to set', async () => {
  const page = async (headers: Record<string, string>) =>
    (await fetch(`${production.baseUrl}/codec`, { headers })).text();
  expect(await page({})).toContain('/console">Sign in');
  expect(await page(cookieOf(await signedIn('cookie', { role: 'tenant_admin' })))).toContain('/console">Sign in');
  expect(await page(cookieOf(await signedIn('cookie')))).toContain('Include cross-origin credentials');
});

test('what is no list of payloads, or sealed by another key, is refused with 400', async () => {
  const headers = bearerOf(await signedIn('token'));
  expect((await ask(headers, 7)).status).toBe(400);
  const foreign = { metadata: { encoding: base64('binary/encrypted') }, data: base64('\x02k9rubbish') };
  expect((await ask(headers, [foreign])).status).toBe(400);
});

interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** What fetch does not let us set: Host, and no Origin. */
function send(action: string, payloads: unknown, headers: Record<string, string>): Promise<Reply> {
  const body = JSON.stringify({ payloads });
  const { host, port } = new URL(api.baseUrl);
  return new Promise((resolve, reject) => {
    const request = http.request(
      { host: '127.0.0.1', port, path: `/codec/${action}`, method: 'POST', headers: { host, origin: ui, ...headers } },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }));
      },
    );
    request.on('error', reject).end(body);
  });
}

describe('in a sandbox on loopback', () => {
  test("the engine's own UI reads without a sign-in; each reading is recorded", async () => {
    const before = (await readings()).length;
    const decoded = await send('decode', [sealed], {});
    expect([decoded.status, JSON.parse(decoded.text)]).toEqual([200, { payloads: [PLAIN] }]);
    expect(decoded.headers['access-control-allow-origin']).toBe(ui);
    const entries = await readings();
    expect(entries).toHaveLength(before + 1);
    expect(entries.at(-1)).toMatchObject({
      actor: 'engine UI of the sandbox',
      source: '127.0.0.1',
      result: 'revealed',
      detail: { payloads: 1, workflows: ['payment/pay_1'] },
    });
  });

  test('the UI under the name localhost is the same UI', async () => {
    const { port } = new URL(api.baseUrl);
    const headers = { origin: 'http://localhost:8233', host: `localhost:${port}` };
    expect((await send('decode', [], headers)).status).toBe(200);
  });

  test.each<[string, (port: string) => Record<string, string>]>([
    ['a page of another site', () => ({ origin: 'https://evil.example' })],
    ['a page of another port of this machine', () => ({ origin: 'http://127.0.0.1:3000' })],
    ['a page without an origin', () => ({ origin: 'null' })],
    ['a program, which names no origin', () => ({ origin: '' })],
    ['a name of another site that leads here', (port) => ({ host: `evil.example:${port}` })],
    ['the same with the UI as its origin', () => ({ host: 'rebound.example' })],
    ['a host that only begins as ours', (port) => ({ host: `127.0.0.1.evil.example:${port}` })],
    ['another port in the host', () => ({ host: '127.0.0.1:1' })],
    ['a proxy', () => ({ 'x-forwarded-for': '203.0.113.9' })],
    ['a proxy by the standard', () => ({ forwarded: 'for=203.0.113.9' })],
  ])('%s is asked to sign in', async (_who, headers) => {
    const reply = await send('decode', [PLAIN], headers(new URL(api.baseUrl).port));
    expect(reply.status).toBe(401);
    expect(JSON.parse(reply.text).message).toContain('Sign in at');
    const { origin } = headers('');
    if (origin !== undefined) expect(reply.headers['access-control-allow-origin']).toBeUndefined();
  });

  test.each<[string, Partial<Config>]>([
    ['listens on more than loopback', { host: '0.0.0.0' }],
    ['is reached from outside', { publicUrl: 'https://pay.example' }],
    ['stands behind a proxy', { trustedProxies: ['127.0.0.1'] }],
    ['is no sandbox', { sandbox: false }],
  ])('the UI is asked to sign in where the platform %s', (_what, settings) => {
    const request = {
      headers: { origin: ui, host: '127.0.0.1:8080' },
      socket: { localPort: 8080, remoteAddress: '127.0.0.1', localAddress: '127.0.0.1' },
    } as unknown as IncomingMessage;
    expect(uiOfThisMachine(sandbox, [ui])(request)).toBe(true);
    expect(uiOfThisMachine({ ...sandbox, ...settings }, [ui])(request)).toBe(false);
  });

  test.each(['192.0.2.7', '::ffff:192.0.2.7', '10.0.0.1', ''])('a caller at %s is not on this machine', (address) => {
    const request = {
      headers: { origin: ui, host: '127.0.0.1:8080' },
      socket: { localPort: 8080, remoteAddress: address, localAddress: '127.0.0.1' },
    } as unknown as IncomingMessage;
    expect(uiOfThisMachine(sandbox, [ui])(request)).toBe(false);
  });
});
