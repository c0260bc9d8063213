import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, type Json, PAYMENTS, send, until } from './client';
import { choosePassword, cookieOf, invited, linkTo, OURS, SESSION } from './staff';

/** Users sign in with a cookie, as the console does. */

const { credentials } = sharedStack();
const { apiUrl, organizationId } = credentials;
const SESSIONS = '/identity/1.0.0/sessions';

let actors: Actors;

beforeAll(async () => {
  actors = await actorsOf(credentials);
});

const enter = (login: { email: string; password: string }, headers: Record<string, string> = {}) =>
  send(apiUrl + SESSION, { method: 'POST', headers, body: { email: login.email, password: login.password } });

/** Somebody of the merchant who is signed in. */
async function signedIn() {
  const login = await invited(actors.tenantAdmin, 'merchant', { organizationId });
  const reply = await enter(login);
  const cookie = cookieOf(reply.headers);
  const call = (method: string, path: string, headers: Record<string, string> = {}, body?: object) =>
    send(apiUrl + path, { method, headers: { cookie, ...headers }, ...(body && { body }) });
  const [set, known] = reply.headers.getSetCookie();
  return { login, reply, set, known, call };
}

test('the cookie says who somebody is, and opens what the role may see', async () => {
  const { login, reply, set, call } = await signedIn();
  expect(reply.status).toBe(201);
  expect(set).toMatch(/^tillway_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
  const who = { email: login.email, role: 'merchant', organizationId };
  expect(reply.body).toMatchObject(who);
  expect((await call('GET', SESSION)).body).toMatchObject({ ...who, sessionId: reply.body.sessionId });
  expect((await call('GET', `${PAYMENTS}?limit=1`, { organizationid: organizationId })).status).toBe(200);
  expect((await call('GET', '/ops/1.0.0/receipts')).status).toBe(403);
  const [session] = (await call('GET', SESSIONS)).body.data.filter(({ current }: Json) => current);
  expect(session).toMatchObject({ kind: 'cookie', sessionId: reply.body.sessionId });
});

test('a browser on which somebody has signed in gets in where wrong tries have locked the others of its source out', async () => {
  const { login, known } = await signedIn();
  expect(known).toMatch(/^tillway_known=[\w.-]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/);
  for (let tries = 0; tries < 10; tries += 1)
    expect((await enter({ ...login, password: `wrong ${tries}` })).status).toBe(401);
  expect((await enter(login)).status).toBe(401);
  const cookie = known!.split(';')[0]!;
  expect((await enter(login, { cookie })).status).toBe(201);
  expect((await enter(login, { cookie: cookie.replace('=', '=x') })).status).toBe(401);
});

test('signing out ends this session and removes the cookie', async () => {
  const { login, call } = await signedIn();
  const other = { cookie: cookieOf((await enter(login)).headers) };
  const out = await call('DELETE', SESSION, OURS);
  expect([out.status, out.headers.get('set-cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')]);
  expect((await call('GET', SESSION)).status).toBe(401);
  expect((await send(apiUrl + SESSION, { headers: other })).status).toBe(200);
});

test('what changes something with the cookie must come from our own page', async () => {
  const { call } = await signedIn();
  const order = { url: 'http://127.0.0.1:9/', events: ['payout.returned'] };
  const create = (headers: Record<string, string>) =>
    call('POST', '/notifications/1.0.0/endpoints', { organizationid: organizationId, ...headers }, order);
  for (const headers of [
    {},
    { 'sec-fetch-site': 'same-origin' },
    { ...OURS, 'sec-fetch-site': 'cross-site' },
    { ...OURS, 'sec-fetch-site': 'same-site' },
    { ...OURS, origin: 'https://evil.example' },
    { ...OURS, origin: 'null' },
  ] as Record<string, string>[])
    expect((await create(headers)).body).toMatchObject({ status: 403, code: 'cross_site_request' });
  expect((await create({ ...OURS, origin: apiUrl, 'sec-fetch-site': 'same-origin' })).status).toBe(201);
  expect((await create(OURS)).status).toBe(201);
  expect((await call('GET', SESSION, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  expect((await call('GET', SESSION, { 'sec-fetch-site': 'none' })).status).toBe(200);
});

test('another site’s page signs nobody in', async () => {
  const login = await invited(actors.tenantAdmin, 'merchant', { organizationId });
  const reply = await enter(login, { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' });
  expect([reply.body.code, reply.headers.get('set-cookie')]).toEqual(['cross_site_request', null]);
});

test('a wrong password sets no cookie, and a made-up cookie opens nothing', async () => {
  const { email } = await invited(actors.tenantAdmin, 'merchant', { organizationId });
  const wrong = await enter({ email, password: 'not-the-password' });
  expect([wrong.status, wrong.headers.get('set-cookie')]).toEqual([401, null]);
  for (const value of ['x', 'A'.repeat(43), 'é', '%00', '"', 'A'.repeat(4_000)])
    expect((await send(apiUrl + SESSION, { headers: { cookie: `tillway_session=${encodeURI(value)}` } })).status).toBe(
      401,
    );
});

test('a new password ends the session', async () => {
  const { login, call } = await signedIn();
  const first = await linkTo(apiUrl, login.email);
  await send(`${apiUrl}/auth/1.0.0/users/password-reset`, { method: 'POST', body: { email: login.email } });
  const link = await until('the link to a new password', async () => {
    const newest = await linkTo(apiUrl, login.email);
    return newest !== first && newest;
  });
  expect((await choosePassword(apiUrl, link, 'amber-canyon-fiddle-77')).status).toBe(200);
  expect((await call('GET', SESSION)).status).toBe(401);
});
