import { generate } from 'otplib';
import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, Caller, send, until } from './client';
import { callerWith, cookieOf, credentialsOf, enterSeeded, invited, OURS, SESSION, Staff, TOKEN, TOTP } from './staff';

/** The second factors of users: who needs one, who may have one, and who takes them away. */

const { credentials } = sharedStack();
const { apiUrl, organizationId } = credentials;
const USERS = '/identity/1.0.0/users';
const FACTORS = '/auth/1.0.0/users/factors';

let actors: Actors;

beforeAll(async () => {
  actors = await actorsOf(credentials);
});

const del = (who: Caller, path: string, headers: Record<string, string> = {}) =>
  send(apiUrl + path, { method: 'DELETE', headers: { ...who.headers, ...headers } });
const untilTold = (email: string, wanted: string) =>
  until(`the message: ${wanted}`, async () => {
    const { body } = await send(`${apiUrl}/sandbox/mailbox?to=${encodeURIComponent(email)}`);
    return body.data.some(({ subject }: { subject: string }) => subject === wanted);
  });
const inviter = (role: string) => (role === 'ops' ? actors.ops : actors.tenantAdmin);

test.each([
  ['tenant_admin', TOKEN],
  ['tenant_admin', SESSION],
  ['ops', TOKEN],
  ['ops', SESSION],
])('%s without a second factor adds one first, signed in by %s', async (role, path) => {
  const login = await invited(inviter(role), role);
  const { body, headers } = await send(apiUrl + path, { method: 'POST', body: credentialsOf(login) });
  const who =
    path === SESSION
      ? callerWith(apiUrl, cookieOf(headers))
      : new Caller(apiUrl, { authorization: `Bearer ${body.access_token}` });
  expect((await who.get(SESSION)).body).toMatchObject({ userId: login.userId, mustEnrol: true });
  expect((await who.get(FACTORS)).body).toEqual({
    required: true,
    authenticator: false,
    passkeys: 0,
    recoveryCodes: 0,
  });
  for (const attempt of [
    () => who.get(USERS),
    () => who.get('/identity/1.0.0/sessions'),
    () => who.post(USERS, { email: 'x@staff.example', name: 'X', role }),
    () => del(who, TOTP),
    () => send(`${apiUrl}/codec/decode`, { method: 'POST', headers: who.headers, body: { payloads: [] } }),
  ])
    expect((await attempt()).status).toBeGreaterThanOrEqual(401);
  expect((await who.get(USERS)).body).toMatchObject({ status: 403, code: 'second_factor_missing' });
  const { secret } = (await who.post(TOTP)).body;
  const { body: confirmed } = await who.post(`${TOTP}/confirm`, { code: await generate({ secret }) });
  expect(confirmed.recoveryCodes).toHaveLength(10);
  expect((await who.get(USERS)).status).toBe(200);
  expect((await who.get(SESSION)).body).toMatchObject({ mustEnrol: false, secondFactor: 'totp' });
  expect((await del(who, TOTP)).body).toMatchObject({ status: 409, code: 'invalid_state' });
  expect((await send(apiUrl + path, { method: 'POST', body: credentialsOf(login) })).body.code).toBe(
    'two_factor_required',
  );
});

test('somebody without a second factor may sign out', async () => {
  const login = await invited(actors.tenantAdmin, 'tenant_admin');
  const { headers } = await send(apiUrl + SESSION, { method: 'POST', body: credentialsOf(login) });
  const who = callerWith(apiUrl, cookieOf(headers));
  expect((await del(who, SESSION)).status).toBe(204);
  expect((await who.get(SESSION)).status).toBe(401);
});

test('a merchant may have one, and give it up; the other sessions end each time', async () => {
  const login = await invited(actors.tenantAdmin, 'merchant', { organizationId });
  const enter = async (code?: string) => {
    const body = { ...credentialsOf(login), ...(code && { code }) };
    const { headers } = await send(apiUrl + SESSION, { method: 'POST', body });
    return callerWith(apiUrl, cookieOf(headers));
  };
  const [here, there] = [await enter(), await enter()];
  expect((await there.get(USERS)).status).toBe(200);
  const { secret } = (await here.post(TOTP)).body;
  const { recoveryCodes } = (await here.post(`${TOTP}/confirm`, { code: await generate({ secret }) })).body;
  expect((await there.get(SESSION)).status).toBe(401);
  const again = await enter(recoveryCodes[0]);
  expect((await again.get(SESSION)).body.secondFactor).toBe('recovery_code');
  expect((await again.get(FACTORS)).body).toMatchObject({ authenticator: true, recoveryCodes: 9 });
  const { body: renewed } = await again.post('/auth/1.0.0/users/recovery-codes');
  expect(
    (await send(apiUrl + SESSION, { method: 'POST', body: { ...credentialsOf(login), code: recoveryCodes[1] } }))
      .status,
  ).toBe(422);
  expect((await del(again, TOTP)).status).toBe(204);
  expect((await here.get(SESSION)).status).toBe(401);
  expect((await again.get(FACTORS)).body).toEqual({
    required: false,
    authenticator: false,
    passkeys: 0,
    recoveryCodes: 0,
  });
  expect(renewed.recoveryCodes).toHaveLength(10);
  for (const subject of [
    'An authenticator app was added to your account',
    'An authenticator app was removed from your account',
  ])
    await untilTold(login.email, subject);
  expect((await (await enter()).get(SESSION)).status).toBe(200);
});

test('ten wrong codes lock the right one, too', async () => {
  const { login, recoveryCodes } = await Staff.create(actors.tenantAdmin, 'tenant_admin');
  const enter = (code: string) => send(apiUrl + TOKEN, { method: 'POST', body: { ...credentialsOf(login), code } });
  for (let tries = 0; tries < 10; tries++) expect((await enter('wrong-code')).status).toBe(422);
  expect((await enter(recoveryCodes[0]!)).body.code).toBe('code_refused');
});

test('an admin resets the factors of another, who is told, and nobody their own', async () => {
  const [ada, bo] = await Promise.all([
    Staff.create(actors.tenantAdmin, 'tenant_admin'),
    Staff.create(actors.tenantAdmin, 'tenant_admin'),
  ]);
  const path = `${USERS}/${ada.login.userId}/factors`;
  expect((await del(ada.caller, path)).status).toBe(403);
  const stranger = await actorsOf(credentials, credentials.other);
  expect((await del(stranger.tenantAdmin, path)).status).toBe(404);
  expect((await del(actors.merchant, path)).status).toBe(403);
  expect((await del(bo.caller, path)).status).toBe(204);
  expect((await ada.caller.get(SESSION)).status).toBe(401);
  await untilTold(ada.login.email, 'Your second factors were removed');
  const { headers, body } = await send(apiUrl + SESSION, { method: 'POST', body: credentialsOf(ada.login) });
  expect(body.mustEnrol).toBe(true);
  expect((await callerWith(apiUrl, cookieOf(headers)).get(USERS)).status).toBe(403);
});

test('people of the sandbox sign in with the secret in credentials.json', async () => {
  for (const user of [credentials.users.merchant, credentials.users.tenantAdmin, credentials.users.ops]) {
    expect((await send(apiUrl + SESSION, { method: 'POST', headers: OURS, body: credentialsOf(user) })).body.code).toBe(
      'two_factor_required',
    );
    expect((await enterSeeded(apiUrl, user, SESSION)).body).toMatchObject({ email: user.email, mustEnrol: false });
  }
});
