import { createHash } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import * as client from 'openid-client';
import { Agent, fetch as fetchOver } from 'undici';
import { signingKey } from '../../setup/certificates';
import { sharedStack } from '../../setup/stack';
import { actorsOf } from '../client';
import { type Member, newMember } from '../page-visitors';
import { Topups } from '../topups';
import { RegisteredTpp } from './registered';
import { type Asked, answerIn, type Made, type Params, Requests } from './requests';
import { withoutCertificate } from './tpp';

/**
 * The published tests of the OpenID Foundation for the bank's side, under their own names: FAPI 1.0 Advanced and FAPI 2.0
 * Security Profile. Two that wait for a minute to pass (an expired code, an expired `request_uri`) are not among them, and
 * `test-essential-acr-sca-claim` is in `strength.test.ts`.
 */

const { credentials } = sharedStack();
const { authUrl } = credentials;
const REDIRECT_URI = 'https://tpp.example/callback';
const ACCOUNTS = '/open-banking/2.0.0/accounts';

const browser = withoutCertificate(credentials);
const dispatchers: Agent[] = [];
const providers: RegisteredTpp[] = [];
/** One of FAPI 1.0 Advanced, and one of FAPI 2.0. */
let advanced: Requests;
let second: Requests;
/** Another provider of FAPI 1.0 Advanced. */
let rival: Requests;

beforeAll(async () => {
  const { tenantAdmin } = await actorsOf(credentials);
  const eve = await newMember(tenantAdmin);
  await new Topups(tenantAdmin).made(eve.customerId);
  // PKCE only where the standard asks for it: with pushed requests.
  const hybrid = { response_type: 'code id_token', code_challenge: undefined, code_challenge_method: undefined };
  advanced = await requestsOf(eve, 'fapi1_advanced', hybrid);
  rival = await requestsOf(eve, 'fapi1_advanced', hybrid);
  second = await requestsOf(eve, 'fapi2', { response_type: 'code' });
});
afterAll(async () => {
  browser.close();
  for (const provider of providers) provider.close();
  await Promise.all(dispatchers.map((dispatcher) => dispatcher.close()));
});

async function requestsOf(member: Member, profile: string, defaults: Params): Promise<Requests> {
  const tpp = await RegisteredTpp.register({ profile, redirectUris: [REDIRECT_URI] });
  providers.push(tpp);
  return new Requests(tpp, member, browser, defaults);
}

/** The library, set up for one provider: it verifies every signature. */
async function libraryOf({ tpp }: Requests, ...features: ((config: client.Configuration) => void)[]) {
  const dispatcher = new Agent({ connect: { ca: tpp.caller.ca, ...tpp.shown } });
  dispatchers.push(dispatcher);
  const overTls = (url: string, init: object) => fetchOver(url, { ...init, dispatcher });
  const metadata = { id_token_signed_response_alg: 'PS256', authorization_signed_response_alg: 'PS256' };
  return client.discovery(new URL(authUrl), tpp.id, metadata, client.TlsClientAuth(), {
    [client.customFetch]: overTls as unknown as client.CustomFetch,
    execute: [client.enableNonRepudiationChecks, ...features],
  });
}

const at = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
const reads = async ({ tpp }: Requests, token: string): Promise<number> =>
  (await tpp.caller.send(ACCOUNTS, { headers: { authorization: `Bearer ${token}` } })).status;
const CHECKS = { expectedState: 'a-state', expectedNonce: 'a-nonce', idTokenExpected: true };
/** A parameter of the form that `Asked` has, for requests that are pushed: with PKCE. */
const pushedOf = async (requests: Requests, changed: Params = {}): Promise<Asked> => {
  const asked = await requests.asked();
  const challenge = createHash('sha256').update(asked.verifier).digest('base64url');
  return {
    ...asked,
    params: { ...asked.params, code_challenge: challenge, code_challenge_method: 'S256', ...changed },
  };
};
/** A pushed request as its profile has it: signed, or not. */
const formOf = async (requests: Requests, { params }: Asked, made?: Made): Promise<Params> =>
  requests === second ? params : { client_id: params.client_id, request: await requests.object({ params }, made) };

describe('FAPI 1.0 Advanced', () => {
  test('fapi1-advanced-final: the id token beside the code signs both, and both lead to accounts', async () => {
    const config = await libraryOf(
      advanced,
      client.useCodeIdTokenResponseType,
      client.enableDetachedSignatureResponseChecks,
    );
    const asked = await advanced.asked();
    const back = await advanced.decided(await advanced.byValue(asked));
    expect([back.origin + back.pathname, back.search]).toEqual([REDIRECT_URI, '']);
    const { id_token, code } = answerIn(back);
    expect(decodeProtectedHeader(id_token!).alg).toBe('PS256');
    const half = (text: string) => createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url');
    expect(decodeJwt(id_token!)).toMatchObject({
      iss: authUrl,
      aud: advanced.tpp.id,
      nonce: 'a-nonce',
      s_hash: half('a-state'),
      c_hash: half(code!),
      openbanking_intent_id: asked.consentId,
      acr: 'urn:openbanking:psd2:ca',
    });
    const tokens = await client.authorizationCodeGrant(config, back, CHECKS);
    expect(tokens.claims()).toMatchObject({ openbanking_intent_id: asked.consentId });
    expect(await reads(advanced, tokens.access_token)).toBe(200);
  });

  test('with response_mode=jwt the code comes in a signed answer (JARM), also the refusal of a customer', async () => {
    const config = await libraryOf(advanced, client.useJwtResponseMode);
    const jarm = { response_type: 'code', response_mode: 'jwt' };
    const asked = await advanced.asked(jarm);
    const back = await advanced.decided(await advanced.byValue(asked));
    expect(Object.keys(answerIn(back))).toEqual(['response']);
    expect(decodeProtectedHeader(answerIn(back).response!).alg).toBe('PS256');
    const tokens = await client.authorizationCodeGrant(config, back, CHECKS);
    expect(await reads(advanced, tokens.access_token)).toBe(200);
    const refused = await advanced.decided(await advanced.byValue(await advanced.asked(jarm)), 'refuse');
    expect(decodeJwt(answerIn(refused).response!)).toMatchObject({ error: 'access_denied', aud: advanced.tpp.id });
  });

  test('a request object that is pushed leads to the same, with PKCE', async () => {
    const asked = await pushedOf(advanced);
    const back = await advanced.decided(await advanced.pushed(await formOf(advanced, asked)));
    const { status, body } = await advanced.exchange(back, asked);
    expect(status).toBe(200);
    expect(await reads(advanced, body.access_token)).toBe(200);
  });

  test('fapi1-advanced-final-user-rejects-authentication', async () => {
    const back = await advanced.decided(await advanced.byValue(await advanced.asked()), 'refuse');
    expect(answerIn(back)).toMatchObject({ error: 'access_denied', state: 'a-state' });
  });

  const stranger = signingKey('stranger').privateKey;
  test.each<[name: string, error: string, made: () => Made]>([
    ['ensure-request-object-without-exp-fails', 'invalid_request_object', () => ({ claims: { exp: undefined } })],
    ['ensure-request-object-without-nbf-fails', 'invalid_request_object', () => ({ claims: { nbf: undefined } })],
    ['ensure-request-object-with-exp-over-60-fails', 'invalid_request_object', () => ({ claims: { exp: at(4_200) } })],
    ['ensure-request-object-with-nbf-over-60-fails', 'invalid_request_object', () => ({ claims: { nbf: at(-4_200) } })],
    ['ensure-expired-request-object-fails', 'invalid_request_object', () => ({ claims: { exp: at(-300) } })],
    ['ensure-request-object-with-bad-aud-fails', 'invalid_request_object', () => ({ claims: { aud: `${authUrl}/x` } })],
    ['ensure-signed-request-object-with-RS256-fails', 'invalid_request_object', () => ({ alg: 'RS256' })],
    ['ensure-request-object-signature-algorithm-is-not-none', 'invalid_request_object', () => ({ alg: 'none' })],
    ['ensure-request-object-with-invalid-signature-fails', 'invalid_request_object', () => ({ key: stranger })],
    ['ensure-matching-key-in-authorization-request', 'invalid_request_object', () => ({ key: rival.tpp.key })],
    ['ensure-request-object-without-nonce-fails', 'invalid_request', () => ({ claims: { nonce: undefined } })],
    ['ensure-request-object-without-scope-fails', 'invalid_request', () => ({ claims: { scope: undefined } })],
    ['ensure-request-object-without-redirect-uri-fails', 'stays', () => ({ claims: { redirect_uri: undefined } })],
    ['ensure-registered-redirect-uri', 'stays', () => ({ claims: { redirect_uri: `${REDIRECT_URI}/more` } })],
    ['ensure-response-mode-query', 'invalid_request', () => ({ claims: { response_mode: 'query' } })],
    ['ensure-response-type-code-fails', 'invalid_request', () => ({ claims: { response_type: 'code' } })],
  ])('fapi1-advanced-final-%s', async (_, error, made) => {
    expect(await advanced.outcome(await advanced.byValue(await advanced.asked(), made()))).toBe(error);
  });

  test('fapi1-advanced-final-ensure-authorization-request-without-request-object-fails', async () => {
    const { params } = await advanced.asked();
    expect(await advanced.outcome(advanced.plain(params))).toBe('invalid_request');
    const pushed = await advanced.push((await pushedOf(advanced)).params);
    expect([pushed.status, pushed.body.error]).toEqual([400, 'invalid_request']);
  });

  test('fapi1-advanced-final-ensure-server-handles-non-matching-intent-id', async () => {
    const { consentId } = await rival.asked();
    const claims = JSON.stringify({ id_token: { openbanking_intent_id: { value: consentId, essential: true } } });
    expect(await advanced.outcome(await advanced.byValue(await advanced.asked({ claims })))).toBe('invalid_request');
  });

  test.each<[name: string, changed: Params, claims: object]>([
    ['ensure-request-object-with-multiple-aud-succeeds', {}, { aud: ['https://other.example', authUrl] }],
    ['ensure-request-object-with-long-state', { state: 's'.repeat(384) }, {}],
    ['ensure-request-object-with-long-nonce', { nonce: 'n'.repeat(384) }, {}],
    ['ensure-request-object-with-64-char-nonce-success', { nonce: 'n'.repeat(64) }, {}],
    ['ensure-other-scope-order-succeeds', { scope: 'accounts openid' }, {}],
  ])('fapi1-advanced-final-%s', async (_, changed, claims) => {
    const asked = await advanced.asked(changed);
    const back = await advanced.decided(await advanced.byValue(asked, { claims }));
    const { id_token, state } = answerIn(back);
    expect([decodeJwt(id_token!).nonce, state]).toEqual([asked.params.nonce, asked.params.state]);
    expect((await advanced.exchange(back, asked)).status).toBe(200);
  });

  test('fapi1-advanced-final-ensure-valid-pkce-succeeds, and without its verifier the code is worth nothing', async () => {
    const asked = await pushedOf(advanced);
    const back = await advanced.decided(await advanced.byValue(asked));
    expect((await advanced.exchange(back, asked, { code_verifier: undefined })).body.error).toBe('invalid_grant');
    expect((await advanced.exchange(back, asked)).status).toBe(200);
  });

  test('fapi1-advanced-final-ensure-different-nonce-inside-and-outside-request-object: the signed one counts', async () => {
    const asked = await advanced.asked();
    const back = await advanced.decided(await advanced.byValue(asked, {}, { nonce: 'another' }));
    expect(decodeJwt(answerIn(back).id_token!).nonce).toBe('a-nonce');
  });

  test('fapi1-advanced-final-ensure-authorization-request-without-state-success: one outside is not used', async () => {
    const asked = await advanced.asked({ state: undefined });
    const back = await advanced.decided(await advanced.byValue(asked, {}, { state: 'outside' }));
    expect(answerIn(back)).not.toHaveProperty('state');
    expect(decodeJwt(answerIn(back).id_token!)).not.toHaveProperty('s_hash');
    expect((await advanced.exchange(back, asked)).status).toBe(200);
  });

  test('a request object is good once, also without a jti', async () => {
    const path = await advanced.byValue(await advanced.asked(), { claims: { jti: undefined } });
    expect([await advanced.outcome(path), await advanced.outcome(path)]).toEqual(['page', 'invalid_request_object']);
  });

  test('a provider of another profile gets no id token beside its code', async () => {
    const path = await second.pushed((await second.asked()).params);
    expect(await second.outcome(path)).toBe('page');
    const { body } = await second.push((await second.asked({ response_type: 'code id_token' })).params);
    expect(body.error).toBe('invalid_request');
  });
});

describe('FAPI 2.0 Security Profile', () => {
  test('fapi2-security-profile-final-happy-flow', async () => {
    const config = await libraryOf(second);
    const asked = await second.asked();
    const back = await second.decided(await second.pushed(asked.params));
    expect(answerIn(back).iss).toBe(authUrl);
    const tokens = await client.authorizationCodeGrant(config, back, { ...CHECKS, pkceCodeVerifier: asked.verifier });
    expect(await reads(second, tokens.access_token)).toBe(200);
  });

  test('fapi2-security-profile-final-user-rejects-authentication', async () => {
    const back = await second.decided(await second.pushed((await second.asked()).params), 'refuse');
    expect(answerIn(back)).toMatchObject({ error: 'access_denied', state: 'a-state', iss: authUrl });
  });

  test.each<[name: string, changed: Params]>([
    ['ensure-authorization-request-without-state-success', { state: undefined }],
    ['ensure-authorization-request-without-nonce-success', { nonce: undefined }],
    ['ensure-authorization-request-with-64-char-nonce-success', { nonce: 'n'.repeat(64) }],
    ['ensure-authorization-request-with-long-nonce', { nonce: 'n'.repeat(384) }],
    ['ensure-authorization-request-with-long-state', { state: 's'.repeat(384) }],
    ['ensure-other-scope-order-succeeds', { scope: 'accounts openid' }],
  ])('fapi2-security-profile-final-%s', async (_, changed) => {
    const asked = await second.asked(changed);
    const back = await second.decided(await second.pushed(asked.params));
    expect(answerIn(back).state).toBe(asked.params.state);
    const { body } = await second.exchange(back, asked);
    expect(decodeJwt(body.id_token).nonce).toBe(asked.params.nonce);
  });

  test.each<[name: string, changed: Params, error: string]>([
    ['ensure-request-object-without-redirect-uri-fails', { redirect_uri: undefined }, 'invalid_request'],
    ['ensure-registered-redirect-uri', { redirect_uri: `${REDIRECT_URI}/more` }, 'invalid_request'],
    ['ensure-response-type-code-idtoken-fails', { response_type: 'code id_token' }, 'invalid_request'],
    ['ensure-response-type-token-fails', { response_type: 'token' }, 'unsupported_response_type'],
    ['par-plain-pkce-rejected', { code_challenge_method: 'plain' }, 'invalid_request'],
    [
      'par-authorization-request-containing-request_uri-form-param',
      { request_uri: 'urn:ietf:params:oauth:request_uri:x' },
      'request_uri_not_supported',
    ],
  ])('fapi2-security-profile-final-%s', async (_, changed, error) => {
    const { status, body } = await second.push((await second.asked(changed)).params);
    expect([status, body.error]).toEqual([400, error]);
  });

  test.each<[name: string, beside: Params]>([
    ['ensure-different-nonce-inside-and-outside-request-object', { nonce: 'another' }],
    ['ensure-different-state-inside-and-outside-request-object', { state: 'another' }],
    ['state-only-outside-request-object-not-used', { state: 'another', scope: 'openid payments' }],
    ['ensure-redirect-uri-in-authorization-request', { redirect_uri: 'https://evil.example' }],
  ])('fapi2-security-profile-final-%s: what was pushed counts', async (_, beside) => {
    const asked = await second.asked();
    const path = await second.pushed(asked.params);
    const back = await second.decided(`${path}&${new URLSearchParams(beside as Record<string, string>)}`);
    expect([back.origin + back.pathname, answerIn(back).state]).toEqual([REDIRECT_URI, 'a-state']);
    const { body } = await second.exchange(back, asked);
    expect([decodeJwt(body.id_token).nonce, body.scope]).toEqual(['a-nonce', 'openid accounts']);
  });

  test('fapi2-security-profile-final-ensure-unsigned-authorization-request-without-using-par-fails', async () => {
    expect(await second.outcome(second.plain((await second.asked()).params))).toBe('invalid_request');
  });

  test('fapi2-security-profile-final-test-claims-parameter-identity-claims: those for userinfo are passed over', async () => {
    const { consentId, params } = await second.asked();
    const intent = { openbanking_intent_id: { value: consentId }, family_name: null };
    const path = await second.pushed({ ...params, claims: JSON.stringify({ userinfo: intent, id_token: intent }) });
    expect(await second.outcome(path)).toBe('page');
    const wrong = await second.push({ ...params, claims: JSON.stringify({ userinfo: { family_name: 'x' } }) });
    expect(wrong.body.error).toBe('invalid_request');
  });
});

describe.each([
  ['fapi1-advanced-final', () => advanced],
  ['fapi2-security-profile-final', () => second],
] as const)('%s', (_, profile) => {
  test('refresh-token', async () => {
    const requests = profile();
    const asked = await pushedOf(requests);
    const back = await requests.decided(await requests.pushed(await formOf(requests, asked)));
    const { body } = await requests.exchange(back, asked);
    const form = { grant_type: 'refresh_token', refresh_token: body.refresh_token };
    const renewed = await requests.tpp.caller.token(form);
    expect(await reads(requests, renewed.body.access_token)).toBe(200);
    expect((await rival.tpp.caller.token(form)).body.error).toBe('invalid_grant');
  });

  test('ensure-authorization-code-is-bound-to-client, ensure-holder-of-key-required, client id, code reuse', async () => {
    const requests = profile();
    const asked = await pushedOf(requests);
    const back = await requests.decided(await requests.pushed(await formOf(requests, asked)));
    expect((await requests.exchange(back, asked, {}, rival.tpp.caller)).body.error).toBe('invalid_grant');
    expect((await requests.exchange(back, asked, {}, browser)).status).toBe(401);
    expect((await requests.exchange(back, asked, { client_id: rival.tpp.id })).status).toBe(401);
    const { body } = await requests.exchange(back, asked);
    const headers = { authorization: `Bearer ${body.access_token}` };
    expect((await rival.tpp.caller.send(ACCOUNTS, { headers })).status).toBe(401);
    expect((await browser.send(ACCOUNTS, { headers })).status).toBe(401);
    const lower = { authorization: `bearer ${body.access_token}` };
    expect((await requests.tpp.caller.send(ACCOUNTS, { headers: lower })).status).toBe(200);
    // A second use ends what the first has given.
    expect((await requests.exchange(back, asked)).body.error).toBe('invalid_grant');
    expect(await reads(requests, body.access_token)).toBe(401);
  });

  test('par-attempt-reuse-request_uri, par-ensure-request-uri-is-bound-to-client', async () => {
    const requests = profile();
    const asked = await pushedOf(requests);
    const path = await requests.pushed(await formOf(requests, asked));
    expect(await requests.outcome(path.replace(requests.tpp.id, rival.tpp.id))).not.toBe('page');
    await requests.decided(path);
    expect(await requests.outcome(path)).not.toBe('page');
  });

  test('par-attempt-invalid-http-method', async () => {
    const form = await formOf(profile(), await pushedOf(profile()));
    const query = new URLSearchParams(form as Record<string, string>);
    expect((await profile().tpp.caller.send(`/par?${query}`)).status).toBe(405);
    expect((await profile().tpp.caller.send('/par', { method: 'PUT', form: query })).status).toBe(405);
  });

  test('par-ensure-pkce-required, ensure-pkce-code-verifier-required, incorrect-pkce-code-verifier-rejected', async () => {
    const requests = profile();
    const none = await pushedOf(requests, { code_challenge: undefined, code_challenge_method: undefined });
    const { body } = await requests.push(await formOf(requests, none));
    expect(body.error).toBe('invalid_request');
    const asked = await pushedOf(requests);
    const back = await requests.decided(await requests.pushed(await formOf(requests, asked)));
    for (const code_verifier of [undefined, 'w'.repeat(43)])
      expect((await requests.exchange(back, asked, { code_verifier })).body.error).toBe('invalid_grant');
    expect((await requests.exchange(back, asked)).status).toBe(200);
  });

  test('par-without-duplicate-parameters, and a push over no certificate is refused', async () => {
    const requests = profile();
    const form = await formOf(requests, await pushedOf(requests));
    const { body } = await requests.push(form);
    expect(body).toEqual({ request_uri: expect.stringMatching(/^urn:/), expires_in: 60 });
    expect((await requests.push(form, browser)).status).toBe(401);
  });
});

test('fapi1-advanced-final-par-request-object: a pushed one is held to the same rules', async () => {
  const asked = await pushedOf(advanced);
  for (const made of [{ claims: { aud: 'https://other.example' } }, { key: rival.tpp.key }, { alg: 'RS256' }]) {
    const { status, body } = await advanced.push(await formOf(advanced, asked, made));
    expect([status, body.error]).toEqual([400, 'invalid_request_object']);
  }
});
