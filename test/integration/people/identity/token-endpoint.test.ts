import { route } from '../../../../src/api/server/route';
import { disableClient, hashSecret } from '../../../../src/people/identity/clients';
import { until } from '../../../e2e/client';
import { type ApiServer, startApi, unique } from '../../api/api-server';

let api: ApiServer;

const whoAmI = route({
  method: 'GET',
  path: '/who-am-i',
  area: 'Test',
  summary: 'The principal',
  roles: ['merchant', 'tenant_admin', 'ops'],
  responses: { 200: { description: 'Principal' } },
  handler: async (ctx) => ({ status: 200, body: ctx.principal }),
});

beforeAll(async () => {
  api = await startApi({ routes: [whoAmI], env: { ACCESS_TOKEN_CACHE_MS: '50' } });
});
afterAll(() => api.close());

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
});
const ask = (headers: Record<string, string>, form: Record<string, string>) =>
  api.call('POST', '/auth/1.0.0/token', {
    headers: { ...FORM, ...headers },
    body: new URLSearchParams(form).toString(),
  });
const grant = { grant_type: 'client_credentials' };

test('a client gets a token by Basic header, with the lifetime and scope of the contract', async () => {
  const { clientId, clientSecret } = api.seeded.clients.merchant;
  const reply = await ask(basic(clientId, clientSecret), grant);
  expect(reply.status).toBe(200);
  expect(reply.json).toEqual({
    access_token: expect.stringMatching(/^[\w-]{43}$/),
    token_type: 'Bearer',
    expires_in: 10_000,
    scope: 'merchant',
  });
  expect(reply.headers.get('cache-control')).toContain('no-store');
  const me = await api.call('GET', '/who-am-i', { token: reply.json.access_token });
  expect(me.json).toEqual({
    clientId,
    role: 'merchant',
    tenantId: api.seeded.tenantId,
    organizationId: api.seeded.organizationId,
  });
});

test('a client gets a token by the form, unknown parameters are ignored', async () => {
  const { clientId, clientSecret } = api.seeded.clients.ops;
  const reply = await ask({}, { ...grant, client_id: clientId, client_secret: clientSecret, colour: 'blue' });
  expect([reply.status, reply.json.scope]).toEqual([200, 'ops']);
});

test('terminal id and terminal password are client credentials', async () => {
  const { terminalId, terminalPassword } = api.seeded;
  const token = await api.tokenOf({ clientId: terminalId, clientSecret: terminalPassword });
  const me = await api.call('GET', '/who-am-i', { token });
  expect(me.json).toMatchObject({ role: 'merchant', terminalId });
});

test.each([
  ['a wrong secret', () => [basic(api.seeded.clients.merchant.clientId, 'wrong'), grant]],
  ['an unknown client', () => [basic(unique('nobody'), 'wrong'), grant]],
  ['no client', () => [{}, grant]],
  ['a client id only', () => [{}, { ...grant, client_id: api.seeded.clients.merchant.clientId }]],
  ['an unreadable header', () => [{ authorization: 'Basic !!!' }, grant]],
  ['a bearer header', () => [{ authorization: 'Bearer abc' }, grant]],
] as [string, () => [Record<string, string>, Record<string, string>]][])(
  '%s is invalid_client',
  async (_name, given) => {
    const reply = await ask(...given());
    expect([reply.status, reply.json.error]).toEqual([401, 'invalid_client']);
    expect(reply.json.access_token).toBeUndefined();
  },
);

test('bad requests get the OAuth error body', async () => {
  const { clientId, clientSecret } = api.seeded.clients.merchant;
  const header = basic(clientId, clientSecret);
  const grantless = await ask(header, {});
  expect([grantless.status, grantless.json.error]).toEqual([400, 'invalid_request']);
  const other = await ask(header, { grant_type: 'password' });
  expect([other.status, other.json.error]).toEqual([400, 'unsupported_grant_type']);
  const scope = await ask(header, { ...grant, scope: 'ops' });
  expect([scope.status, scope.json.error]).toEqual([400, 'invalid_scope']);
  const json = await api.call('POST', '/auth/1.0.0/token', { headers: header, body: grant });
  expect([json.status, json.json.error]).toEqual([400, 'invalid_request']);
  const get = await api.call('GET', '/auth/1.0.0/token');
  expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
});

test('neither tokens nor secrets are in the database', async () => {
  const { clientId, clientSecret } = api.seeded.clients.merchant;
  const token = await api.tokenOf({ clientId, clientSecret });
  const rows = await api.database.system('oidc_payloads');
  expect(rows.length).toBeGreaterThan(0);
  expect(JSON.stringify(rows)).not.toContain(token);
  const client = await api.database.system('clients').where({ id: clientId }).first();
  expect(client.secret_hash).toEqual(hashSecret(clientSecret));
});

test('wrong tries are slowed down for one client and address, and recorded', async () => {
  const { clientId, clientSecret } = api.seeded.other.clients.merchant;
  for (let attempt = 0; attempt < 10; attempt += 1) await ask(basic(clientId, 'wrong'), grant);
  const refused = await ask(basic(clientId, clientSecret), grant);
  expect([refused.status, refused.json.error]).toEqual([429, 'slow_down']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  const colleague = api.seeded.other.clients.tenantAdmin;
  expect((await ask(basic(colleague.clientId, colleague.clientSecret), grant)).status).toBe(200);
  const audit = await api.database.system('audit_log').where({ actor: clientId, action: 'sign_in' });
  expect(audit).toHaveLength(10);
  expect(audit[0]).toMatchObject({ result: 'refused', source: '127.0.0.1', tenant_id: api.seeded.other.tenantId });
});

test('a disabled client stops working within the cache time', async () => {
  const { clientId, clientSecret } = api.seeded.other.clients.tenantAdmin;
  const token = await api.tokenOf({ clientId, clientSecret });
  expect((await api.call('GET', '/who-am-i', { token })).status).toBe(200);
  await disableClient(api.database.system, clientId);
  await new Promise((resolve) => setTimeout(resolve, 80));
  expect((await api.call('GET', '/who-am-i', { token })).status).toBe(401);
  expect((await ask(basic(clientId, clientSecret), grant)).status).toBe(401);
  await api.database.system('clients').where({ id: clientId }).update({ disabled_at: null });
});

test('an expired token is refused', async () => {
  const short = await startApi({ routes: [whoAmI], seeded: api.seeded, env: { ACCESS_TOKEN_TTL_MS: '1000' } });
  try {
    const token = await short.tokenOf(short.seeded.clients.merchant);
    expect((await short.call('GET', '/who-am-i', { token })).status).toBe(200);
    const now = Date.now;
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + 1_100);
    const late = await short.call('GET', '/who-am-i', { token }).finally(() => clock.mockRestore());
    expect([late.status, late.json.code]).toEqual([401, 'unauthorized']);
  } finally {
    await short.close();
  }
});

test.each(['', 'Bearer', 'Bearer x', 'Basic abc', `Bearer ${'a'.repeat(43)}`, 'Bearer null'])(
  'Authorization "%s" is 401',
  async (authorization) => {
    const reply = await api.call('GET', '/who-am-i', { headers: { authorization } });
    expect([reply.status, reply.json.code]).toEqual([401, 'unauthorized']);
    expect(reply.headers.get('www-authenticate')).toContain('Bearer');
  },
);

describe('a token that its client ends (RFC 7009)', () => {
  const revoke = (headers: Record<string, string>, form: Record<string, string>) =>
    api.call('POST', '/auth/1.0.0/revoke', {
      headers: { ...FORM, ...headers },
      body: new URLSearchParams(form).toString(),
    });
  const isGood = async (token: string) => (await api.call('GET', '/who-am-i', { token })).status === 200;
  const ended = (token: string) => until('the token does nothing', async () => !(await isGood(token)));

  test('does nothing any more; the same again, and what is no token, is answered alike', async () => {
    const { clientId, clientSecret } = api.seeded.clients.merchant;
    const [token, kept] = [
      await api.tokenOf({ clientId, clientSecret }),
      await api.tokenOf({ clientId, clientSecret }),
    ];
    expect(await isGood(token)).toBe(true);
    expect((await revoke(basic(clientId, clientSecret), { token })).status).toBe(200);
    await ended(token);
    expect(await isGood(kept)).toBe(true);
    for (const gone of [token, 'x'.repeat(43), '\0'])
      expect((await revoke({}, { token: gone, client_id: clientId, client_secret: clientSecret })).status).toBe(200);
    const lines = await api.database.system('audit_log').where({ actor: clientId, action: 'client.revoke_token' });
    expect(lines).toHaveLength(1);
  });

  test('is nobody else’s to end', async () => {
    const { merchant, tenantAdmin } = api.seeded.clients;
    const token = await api.tokenOf(merchant);
    expect((await revoke(basic(tenantAdmin.clientId, tenantAdmin.clientSecret), { token })).status).toBe(400);
    expect((await revoke(basic(merchant.clientId, 'wrong'), { token })).status).toBe(401);
    expect((await revoke({}, { token })).status).toBe(401);
    expect((await revoke(basic(merchant.clientId, merchant.clientSecret), {})).status).toBe(400);
    expect(await isGood(token)).toBe(true);
  });
});
