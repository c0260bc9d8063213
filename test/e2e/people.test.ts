import { randomUUID } from 'node:crypto';
import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, Caller, type Json, PAYMENTS, send, until } from './client';
import { Seller } from './sellers';
import { addressOf, choosePassword, linkTo, Staff } from './staff';

/** People and programs that sign in, managed by those who administer them. */

const { credentials } = sharedStack();
const { apiUrl } = credentials;
const USERS = '/identity/1.0.0/users';
const CLIENTS = '/identity/1.0.0/clients';
const SESSIONS = '/identity/1.0.0/sessions';

let actors: Actors;
let admin: Caller;
let stranger: Actors;

beforeAll(async () => {
  [actors, stranger] = await Promise.all([actorsOf(credentials), actorsOf(credentials, credentials.other)]);
  admin = actors.tenantAdmin;
});

const address = addressOf;
const call = (who: Caller, method: string, path: string, body?: object) =>
  send(apiUrl + path, { method, headers: who.headers, ...(body && { body }) });

/** Invited by the admin, with a password and an authenticator, and signed in. */
async function person() {
  const staff = await Staff.create(admin, 'tenant_admin');
  return { staff, ...staff.login, caller: staff.caller };
}

test('an admin is invited, chooses a password, and administers', async () => {
  const email = address();
  const { status, body } = await admin.post(USERS, { email, name: 'Ada Lovelace', role: 'tenant_admin' });
  expect([status, body.state, body.email, body.tenantId]).toEqual([201, 'invited', email, credentials.tenantId]);
  expect((await admin.post(USERS, { email, name: 'Ada', role: 'tenant_admin' })).status).toBe(409);
  const first = await linkTo(apiUrl, email);
  expect((await admin.post(`${USERS}/${body.userId}/invitations`)).status).toBe(201);
  expect((await choosePassword(apiUrl, first)).status).toBe(409);
  const second = await until('another link', async () => {
    const link = await linkTo(apiUrl, email);
    return link !== first && link;
  });
  expect((await choosePassword(apiUrl, second)).status).toBe(200);
  expect((await admin.get(`${USERS}/${body.userId}`)).body.state).toBe('active');
  expect((await admin.post(`${USERS}/${body.userId}/invitations`)).status).toBe(409);
  const ada = await person();
  const listed = (await ada.caller.get(`${USERS}?role=tenant_admin&limit=200`)).body.data;
  expect(listed.map(({ userId }: Json) => userId)).toContain(body.userId);
  expect((await stranger.tenantAdmin.get(`${USERS}/${body.userId}`)).status).toBe(404);
});

test('the same invitation again is one user', async () => {
  const invitation = { email: address(), name: 'Ada', role: 'tenant_admin' };
  const key = { 'idempotency-key': randomUUID() };
  const [one, two] = await Promise.all([admin.post(USERS, invitation, key), admin.post(USERS, invitation, key)]);
  const again = await admin.post(USERS, invitation, key);
  const ids = [one, two, again].flatMap(({ status, body }) => (status === 201 ? [body.userId] : []));
  expect(new Set(ids).size).toBe(1);
});

test.each(['disable', 'remove'])(
  '%s shuts a person out at once, and what was removed can be invited anew',
  async (how) => {
    const ada = await person();
    expect((await ada.caller.get(USERS)).status).toBe(200);
    const path = `${USERS}/${ada.userId}`;
    const done = how === 'disable' ? await admin.post(`${path}/disable`) : await call(admin, 'DELETE', path);
    expect(done.status).toBe(how === 'disable' ? 200 : 204);
    expect((await ada.caller.get(USERS)).status).toBe(401);
    expect((await ada.staff.enter()).status).toBe(401);
    if (how === 'disable') {
      expect((await admin.post(`${path}/enable`)).body.state).toBe('active');
      expect((await ada.staff.enter()).status).toBe(200);
      return;
    }
    expect((await admin.get(path)).status).toBe(404);
    expect((await admin.post(USERS, { email: ada.email, name: 'Ada', role: 'tenant_admin' })).status).toBe(201);
  },
);

test('another role ends the sessions and holds from the next sign-in on', async () => {
  const ada = await person();
  const { organizationId } = credentials;
  const path = `${USERS}/${ada.userId}`;
  expect((await call(admin, 'PATCH', path, { role: 'merchant' })).status).toBe(400);
  const changed = await call(admin, 'PATCH', path, { role: 'merchant', organizationId, name: 'Ada King' });
  expect(changed.body).toMatchObject({ role: 'merchant', organizationId, name: 'Ada King' });
  expect((await ada.caller.get(USERS)).status).toBe(401);
  const { body } = await ada.staff.enter();
  expect(body).toMatchObject({ scope: 'merchant', organizationId });
  const merchant = new Caller(apiUrl, { authorization: `Bearer ${body.access_token}` });
  const seen = (await merchant.get(`${USERS}?limit=200`)).body.data;
  expect(new Set(seen.map((user: Json) => user.organizationId))).toEqual(new Set([organizationId]));
});

test('a merchant’s user manages the users of its own organization, and none of another role', async () => {
  const seller = await Seller.create(credentials, actors);
  const colleague = { email: address(), name: 'Bo', role: 'merchant' };
  const invited = await seller.contact.post(USERS, colleague);
  expect(invited).toMatchObject({ status: 201, body: { organizationId: seller.organizationId } });
  expect((await seller.contact.get(USERS)).body.data).toHaveLength(2);
  expect((await seller.contact.post(USERS, { ...colleague, email: address(), role: 'tenant_admin' })).status).toBe(400);
  const { organizationId } = credentials;
  expect((await seller.contact.post(USERS, { ...colleague, email: address(), organizationId })).status).toBe(400);
  const ada = await person();
  for (const [method, path] of [
    ['GET', ''],
    ['DELETE', ''],
    ['POST', '/disable'],
  ] as const)
    expect((await call(seller.contact, method, `${USERS}/${ada.userId}${path}`)).status).toBe(404);
  // Whoever has got hold of a merchant's client must not be able to stay.
  expect((await seller.merchant.post(USERS, { ...colleague, email: address() })).status).toBe(403);
  expect((await seller.merchant.post(CLIENTS, { name: 'Mine', role: 'merchant' })).status).toBe(403);
});

test('two admins who shut each other out at the same time: one stays', async () => {
  // A tenant whose admins nobody else makes.
  const { tenantAdmin } = stranger;
  const { body } = await tenantAdmin.get(`${USERS}?role=tenant_admin&state=active&limit=200`);
  const email = [address(), address()];
  const made = await Promise.all(
    email.map(async (each) => {
      const { body: user } = await tenantAdmin.post(USERS, { email: each, name: 'A', role: 'tenant_admin' });
      await choosePassword(apiUrl, await linkTo(apiUrl, each));
      return user.userId as string;
    }),
  );
  for (const { userId } of body.data) await tenantAdmin.post(`${USERS}/${userId}/disable`);
  try {
    const shut = await Promise.all(made.map((userId) => tenantAdmin.post(`${USERS}/${userId}/disable`)));
    expect(shut.map(({ status }) => status).sort()).toEqual([200, 409]);
    const [left] = (await tenantAdmin.get(`${USERS}?role=tenant_admin&state=active`)).body.data;
    const path = `${USERS}/${left.userId}`;
    expect((await call(tenantAdmin, 'DELETE', path)).status).toBe(409);
    const { organizationId } = credentials.other;
    expect((await call(tenantAdmin, 'PATCH', path, { role: 'merchant', organizationId })).status).toBe(409);
    expect((await tenantAdmin.get(path)).body).toMatchObject({ role: 'tenant_admin', state: 'active' });
  } finally {
    for (const { userId } of body.data) await tenantAdmin.post(`${USERS}/${userId}/enable`);
  }
});

test('a person sees where they are signed in, and signs out there, or everywhere', async () => {
  const ada = await person();
  const other = await ada.staff.another();
  const { data } = (await other.get(SESSIONS)).body;
  expect(data).toHaveLength(2);
  expect(data.filter(({ current }: Json) => current)).toHaveLength(1);
  expect(data[0]).toMatchObject({ source: '127.0.0.1', agent: expect.any(String) });
  const first = data.find(({ current }: Json) => !current).sessionId;
  const bo = await person();
  expect((await call(bo.caller, 'DELETE', `${SESSIONS}/${first}`)).status).toBe(404);
  expect((await call(other, 'DELETE', `${SESSIONS}/${first}`)).status).toBe(204);
  expect((await ada.caller.get(SESSIONS)).status).toBe(401);
  expect((await other.get(SESSIONS)).status).toBe(200);
  expect((await call(other, 'DELETE', SESSIONS)).status).toBe(204);
  expect((await other.get(SESSIONS)).status).toBe(401);
  expect((await bo.caller.get(SESSIONS)).status).toBe(200);
  expect((await admin.get(SESSIONS)).status).toBe(403);
});

describe('clients', () => {
  const tokenFor = async (clientId: string, secret: string) => {
    const basic = Buffer.from(`${clientId}:${secret}`).toString('base64');
    const response = await fetch(`${apiUrl}/auth/1.0.0/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    return { status: response.status, token: ((await response.json()) as Json).access_token as string };
  };
  const { organizationId } = credentials;
  const make = async (key = randomUUID()) =>
    (await admin.post(CLIENTS, { name: 'Web shop', role: 'merchant', organizationId }, { 'idempotency-key': key }))
      .body;

  test('is created, signs in, is rotated with an overlap, and without', async () => {
    const { clientId, secret } = await make();
    expect((await tokenFor(clientId, secret)).status).toBe(200);
    const rotated = (await admin.post(`${CLIENTS}/${clientId}/rotate`)).body.secret;
    expect([await tokenFor(clientId, secret), await tokenFor(clientId, rotated)]).toMatchObject([
      { status: 200 },
      { status: 200 },
    ]);
    const last = (await admin.post(`${CLIENTS}/${clientId}/rotate`, { overlapSeconds: 0 })).body.secret;
    for (const old of [secret, rotated]) expect((await tokenFor(clientId, old)).status).toBe(401);
    expect((await tokenFor(clientId, last)).status).toBe(200);
    const { body } = await admin.get(`${CLIENTS}/${clientId}`);
    expect(body).toMatchObject({ clientId, name: 'Web shop', role: 'merchant', organizationId });
    expect(JSON.stringify(body)).not.toContain('secret');
    expect((await stranger.tenantAdmin.get(`${CLIENTS}/${clientId}`)).status).toBe(404);
    expect((await stranger.tenantAdmin.post(`${CLIENTS}/${clientId}/rotate`)).status).toBe(404);
  });

  test('disabled: no token, and those that are out stop working; enabled: as before', async () => {
    const { clientId, secret } = await make();
    const { token } = await tokenFor(clientId, secret);
    const client = new Caller(apiUrl, { authorization: `Bearer ${token}`, organizationid: organizationId });
    const works = async () => (await client.get(`${PAYMENTS}?limit=1`)).status === 200;
    expect(await works()).toBe(true);
    expect((await admin.post(`${CLIENTS}/${clientId}/disable`)).body.disabledAt).toBeDefined();
    expect((await tokenFor(clientId, secret)).status).toBe(401);
    await until('its token stops working', async () => !(await works()));
    expect((await admin.post(`${CLIENTS}/${clientId}/enable`)).body.disabledAt).toBeUndefined();
    expect((await tokenFor(clientId, secret)).status).toBe(200);
  });

  test('the lost answer to a creation: the same client', async () => {
    const key = randomUUID();
    const [one, two] = [await make(key), await make(key)];
    expect(two.clientId).toBe(one.clientId);
    expect((await tokenFor(one.clientId, two.secret)).status).toBe(200);
  });

  test('those of the integration parameters are rotated there', async () => {
    const { merchant } = credentials.clients;
    expect((await admin.post(`${CLIENTS}/${merchant.clientId}/rotate`)).status).toBe(409);
    expect((await admin.post(CLIENTS, { name: 'x', role: 'merchant' })).status).toBe(400);
    expect((await admin.post(CLIENTS, { name: 'x', role: 'ops' })).status).toBe(400);
  });
});
