import { type KeyObject, randomUUID, webcrypto } from 'node:crypto';
import { SignJWT, UnsecuredJWT } from 'jose';
import * as client from 'openid-client';
import { Agent, fetch as fetchOver } from 'undici';
import { signingKey } from '../../setup/certificates';
import { sharedStack } from '../../setup/stack';
import { type Actors, actorsOf, type Json } from '../client';
import { codeTo, lettersTo, type Member, newMember, PASSWORD } from '../page-visitors';
import { Topups } from '../topups';
import { accountsIn, Customer, type Journey } from './journey';
import { RegisteredTpp } from './registered';
import { seededTpp, withoutCertificate } from './tpp';

/** A library that others have written and certified walks through the authorization server, as a provider would use it. */

const { credentials, apiUrl } = sharedStack();
const { authUrl } = credentials;
const ACCOUNTS = '/open-banking/2.0.0/accounts';
const SCOPE = 'openid accounts';
const [CA, SCA] = ['urn:openbanking:psd2:ca', 'urn:openbanking:psd2:sca'];

const browser = withoutCertificate(credentials);
const other = seededTpp({ authUrl, tpp: credentials.other.tpp });
const agents: Agent[] = [];
let actors: Actors;
let eve: Member;
let fapi1: RegisteredTpp;
let fapi2: RegisteredTpp;

beforeAll(async () => {
  actors = await actorsOf(credentials);
  [eve, fapi1, fapi2] = await Promise.all([
    newMember(actors.tenantAdmin),
    RegisteredTpp.register(),
    RegisteredTpp.register({ profile: 'fapi2' }),
  ]);
  await new Topups(actors.tenantAdmin).made(eve.customerId);
});
afterAll(async () => {
  for (const one of [browser, other, fapi1, fapi2]) one?.close();
  await Promise.all(agents.map((agent) => agent.close()));
});

/** The library, as this provider has set it up: it verifies the signature of id tokens too. */
function discovered(tpp: RegisteredTpp): Promise<client.Configuration> {
  const connect = { ca: tpp.provider.caller.ca, ...tpp.shown };
  const dispatcher = new Agent({ connect });
  agents.push(dispatcher);
  const overTls = (url: string, init: object) => fetchOver(url, { ...init, dispatcher });
  return client.discovery(new URL(authUrl), tpp.id, { id_token_signed_response_alg: 'PS256' }, client.TlsClientAuth(), {
    [client.customFetch]: overTls as unknown as client.CustomFetch,
    execute: [client.enableNonRepudiationChecks],
  });
}

/** What one authorization request is made of, and what the provider has to remember of it. */
async function asked(tpp: RegisteredTpp, changed: Record<string, string | undefined> = {}) {
  const { consentId } = await tpp.provider.accountConsent(eve.customerId);
  const checks = {
    pkceCodeVerifier: client.randomPKCECodeVerifier(),
    expectedState: client.randomState(),
    expectedNonce: client.randomNonce(),
    idTokenExpected: true,
  };
  const all = {
    redirect_uri: tpp.credentials.tpp.redirectUri,
    scope: SCOPE,
    consent_id: consentId,
    state: checks.expectedState,
    nonce: checks.expectedNonce,
    code_challenge: await client.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
    code_challenge_method: 'S256',
    ...changed,
  };
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { consentId: consentId as string, checks, params: Object.fromEntries(given) };
}

const startOf = (url: URL) => ({ start: url.pathname + url.search }) as Journey;

/** The customer signs in and confirms. Answers where the customer comes back to. */
async function confirmed(url: URL): Promise<URL> {
  const customer = new Customer(browser);
  const { page, shown } = await customer.signIn(startOf(url), eve);
  return customer.decide(page, 'confirm', accountsIn(shown));
}

/** What the bank answers to a request that it refuses. */
async function refused(url: URL): Promise<string | null> {
  const { headers } = await browser.send(url.pathname + url.search);
  if (!headers.location?.startsWith('http')) throw new Error('not sent back');
  const { searchParams } = new URL(headers.location);
  expect(searchParams.get('iss')).toBe(authUrl);
  return searchParams.get('error');
}

const codeOf = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    ({ error, code }: Json) => error ?? code,
  );

test('discovery, request, code, id token, refresh: a provider of FAPI 1.0 reads accounts', async () => {
  const config = await discovered(fapi1);
  const { consentId, checks, params } = await asked(fapi1);
  const back = await confirmed(client.buildAuthorizationUrl(config, params));
  const tokens = await client.authorizationCodeGrant(config, back, checks);
  expect(tokens.claims()).toMatchObject({
    iss: authUrl,
    aud: fapi1.id,
    sub: eve.customerId,
    // Nobody has asked for these two: the UK standard has them always.
    openbanking_intent_id: consentId,
    acr: CA,
  });
  const renewed = await client.refreshTokenGrant(config, tokens.refresh_token!);
  expect(renewed.claims()).toMatchObject({ sub: eve.customerId, openbanking_intent_id: consentId, acr: CA });
  for (const { access_token } of [tokens, renewed]) {
    const headers = { authorization: `Bearer ${access_token}` };
    expect((await fapi1.caller.send(ACCOUNTS, { headers })).status).toBe(200);
    for (const elsewhere of [browser, other, fapi2.caller])
      expect((await elsewhere.send(ACCOUNTS, { headers })).status).toBe(401);
  }
});

test('an id token says that there was a second factor', async () => {
  const member = await newMember(actors.tenantAdmin, 'Grace Careful');
  await new Topups(actors.tenantAdmin).made(member.customerId);
  const set = await fetch(`${apiUrl}/customer/1.0.0/twoFA/changeTwoFa/${member.customerId}`, {
    method: 'PUT',
    headers: { ...actors.tenantAdmin.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ login: true }),
  });
  expect(set.status).toBe(200);
  const config = await discovered(fapi1);
  const { consentId } = await fapi1.provider.accountConsent(member.customerId);
  const { checks, params } = await asked(fapi1, { consent_id: consentId });
  const customer = new Customer(browser);
  const page = await customer.open(startOf(client.buildAuthorizationUrl(config, params)));
  const earlier = await lettersTo(apiUrl, member.email);
  await customer.send(`${page}/sign-in`, new URLSearchParams({ name: member.email, password: PASSWORD }));
  // The password alone shows nothing of the consent.
  expect((await customer.send(page)).headers.location).toContain('/sign-in');
  const code = await codeTo(apiUrl, member.email, earlier);
  await customer.send(`${page}/sign-in/code`, new URLSearchParams({ code }));
  const back = await customer.decide(page, 'confirm', accountsIn(await customer.send(page)));
  const tokens = await client.authorizationCodeGrant(config, back, checks);
  expect(tokens.claims()).toMatchObject({ openbanking_intent_id: consentId, acr: SCA });
});

test('a provider of FAPI 2.0 pushes its request; without that it is refused', async () => {
  const config = await discovered(fapi2);
  const plain = await asked(fapi2);
  expect(await refused(client.buildAuthorizationUrl(config, plain.params))).toBe('invalid_request');
  const { consentId, checks, params } = await asked(fapi2);
  const url = await client.buildAuthorizationUrlWithPAR(config, params);
  expect([...url.searchParams.keys()].sort()).toEqual(['client_id', 'request_uri']);
  const tokens = await client.authorizationCodeGrant(config, await confirmed(url), checks);
  expect(tokens.claims()).toMatchObject({ openbanking_intent_id: consentId });
  // A pushed request is good once.
  expect(`${(await browser.send(url.pathname + url.search)).headers.location}`).not.toContain('/interaction/');
});

test.each<[what: string, changed: Record<string, string | undefined>, error: string]>([
  ['without PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
  ['with the plain form of PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['with a redirect URI that is not registered', { redirect_uri: 'https://evil.example/callback' }, 'invalid_request'],
  ['with an unknown scope', { scope: 'openid accounts admin' }, 'invalid_scope'],
  ['with the scope of another kind of consent', { scope: 'openid payments' }, 'invalid_scope'],
])('a pushed request %s is refused', async (_, changed, error) => {
  const config = await discovered(fapi2);
  const { params } = await asked(fapi2, changed);
  expect(await codeOf(client.buildAuthorizationUrlWithPAR(config, params))).toBe(error);
});

test('an unknown scope comes back to the provider as invalid_scope', async () => {
  const config = await discovered(fapi1);
  const { params } = await asked(fapi1, { scope: 'openid accounts admin' });
  expect(await refused(client.buildAuthorizationUrl(config, params))).toBe('invalid_scope');
});

test('a code is its provider’s alone, over its own certificate, and dies with a second use', async () => {
  const [config, foreign] = await Promise.all([discovered(fapi1), discovered(fapi2)]);
  const { checks, params } = await asked(fapi1);
  const back = await confirmed(client.buildAuthorizationUrl(config, params));
  expect(await codeOf(client.authorizationCodeGrant(foreign, back, checks))).toBe('invalid_grant');
  const tries = await Promise.allSettled(
    Array.from({ length: 6 }, () => client.authorizationCodeGrant(config, back, checks)),
  );
  const won = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  expect(won.length).toBeLessThanOrEqual(1);
  for (const { access_token, refresh_token } of won) {
    expect(await codeOf(client.refreshTokenGrant(config, refresh_token!))).toBe('invalid_grant');
    const headers = { authorization: `Bearer ${access_token}` };
    expect((await fapi1.caller.send(ACCOUNTS, { headers })).status).toBe(401);
  }
});

test('a disabled provider cannot exchange its code, push or refresh', async () => {
  const tpp = await RegisteredTpp.register();
  try {
    const config = await discovered(tpp);
    const { checks, params } = await asked(tpp);
    const tokens = await client.authorizationCodeGrant(
      config,
      await confirmed(client.buildAuthorizationUrl(config, params)),
      checks,
    );
    const next = await asked(tpp);
    const back = await confirmed(client.buildAuthorizationUrl(config, next.params));
    await tpp.act('disable');
    const errors = await Promise.all([
      codeOf(client.authorizationCodeGrant(config, back, next.checks)),
      codeOf(client.refreshTokenGrant(config, tokens.refresh_token!)),
      codeOf(client.buildAuthorizationUrlWithPAR(config, params)),
      codeOf(client.clientCredentialsGrant(config, { scope: 'accounts' })),
    ]);
    expect(errors).toEqual(Array(4).fill('invalid_client'));
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    expect((await tpp.caller.send(ACCOUNTS, { headers })).status).toBe(401);
  } finally {
    tpp.close();
  }
});

describe('a signed request object', () => {
  const signer = (tpp: RegisteredTpp) =>
    webcrypto.subtle.importKey(
      'pkcs8',
      tpp.key.export({ type: 'pkcs8', format: 'der' }),
      { name: 'RSA-PSS', hash: 'SHA-256' },
      false,
      ['sign'],
    );
  const intent = (consentId: string) =>
    JSON.stringify({ id_token: { openbanking_intent_id: { value: consentId, essential: true } } });

  test('names the consent as the UK standard does, and is good once', async () => {
    const config = await discovered(fapi1);
    const { consentId, checks, params } = await asked(fapi1, { consent_id: undefined });
    const key = { key: (await signer(fapi1)) as webcrypto.CryptoKey, kid: 'signing-1' };
    const url = await client.buildAuthorizationUrlWithJAR(config, { ...params, claims: intent(consentId) }, key);
    const tokens = await client.authorizationCodeGrant(config, await confirmed(url), checks);
    expect(tokens.claims()).toMatchObject({ openbanking_intent_id: consentId });
    url.searchParams.set('redirect_uri', params.redirect_uri!);
    expect(await refused(url)).toBe('invalid_request_object');
  });

  test('cannot name one consent, and its claims another', async () => {
    const config = await discovered(fapi1);
    const { params } = await asked(fapi1);
    const { consentId } = await fapi1.provider.accountConsent(eve.customerId);
    const key = { key: (await signer(fapi1)) as webcrypto.CryptoKey, kid: 'signing-1' };
    const url = await client.buildAuthorizationUrlWithJAR(config, { ...params, claims: intent(consentId) }, key);
    url.searchParams.set('redirect_uri', params.redirect_uri!);
    expect(await refused(url)).toBe('invalid_request');
  });

  interface Made {
    alg?: string;
    kid?: string;
    key?: KeyObject;
    claims?: Json;
  }

  /** A request with an object that is right but for what `made` says. */
  async function requested({ alg = 'PS256', kid = 'signing-1', key = fapi1.key, claims = {} }: Made): Promise<URL> {
    const { params } = await asked(fapi1);
    const now = Math.floor(Date.now() / 1000);
    const payload = {
      ...params,
      client_id: fapi1.id,
      response_type: 'code',
      iss: fapi1.id,
      aud: authUrl,
      jti: randomUUID(),
      iat: now,
      nbf: now,
      exp: now + 300,
      ...claims,
    };
    const request =
      alg === 'none'
        ? new UnsecuredJWT(payload).encode()
        : await new SignJWT(payload).setProtectedHeader({ alg, kid }).sign(key);
    const url = new URL('/authorize', authUrl);
    const outside = { client_id: fapi1.id, response_type: 'code', scope: SCOPE, redirect_uri: params.redirect_uri! };
    for (const [name, value] of Object.entries({ ...outside, request })) url.searchParams.set(name, value);
    return url;
  }

  test('with nothing changed, it leads to the page', async () => {
    const { headers } = await browser.send((await requested({})).href.slice(authUrl.length));
    expect(headers.location).toContain('/interaction/');
  });

  const stranger = signingKey('stranger').privateKey;
  const at = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
  test.each<[what: string, made: () => Made]>([
    ['is not signed', () => ({ alg: 'none' })],
    ['is signed by RS256', () => ({ alg: 'RS256' })],
    ['names a key that the provider does not have', () => ({ kid: 'another' })],
    ['is signed by a stranger', () => ({ key: stranger })],
    ['has no end', () => ({ claims: { exp: undefined } })],
    ['has no beginning', () => ({ claims: { nbf: undefined } })],
    ['has ended', () => ({ claims: { nbf: at(-600), exp: at(-300) } })],
    ['has not begun', () => ({ claims: { nbf: at(600), exp: at(900) } })],
    ['lasts longer than an hour', () => ({ claims: { exp: at(3_700) } })],
    ['has an empty id', () => ({ claims: { jti: '' } })],
    ['is meant for another bank', () => ({ claims: { aud: 'https://other.example' } })],
    ['was made by another provider', () => ({ claims: { iss: 'tpp_other' } })],
  ])('that %s is refused', async (_, made) => {
    expect(await refused(await requested(made()))).toBe('invalid_request_object');
  });

  test('of six uses at once, one leads to the page', async () => {
    const url = await requested({});
    const replies = await Promise.all(Array.from({ length: 6 }, () => browser.send(url.pathname + url.search)));
    const pages = replies.filter(({ headers }) => headers.location?.includes('/interaction/'));
    expect(pages).toHaveLength(1);
  });
});
