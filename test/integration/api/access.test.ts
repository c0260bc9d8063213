import { type ApiServer, startApi } from './api-server';
import { Behaviour, sampleRoutes } from './sample-routes';

let api: ApiServer;
const tokens: Record<string, string> = {};
const behaviour = new Behaviour();

beforeAll(async () => {
  api = await startApi({ routes: sampleRoutes(behaviour) });
  const { clients, other } = api.seeded;
  for (const [who, client] of Object.entries({
    ...clients,
    otherMerchant: other.clients.merchant,
    otherAdmin: other.clients.tenantAdmin,
  }))
    tokens[who] = await api.tokenOf(client);
});
afterAll(() => api.close());

const own = () => api.seeded.organizationId;
const foreign = () => api.seeded.other.organizationId;

test.each([
  ['merchant', own, 201],
  ['tenantAdmin', own, 201],
  ['ops', own, 201],
  ['otherMerchant', foreign, 201],
  ['ops', foreign, 201],
  ['merchant', foreign, 403],
  ['tenantAdmin', foreign, 403],
  ['otherMerchant', own, 403],
  ['otherAdmin', own, 403],
  ['merchant', () => 'org_unknown', 403],
  ['tenantAdmin', () => 'org_unknown', 403],
  ['ops', () => 'org_unknown', 403],
  ['merchant', () => '', 400],
  ['tenantAdmin', () => undefined, 400],
  ['ops', () => undefined, 400],
] as [string, () => string | undefined, number][])(
  '%s and the organization header, case %#',
  async (who, organization, status) => {
    const before = behaviour.executions.length;
    const organizationId = organization();
    const reply = await api.call('POST', '/things', {
      token: tokens[who],
      headers: organizationId === undefined ? {} : { organizationId },
      body: { amount: '1.00', currency: 'EUR' },
    });
    expect(reply.status).toBe(status);
    if (status === 201) expect(reply.json.organizationId).toBe(organizationId);
    else expect(behaviour.executions.length).toBe(before);
  },
);

test('the tenant header must be the token’s tenant', async () => {
  const bulk = (who: string, tenantId?: string) =>
    api.call('POST', '/bulk', {
      token: tokens[who],
      headers: tenantId ? { tenantId } : {},
      body: [{ customerType: 'Person' }],
    });
  expect((await bulk('tenantAdmin', api.seeded.tenantId)).status).toBe(200);
  expect((await bulk('tenantAdmin', api.seeded.other.tenantId)).status).toBe(403);
  expect((await bulk('tenantAdmin')).json.details).toEqual([{ field: 'tenantId', message: expect.any(String) }]);
  expect((await bulk('merchant', api.seeded.tenantId)).status).toBe(403);
});

test('headers that contradict each other are refused', async () => {
  const reply = await api.call('POST', '/things', {
    token: tokens.ops,
    headers: { organizationId: own(), tenantId: api.seeded.other.tenantId },
    body: { amount: '1.00', currency: 'EUR' },
  });
  expect(reply.status).toBe(403);
});

test('without a header the token decides, with one it is narrowed', async () => {
  const list = async (who: string, headers = {}) =>
    (await api.call('GET', '/things', { token: tokens[who], headers })).json;
  expect(await list('merchant')).toMatchObject({ organizationId: own() });
  expect(await list('tenantAdmin')).toMatchObject({ organizationId: null });
  expect(await list('tenantAdmin', { organizationId: own() })).toMatchObject({ organizationId: own() });
});

test('no token is 401 on every route that is not public', async () => {
  for (const [method, path] of [
    ['POST', '/things'],
    ['GET', '/things'],
    ['PUT', '/things/1'],
    ['POST', '/bulk'],
  ] as const)
    expect((await api.call(method, path, { body: method === 'GET' ? undefined : {} })).status).toBe(401);
});
