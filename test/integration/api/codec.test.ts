import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { codecServer } from '../../../src/api/codec/server';
import { uiOfThisMachine } from '../../../src/api/codec/this-machine';
import { type Config, loadConfig } from '../../../src/foundation/config/config';
import { openDatabase } from '../../../src/foundation/db/database';
import { SignInThrottle } from '../../../src/people/identity/sign-in-throttle';
import { Tokens } from '../../../src/people/identity/tokens';
import { testLogins } from '../../setup/environment';
import { type ApiServer, startApi } from './api-server';

const key = (byte: number) => Buffer.alloc(32, byte).toString('base64');
const database = openDatabase(testLogins(), 2, 'test-codec');
const ui = 'http://127.0.0.1:8233';
const base64 = (text: string) => Buffer.from(text).toString('base64');
const PLAIN = { metadata: { encoding: base64('json/plain') }, data: base64('{"reason":"ticket 4711"}') };
const KEYS = { VAULT_HMAC_KEY: key(2), CODEC_KEYS: `k1:${key(3)}` };
const sandbox = loadConfig({ NODE_ENV: 'test', ...KEYS });
/** A sandbox on loopback, as `npm start` has it. */
let api: ApiServer;
/** As in production: no sandbox. */
let production: ApiServer;

const codecOf = (config: Config) =>
  codecServer({ config, database, tokens: new Tokens(database, 0), throttle: new SignInThrottle(database) });

beforeAll(async () => {
  api = await startApi({ rawMounts: [codecOf(sandbox)] });
  production = await startApi({ rawMounts: [codecOf({ ...sandbox, sandbox: false })], seeded: api.seeded });
});
afterAll(async () => {
  await api.close();
  await production.close();
  await database.close();
});

function signIn({ clientId, clientSecret }: { clientId: string; clientSecret: string }, at = api) {
  return fetch(`${at.baseUrl}/codec/sign-in`, {
    method: 'POST',
    body: new URLSearchParams({ clientId, clientSecret }),
  });
}

function ask(action: 'encode' | 'decode', payloads: unknown, cookie?: string, at = api) {
  return fetch(`${at.baseUrl}/codec/${action}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: ui, ...(cookie ? { cookie } : {}) },
    body: JSON.stringify({ payloads }),
  });
}

test('an operator signs in and the UI may encrypt and decrypt with the cookie; each reading is recorded', async () => {
  const signedIn = await signIn(api.seeded.clients.ops);
  expect([signedIn.status, await signedIn.text()]).toEqual([200, expect.stringContaining('Include cross-origin')]);
  const cookie = signedIn.headers.get('set-cookie')!;
  expect(cookie).toMatch(/httponly/i);
  expect(cookie).toMatch(/samesite=strict/i);

  const encoded = (await (await ask('encode', [PLAIN], cookie)).json()) as { payloads: (typeof PLAIN)[] };
  expect(encoded.payloads[0]!.metadata.encoding).toBe(base64('binary/encrypted'));
  expect(Buffer.from(encoded.payloads[0]!.data, 'base64').toString('latin1')).not.toContain('4711');
  const decoded = await ask('decode', encoded.payloads, cookie);
  expect(decoded.headers.get('access-control-allow-origin')).toBe(ui);
  expect(decoded.headers.get('access-control-allow-credentials')).toBe('true');
  expect(await decoded.json()).toEqual({ payloads: [PLAIN] });
  const entries = await database.system('audit_log').where({ action: 'codec.decode' });
  expect(entries.at(-1)).toMatchObject({ actor: api.seeded.clients.ops.clientId, result: 'revealed' });
});

test('in production nobody else may, neither read nor write', async () => {
  expect((await signIn(api.seeded.clients.merchant, production)).status).toBe(401);
  expect((await signIn({ ...api.seeded.clients.ops, clientSecret: 'wrong' }, production)).status).toBe(401);
  for (const action of ['encode', 'decode'] as const) {
    expect((await ask(action, [PLAIN], undefined, production)).status).toBe(401);
    expect((await ask(action, [PLAIN], 'tillway_codec=cli_1.99999999999999.forged', production)).status).toBe(401);
    const token = await production.tokenOf(api.seeded.clients.merchant);
    expect((await production.call('POST', `/codec/${action}`, { token, body: { payloads: [PLAIN] } })).status).toBe(
      403,
    );
  }
});

test('what is no list of payloads, or sealed by another key, is refused with 400', async () => {
  const cookie = (await signIn(api.seeded.clients.ops)).headers.get('set-cookie')!;
  expect((await ask('decode', 7, cookie)).status).toBe(400);
  const sealed = { metadata: { encoding: base64('binary/encrypted') }, data: base64('\x02k9rubbish') };
  expect((await ask('decode', [sealed], cookie)).status).toBe(400);
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
  test("the engine's own UI reads and writes without a sign-in; each reading is recorded", async () => {
    const encoded = await send('encode', [PLAIN], {});
    expect(encoded.status).toBe(200);
    const before = (await database.system('audit_log').where({ action: 'codec.decode' })).length;
    const decoded = await send('decode', JSON.parse(encoded.text).payloads, {});
    expect([decoded.status, JSON.parse(decoded.text)]).toEqual([200, { payloads: [PLAIN] }]);
    expect(decoded.headers['access-control-allow-origin']).toBe(ui);
    const entries = await database.system('audit_log').where({ action: 'codec.decode' }).orderBy('at');
    expect(entries).toHaveLength(before + 1);
    expect(entries.at(-1)).toMatchObject({
      actor: 'engine UI of the sandbox',
      source: '127.0.0.1',
      result: 'revealed',
      detail: { payloads: 1 },
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
    for (const action of ['encode', 'decode']) {
      const reply = await send(action, [PLAIN], headers(new URL(api.baseUrl).port));
      expect(reply.status).toBe(401);
      expect(JSON.parse(reply.text).message).toContain('Sign in at');
      const { origin } = headers('');
      if (origin !== undefined) expect(reply.headers['access-control-allow-origin']).toBeUndefined();
    }
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
