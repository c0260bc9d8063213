import { route } from '../../../src/api/server/route';
import { newId } from '../../../src/domain/ids';
import { ApiClients } from '../../../src/people/identity/api-clients';
import { CustomerTokens, endTokens } from '../../../src/people/identity/customer-tokens';
import { until } from '../../e2e/client';
import { insertPerson } from '../people/customers/place';
import { type ApiServer, startApi } from './api-server';

/** Two API processes over one database: what is ended at one is ended at the other. */

const whoAmI = route({
  method: 'GET',
  path: '/who-am-i',
  area: 'Test',
  summary: 'The principal',
  roles: ['merchant', 'tenant_admin', 'ops', 'customer'],
  responses: { 200: { description: 'Principal' } },
  handler: async (ctx) => ({ status: 200, body: ctx.principal }),
});
const BY = { id: 'an admin', source: '127.0.0.1', requestId: 'req_1' };

let here: ApiServer;
let there: ApiServer;
let clients: ApiClients;
let scope: { tenantId: string };

beforeAll(async () => {
  here = await startApi({ routes: [whoAmI] });
  there = await startApi({ routes: [whoAmI], seeded: here.seeded });
  clients = new ApiClients(here.database);
  scope = { tenantId: here.seeded.tenantId };
});
afterAll(async () => {
  await there?.close();
  await here?.close();
});

const statuses = (token: string) =>
  Promise.all([here, there].map(async (api) => (await api.call('GET', '/who-am-i', { token })).status));
/** Asks again and again, so that only a cache that ends by itself lets go. */
const becomes = (token: string, status: number) =>
  until(`both answer ${status}`, async () => (await statuses(token)).every((one) => one === status));

/** A client with a token that both processes have seen. */
async function client() {
  const clientId = newId('client');
  const { secret } = await clients.create(scope, { clientId, name: 'A program', role: 'tenant_admin' }, BY);
  const token = await here.tokenOf({ clientId, clientSecret: secret });
  expect(await statuses(token)).toEqual([200, 200]);
  return { clientId, secret, token };
}

test('a client that is disabled is refused everywhere, and gets no new token', async () => {
  const { clientId, secret, token } = await client();
  await clients.disable(scope, clientId, BY);
  await becomes(token, 401);
  await expect(there.tokenOf({ clientId, clientSecret: secret })).rejects.toThrow('no token: 401');
  await clients.enable(scope, clientId, BY);
  await becomes(token, 200);
});

test('a token that is revoked at one is refused at the other', async () => {
  const { clientId, secret, token } = await client();
  const headers = {
    authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  };
  expect((await here.call('POST', '/auth/1.0.0/revoke', { headers, body: `token=${token}` })).status).toBe(200);
  await becomes(token, 401);
});

test('a secret that is rotated without an overlap takes its tokens along; with one they stay', async () => {
  const { clientId, secret, token } = await client();
  const next = await clients.rotate(scope, clientId, 60_000, BY);
  expect(await statuses(await there.tokenOf({ clientId, clientSecret: secret }))).toEqual([200, 200]);
  const last = await clients.rotate(scope, clientId, 0, BY);
  await becomes(token, 401);
  for (const old of [secret, next.secret])
    await expect(there.tokenOf({ clientId, clientSecret: old })).rejects.toThrow('no token: 401');
  expect(await statuses(await there.tokenOf({ clientId, clientSecret: last.secret }))).toEqual([200, 200]);
});

test('a customer whose tokens are ended is refused everywhere at once', async () => {
  const { database } = here;
  const { tenantId } = scope;
  const { id } = await insertPerson({ database, tenantId, otherTenantId: '', close: async () => {} });
  const token = await database.tenant(tenantId, (trx) => new CustomerTokens(60_000).issue(trx, tenantId, id));
  expect(await statuses(token)).toEqual([200, 200]);
  await database.tenant(tenantId, (trx) => endTokens(trx, id));
  await becomes(token, 401);
});
