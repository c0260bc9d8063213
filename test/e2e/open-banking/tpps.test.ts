import { randomUUID } from 'node:crypto';
import { selfSigned, signingKey } from '../../setup/certificates';
import { sharedStack } from '../../setup/stack';
import { type Actors, actorsOf, type Json } from '../client';
import { issuedBySandbox, RegisteredTpp, showing, TPPS } from './registered';
import { type EntranceCaller, withoutCertificate } from './tpp';

const { credentials } = sharedStack();
const DAY_MS = 24 * 3_600_000;
const GRANT = { grant_type: 'client_credentials', scope: 'accounts' };
const CONSENT = '/open-banking/2.0.0/consent';

const browser = withoutCertificate(credentials);
const opened: { close(): void }[] = [browser];
afterAll(() => {
  for (const one of opened) one.close();
});

let actors: Actors;
beforeAll(async () => {
  actors = await actorsOf(credentials);
});

async function registered(...args: Parameters<typeof RegisteredTpp.register>): Promise<RegisteredTpp> {
  const tpp = await RegisteredTpp.register(...args);
  opened.push(tpp);
  return tpp;
}

function opening(caller: EntranceCaller): EntranceCaller {
  opened.push(caller);
  return caller;
}

async function tokenOf(caller: EntranceCaller): Promise<string> {
  const { status, body } = await caller.token(GRANT);
  expect(status).toBe(200);
  return body.access_token;
}

/** A consent that nobody has: 404 says that the token is good. */
const look = async (caller: EntranceCaller, token: string): Promise<number> => {
  const headers = { authorization: `Bearer ${token}` };
  return (await caller.send(`${CONSENT}/con_01m82h7cdeeczb5tndfb36dwzw`, { headers })).status;
};

test('a registered provider gets a token; once disabled it gets none, and its token does nothing', async () => {
  const tpp = await registered();
  expect(tpp.record).toMatchObject({
    tppId: expect.stringMatching(/^tpp_/),
    name: 'Penny Counter',
    profile: 'fapi1',
    tenantIds: [credentials.tenantId],
    authMethod: 'self_signed_tls_client_auth',
    iss: tpp.id,
    status: 'enabled',
  });
  const token = await tokenOf(tpp.caller);
  expect(await look(tpp.caller, token)).toBe(404);
  expect((await tpp.act('disable')).body).toMatchObject({ tppId: tpp.id, status: 'disabled' });
  expect(await tpp.caller.token(GRANT)).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  expect(await look(tpp.caller, token)).toBe(401);
  const { status, headers } = await browser.send(`/authorize?client_id=${tpp.id}&response_type=code`);
  expect([status, headers.location]).toEqual([400, undefined]);
  expect((await tpp.act('enable')).body.status).toBe('enabled');
  expect(await look(tpp.caller, token)).toBe(404);
  const { data } = (await actors.ops.get(`/identity/1.0.0/audit?target=${tpp.id}`)).body;
  // The token that was tried while it was disabled stands there too.
  expect(data.map(({ action }: Json) => action)).toEqual(['tpp.enable', 'tpp.access', 'tpp.disable', 'tpp.register']);
});

test('a new certificate takes the place of the old one, and of what was bound to it', async () => {
  const tpp = await registered();
  const token = await tokenOf(tpp.caller);
  const next = await selfSigned();
  expect((await tpp.act('certificate', { certificate: next.cert })).status).toBe(200);
  expect((await tpp.caller.token(GRANT)).status).toBe(401);
  expect(await look(tpp.caller, token)).toBe(401);
  const renewed = opening(showing(next));
  expect(await look(renewed, token)).toBe(401);
  expect(await look(renewed, await tokenOf(renewed))).toBe(404);
});

test('a token is good over its own certificate alone, not over a renewed one of the same provider, or over none', async () => {
  const name = `test-${randomUUID()}`;
  const tpp = await registered({}, await issuedBySandbox(name));
  expect(tpp.record.authMethod).toBe('tls_client_auth');
  const token = await tokenOf(tpp.caller);
  const renewed = opening(showing(await issuedBySandbox(name)));
  await tokenOf(renewed);
  expect([await look(tpp.caller, token), await look(renewed, token), await look(browser, token)]).toEqual([
    404, 401, 401,
  ]);
});

test('an expired certificate gets no token, whoever has issued it', async () => {
  const name = `test-${randomUUID()}`;
  await registered({}, await issuedBySandbox(name));
  const expired = await issuedBySandbox(name, new Date(Date.now() - 400 * DAY_MS));
  expect(await opening(showing(expired)).token(GRANT)).toMatchObject({
    status: 401,
    body: { error: 'invalid_client' },
  });
});

test('what the registration refuses, field by field', async () => {
  const { cert } = await selfSigned();
  const { jwk } = signingKey('signing-1');
  const order = {
    name: 'Nobody',
    tenantIds: [credentials.tenantId],
    redirectUris: ['https://tpp.example/callback'],
    jwks: { keys: [jwk] },
    certificate: cert,
  };
  const taken = await registered();
  const wrong: [changed: object, field: string][] = [
    [{ certificate: 'nothing' }, 'certificate'],
    [{ certificate: (await selfSigned({ rsaBits: 1_024 })).cert }, 'certificate'],
    [{ certificate: taken.shown.cert }, 'certificate'],
    [{ tenantIds: ['ten_01m82h7cdeeczb5tndfb36dwzw'] }, 'tenantIds[0]'],
    [{ redirectUris: ['http://tpp.example/callback'] }, 'redirectUris[0]'],
    [{ redirectUris: ['https://tpp.example/callback#part'] }, 'redirectUris[0]'],
    [{ jwks: { keys: [{ ...jwk, kid: '' }] } }, 'jwks.keys[0]'],
    [{ profile: 'fapi3' }, 'profile'],
    // The sandbox takes it of other profiles: an id token goes there through the browser.
    [{ profile: 'fapi1_advanced', redirectUris: ['http://127.0.0.1/callback'] }, 'redirectUris[0]'],
    [{ profile: 'fapi1_advanced', redirectUris: ['https://localhost/callback'] }, 'redirectUris[0]'],
  ];
  for (const [changed, field] of wrong) {
    const { status, body } = await actors.ops.post(TPPS, { ...order, ...changed });
    expect([status, body.code, body.details?.map((one: Json) => one.field)]).toEqual([400, 'invalid_request', [field]]);
  }
  const { jwks: _none, ...without } = order;
  for (const body of [without, { ...order, jwksUri: 'https://tpp.example/jwks.json' }])
    expect((await actors.ops.post(TPPS, body)).status).toBe(400);
});

test('FAPI 1.0 Advanced is for redirect URIs with https, also where only one of the two is changed', async () => {
  const tpp = await registered();
  const change = async (changed: object) => {
    const response = await fetch(`${tpp.ops.apiUrl}${TPPS}/${tpp.id}`, {
      method: 'PUT',
      headers: { ...tpp.ops.headers, 'content-type': 'application/json' },
      body: JSON.stringify(changed),
    });
    const { profile, details } = (await response.json()) as Json;
    return [response.status, details?.[0].field ?? profile];
  };
  expect(await change({ profile: 'fapi1_advanced' })).toEqual([400, 'redirectUris[0]']);
  const redirectUris = ['https://tpp.example/callback'];
  expect(await change({ profile: 'fapi1_advanced', redirectUris })).toEqual([200, 'fapi1_advanced']);
  expect(await change({ redirectUris: ['http://127.0.0.1/callback'] })).toEqual([400, 'redirectUris[0]']);
});

test('a change is read at once, and a request with the same key registers nothing twice', async () => {
  const tpp = await registered();
  const change = await fetch(`${tpp.ops.apiUrl}${TPPS}/${tpp.id}`, {
    method: 'PUT',
    headers: { ...tpp.ops.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Pound Counter', iss: 'org/software', profile: 'fapi2' }),
  });
  expect(change.status).toBe(200);
  const { body } = await tpp.ops.get(`${TPPS}/${tpp.id}`);
  expect(body).toMatchObject({
    ...tpp.record,
    name: 'Pound Counter',
    iss: 'org/software',
    profile: 'fapi2',
    updatedAt: body.updatedAt,
  });
  const key = { 'idempotency-key': randomUUID() };
  const order = {
    name: 'Once',
    tenantIds: [credentials.tenantId],
    redirectUris: ['https://tpp.example/callback'],
    jwks: { keys: [signingKey('signing-1').jwk] },
    certificate: (await selfSigned()).cert,
  };
  const first = await actors.ops.post(TPPS, order, key);
  const again = await actors.ops.post(TPPS, order, key);
  expect([first.status, again.status, again.body.tppId]).toEqual([201, 201, first.body.tppId]);
  expect((await actors.ops.get(`${TPPS}/tpp_01m82h7cdeeczb5tndfb36dwzw`)).status).toBe(404);
});
