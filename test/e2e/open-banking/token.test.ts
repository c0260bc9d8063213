import { makeAuthority, makeClientCertificate } from '../../../src/foundation/certificates/authority';
import { sharedStack } from '../../setup/stack';
import { send } from '../client';
import { EntranceCaller, seededTpp, withoutCertificate } from './tpp';

const { credentials, apiUrl } = sharedStack();
const { authUrl, tpp } = credentials;
const tppCaller = seededTpp(credentials);
const other = seededTpp({ authUrl, tpp: credentials.other.tpp });
const browser = withoutCertificate(credentials);
afterAll(() => {
  for (const caller of [tppCaller, other, browser]) caller.close();
});

const GRANT = { grant_type: 'client_credentials' };

test.each([['accounts'], ['payments'], ['fundsconfirmations'], ['accounts payments']])(
  'the certificate names the client, and gets a token for %s',
  async (scope) => {
    const { status, body } = await tppCaller.token({ ...GRANT, scope });
    expect([status, body]).toEqual([
      200,
      { access_token: expect.stringMatching(/^[\w-]{40,}$/), token_type: 'Bearer', expires_in: 10_000, scope },
    ]);
  },
);

test('the client may name itself too', async () => {
  expect(await tppCaller.token({ ...GRANT, scope: 'accounts', client_id: tpp.clientId })).toMatchObject({
    status: 200,
  });
});

test.each([
  ['an unknown scope', { ...GRANT, scope: 'accounts admin' }, 400, 'invalid_scope'],
  ['no scope', GRANT, 400, 'invalid_scope'],
  ['another grant type', { grant_type: 'password', scope: 'accounts' }, 400, 'unsupported_grant_type'],
  ['no grant type', { scope: 'accounts' }, 400, 'invalid_request'],
  [
    'the id of another client',
    { ...GRANT, scope: 'accounts', client_id: credentials.other.tpp.clientId },
    401,
    'invalid_client',
  ],
])('%s is refused', async (_, form, status, error) => {
  expect(await tppCaller.token(form)).toMatchObject({ status, body: { error } });
});

test('no certificate, or one that nobody knows, gets no token', async () => {
  const stranger = new EntranceCaller(authUrl, tpp.caPath, await selfMade('tpp'));
  try {
    for (const caller of [browser, stranger])
      expect(await caller.token({ ...GRANT, scope: 'accounts' })).toMatchObject({
        status: 401,
        body: { error: 'invalid_client' },
      });
  } finally {
    stranger.close();
  }
});

/** Has the subject of a registered provider, and an issuer that nobody trusts. */
async function selfMade(name: string) {
  const { certificate, key } = await makeClientCertificate(await makeAuthority(), name);
  return { cert: certificate, key };
}

test('every answer has an interaction id: the one that was sent, or a new one', async () => {
  const sent = { 'x-fapi-interaction-id': '93bac548-d2de-4546-b106-880a5018460d' };
  expect((await browser.send('/jwks', { headers: sent })).headers).toMatchObject(sent);
  expect((await browser.send('/nowhere')).headers['x-fapi-interaction-id']).toMatch(/^[0-9a-f-]{36}$/);
});

test('a browser reads discovery and keys without a certificate', async () => {
  const discovery = await browser.send('/.well-known/openid-configuration');
  expect(discovery.body).toMatchObject({
    issuer: authUrl,
    tls_client_certificate_bound_access_tokens: true,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    request_object_signing_alg_values_supported: ['PS256', 'ES256'],
    id_token_signing_alg_values_supported: ['PS256'],
  });
  const { keys } = (await browser.send('/jwks')).body;
  const signing = (await browser.send('/open-banking/2.0.0/.well-known/jwks.json')).body.keys;
  expect(signing.map(({ kid }: { kid: string }) => kid)).toEqual(keys.map(({ kid }: { kid: string }) => kid));
  for (const key of [...keys, ...signing]) expect(key).not.toHaveProperty('d');
});

const authorize = (more: Record<string, string>) =>
  browser.send(
    `/authorize?${new URLSearchParams({
      client_id: tpp.clientId,
      response_type: 'code',
      scope: 'accounts',
      redirect_uri: tpp.redirectUri,
      state: 'a-state',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
      ...more,
    })}`,
  );

test.each([
  ['another path', '/elsewhere'],
  ['a further segment', '/tpp/callback/more'],
  ['a query', '/tpp/callback?next=1'],
])('a redirect URI with %s gets a page, and nobody is redirected', async (_, path) => {
  const { status, headers } = await authorize({ redirect_uri: new URL(path, credentials.simulatorUrl).href });
  expect([status, headers.location]).toEqual([400, undefined]);
});

test.each([
  ['no consent', {}, 'invalid_request'],
  ['an unknown consent', { consent_id: 'con_01m82h7cdeeczb5tndfb36dwzw' }, 'invalid_request'],
  ['the plain form of PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['no PKCE', { code_challenge: '', code_challenge_method: '' }, 'invalid_request'],
  ['a request object that nobody signed', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'invalid_request_object'],
])('the provider is told about %s, with the issuer', async (_, more, error) => {
  const { status, headers } = await authorize(more);
  const { searchParams } = new URL(headers.location!);
  expect([status, searchParams.get('error'), searchParams.get('iss')]).toEqual([303, error, authUrl]);
});

test('the plain port names the entrance for what is served there', async () => {
  const { paths } = (await send(`${apiUrl}/openapi.json`)).body;
  const served = Object.entries<Record<string, { servers?: unknown }>>(paths).filter(([, item]) => item.get?.servers);
  for (const [path] of served) {
    const { status, body } = await send(apiUrl + path.replace(/\{\w+\}/g, 'x'));
    expect([path, status, body.message]).toEqual([path, 401, expect.stringContaining(authUrl)]);
  }
});
