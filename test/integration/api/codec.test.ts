import { codecServer } from '../../../src/api/codec/server';
import { loadConfig } from '../../../src/foundation/config/config';
import { openDatabase } from '../../../src/foundation/db/database';
import { SignInThrottle } from '../../../src/people/identity/sign-in-throttle';
import { Tokens } from '../../../src/people/identity/tokens';
import { testDatabaseUrl } from '../../setup/environment';
import { type ApiServer, startApi } from './api-server';

const key = (byte: number) => Buffer.alloc(32, byte).toString('base64');
const database = openDatabase(testDatabaseUrl(), 2, 'test-codec');
const ui = 'http://127.0.0.1:8233';
const base64 = (text: string) => Buffer.from(text).toString('base64');
const PLAIN = { metadata: { encoding: base64('json/plain') }, data: base64('{"reason":"ticket 4711"}') };
let api: ApiServer;

beforeAll(async () => {
  const config = loadConfig({ NODE_ENV: 'test', VAULT_HMAC_KEY: key(2), CODEC_KEYS: `k1:${key(3)}` });
  api = await startApi({
    rawMounts: [
      codecServer({ config, database, tokens: new Tokens(database, 0), throttle: new SignInThrottle(database) }),
    ],
  });
});
afterAll(async () => {
  await api.close();
  await database.close();
});

function signIn({ clientId, clientSecret }: { clientId: string; clientSecret: string }) {
  return fetch(`${api.baseUrl}/codec/sign-in`, {
    method: 'POST',
    body: new URLSearchParams({ clientId, clientSecret }),
  });
}

function ask(action: 'encode' | 'decode', payloads: unknown, cookie?: string) {
  return fetch(`${api.baseUrl}/codec/${action}`, {
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

test('nobody else may, neither read nor write', async () => {
  expect((await signIn(api.seeded.clients.merchant)).status).toBe(401);
  expect((await signIn({ ...api.seeded.clients.ops, clientSecret: 'wrong' })).status).toBe(401);
  for (const action of ['encode', 'decode'] as const) {
    expect((await ask(action, [PLAIN])).status).toBe(401);
    expect((await ask(action, [PLAIN], 'tillway_codec=cli_1.99999999999999.forged')).status).toBe(401);
    const token = await api.tokenOf(api.seeded.clients.merchant);
    expect((await api.call('POST', `/codec/${action}`, { token, body: { payloads: [PLAIN] } })).status).toBe(403);
  }
});

test('what is no list of payloads, or sealed by another key, is refused with 400', async () => {
  const cookie = (await signIn(api.seeded.clients.ops)).headers.get('set-cookie')!;
  expect((await ask('decode', 7, cookie)).status).toBe(400);
  const sealed = { metadata: { encoding: base64('binary/encrypted') }, data: base64('\x02k9rubbish') };
  expect((await ask('decode', [sealed], cookie)).status).toBe(400);
});
