import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FlattenedSign, SignJWT, UnsecuredJWT } from 'jose';
import { CLAIMS, CRITICAL } from '../../../src/open-banking/signatures/header';
import { selfSigned, signingKey } from '../../setup/certificates';
import { sharedStack } from '../../setup/stack';
import { type Actors, actorsOf, type Json } from '../client';
import { Transfers } from '../p2p';
import { codeIn, hiddenOf, type Member, newMember } from '../page-visitors';
import { Topups } from '../topups';
import { PAYMENT_CONSENTS, paymentTo } from './initiator';
import { accountsIn, Customer } from './journey';
import { issuedBySandbox, RegisteredTpp, showing } from './registered';
import { type EntranceCaller, type EntranceReply, withoutCertificate } from './tpp';

/**
 * Attacks on the entrance. Each is refused, stands in the audit log before it is answered, and leaves nothing behind: no
 * consent is made or moves, and no code or token is given out. docs/open-banking.md lists them.
 */

const { credentials, apiUrl } = sharedStack();
const { authUrl } = credentials;
const DAY_MS = 24 * 3_600_000;
const [ACCOUNTS, CONSENT] = ['/open-banking/2.0.0/accounts', '/open-banking/2.0.0/consent'];
const browser = withoutCertificate(credentials);
const opened: { close(): void }[] = [browser];
afterAll(() => {
  for (const one of opened) one.close();
});
const opening = <One extends { close(): void }>(one: One): One => {
  opened.push(one);
  return one;
};

let actors: Actors;
let eve: Member;
let creditor: string;
/** Whose things are stolen, and who steals them. */
let one: RegisteredTpp;
let two: RegisteredTpp;
/** A token of `one` to read Eve's accounts. */
let token: string;

const registered = async (...args: Parameters<typeof RegisteredTpp.register>) =>
  opening(await RegisteredTpp.register(...args));

beforeAll(async () => {
  actors = await actorsOf(credentials);
  const transfers = new Transfers(actors.tenantAdmin, actors);
  [eve, one, two, creditor] = await Promise.all([
    newMember(actors.tenantAdmin),
    registered(),
    registered(),
    transfers.member('1.00').then((payee) => transfers.ibanOf(payee)),
  ]);
  await new Topups(actors.tenantAdmin).made(eve.customerId);
  token = (await one.caller.token((await confirmed()).exchange())).body.access_token;
  expect((await one.caller.send(ACCOUNTS, { headers: bearing(token) })).status).toBe(200);
});

const bearing = (of: string) => ({ authorization: `Bearer ${of}` });
const ownToken = async (tpp: RegisteredTpp, scope = 'accounts') =>
  (await tpp.provider.bearer(scope)).authorization.slice(7);
const consentOf = async (tpp: RegisteredTpp): Promise<string> =>
  (await tpp.provider.accountConsent(eve.customerId)).consentId;

/** Eve confirms a consent for `one`: what it sends for its tokens. */
async function confirmed() {
  const journey = one.provider.journey(await one.provider.accountConsent(eve.customerId));
  const customer = new Customer(browser);
  const { page, shown } = await customer.signIn(journey, eve);
  const back = await customer.decide(page, 'confirm', accountsIn(shown));
  return { exchange: (more: Record<string, string> = {}) => journey.exchange(back, more) };
}

/** All consents of both, with what became of them. */
async function consents(): Promise<Json[]> {
  const lists = [one, two].map(async ({ id }) => {
    const { status, body } = await actors.tenantAdmin.get(`/consents/1.0.0/consents?tppId=${id}&limit=200`);
    expect([status, body.nextCursor]).toEqual([200, null]);
    return body.data;
  });
  return (await Promise.all(lists)).flat();
}

/** Refusals in the audit log, newest first. `target`: the provider or the consent that was attacked. */
async function refusals(target: string, action: string): Promise<Json[]> {
  const { body } = await actors.ops.get(`/identity/1.0.0/audit?target=${target}&action=${action}&limit=200`);
  return body.data.filter(({ result }: Json) => result === 'refused');
}

interface Attack {
  /** Whom the line is about, how it calls it, and who did it. */
  logged: [target: string, action: string, actor: string];
  reason?: string;
  strike(): Promise<EntranceReply>;
}

async function expectFended(
  { logged: [target, action, actor], reason, strike }: Attack,
  answer: string,
): Promise<void> {
  const [before, known] = [await consents(), await refusals(target, action)];
  const reply = await strike();
  expect(said(reply)).toBe(answer);
  expect(JSON.stringify(reply.body ?? '')).not.toMatch(/"(access_token|refresh_token|id_token|Data)"/);
  const [newest, ...earlier] = await refusals(target, action);
  expect(earlier).toEqual(known);
  expect(newest).toMatchObject({ actor, ...(reason && { detail: { reason } }) });
  if (action.startsWith('tpp.')) expect(newest.source).toMatch(/127\.0\.0\.1$/);
  expect(await consents()).toEqual(before);
}

/** An answer in short: its status and error. One that sends the customer back names the bank (RFC 9207). */
function said({ status, body, headers }: EntranceReply): string {
  if (headers.location === undefined)
    return [status, body?.error ?? body?.Errors?.[0].ErrorCode].filter(Boolean).join(' ');
  const { searchParams } = new URL(headers.location, authUrl);
  expect(searchParams.has('code')).toBe(false);
  expect(searchParams.get('iss')).toBe(authUrl);
  return `${status} ${searchParams.get('error')}`;
}

describe('a stolen access token', () => {
  const NO_CERTIFICATE = 'no certificate';
  const UNKNOWN = 'unknown certificate';
  const stolen = (caller: EntranceCaller, actor: string, from = one.id, what = token): Attack => ({
    logged: [from, 'tpp.access', actor],
    reason: 'the token was given over another certificate',
    strike: () => caller.send(ACCOUNTS, { headers: bearing(what) }),
  });
  /** The own token of a provider with a certificate of the sandbox's authority, over another certificate of its name. */
  const overDated = async (at: Date): Promise<Attack> => {
    const name = `test-${randomUUID()}`;
    const tpp = await registered({}, await issuedBySandbox(name));
    const dated = opening(showing(await issuedBySandbox(name, at)));
    return stolen(dated, UNKNOWN, tpp.id, await ownToken(tpp));
  };

  test.each<[over: string, made: () => Attack | Promise<Attack>]>([
    ['the certificate of another provider', () => stolen(two.caller, two.id)],
    ['no certificate', () => stolen(browser, NO_CERTIFICATE)],
    ['a certificate that nobody knows', async () => stolen(opening(showing(await selfSigned())), UNKNOWN)],
    ['an expired certificate', () => overDated(new Date(Date.now() - 400 * DAY_MS))],
    ['a certificate that is not valid yet', () => overDated(new Date(Date.now() + 2 * DAY_MS))],
    [
      'a certificate that was replaced',
      async () => {
        const tpp = await registered();
        const own = await ownToken(tpp);
        await tpp.act('certificate', { certificate: (await selfSigned()).cert });
        return stolen(tpp.caller, UNKNOWN, tpp.id, own);
      },
    ],
    [
      'the certificate of a provider that was disabled',
      async () => {
        const tpp = await registered();
        const own = await ownToken(tpp);
        await tpp.act('disable');
        return stolen(tpp.caller, UNKNOWN, tpp.id, own);
      },
    ],
  ])('over %s', async (_, made) => expectFended(await made(), '401 UK.OBIE.Header.Invalid'));
});

describe('a code or refresh token', () => {
  const exchanged = async (
    by: 'one' | 'two',
    reason: string,
    change: Record<string, string | undefined> = {},
  ): Promise<Attack> => {
    const { exchange } = await confirmed();
    const tpp = by === 'one' ? one : two;
    const form = { ...exchange(), ...change };
    const sent = Object.entries(form).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return { logged: [tpp.id, 'tpp.token', tpp.id], reason, strike: () => tpp.caller.token(Object.fromEntries(sent)) };
  };

  test.each<[what: string, made: () => Promise<Attack>, answer?: string]>([
    ['of another provider', () => exchanged('two', 'client mismatch')],
    [
      'with the verifier of another request',
      () =>
        exchanged('one', 'code_verifier does not match code_challenge', {
          code_verifier: randomBytes(32).toString('base64url'),
        }),
    ],
    ['without its verifier', () => exchanged('one', 'code_verifier must be provided', { code_verifier: undefined })],
    [
      'for another address',
      () => exchanged('one', 'authorization code redirect_uri mismatch', { redirect_uri: 'https://evil.example/' }),
    ],
    [
      'that was used',
      async () => {
        const { exchange } = await confirmed();
        expect((await one.caller.token(exchange())).status).toBe(200);
        const reason = 'authorization code already consumed';
        return { logged: [one.id, 'tpp.token', one.id], reason, strike: () => one.caller.token(exchange()) };
      },
    ],
    [
      'to refresh with, of another provider',
      async () => {
        const { body } = await one.caller.token((await confirmed()).exchange());
        const form = { grant_type: 'refresh_token', refresh_token: body.refresh_token };
        return {
          logged: [two.id, 'tpp.token', two.id],
          reason: 'client mismatch',
          strike: () => two.caller.token(form),
        };
      },
    ],
    [
      'under the name of another provider',
      async () => ({
        logged: [two.id, 'tpp.token', two.id],
        strike: () => two.caller.token({ grant_type: 'client_credentials', scope: 'accounts', client_id: one.id }),
      }),
      '401 invalid_client',
    ],
  ])('%s', async (_, made, answer = '400 invalid_grant') => expectFended(await made(), answer));

  test('six times at once: each refusal is logged', async () => {
    const { exchange } = await confirmed();
    const known = await refusals(one.id, 'tpp.token');
    const replies = await Promise.all(Array.from({ length: 6 }, () => one.caller.token(exchange())));
    const refused = replies.filter(({ status }) => status === 400);
    expect(refused.length).toBeGreaterThanOrEqual(5);
    expect(await refusals(one.id, 'tpp.token')).toHaveLength(known.length + refused.length);
  });
});

describe('an authorization request', () => {
  const CHALLENGE = { code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' };
  const query = (tpp: RegisteredTpp, consentId: string) => ({
    client_id: tpp.id,
    response_type: 'code',
    scope: 'openid accounts',
    consent_id: consentId,
    redirect_uri: tpp.record.redirectUris[0] as string,
    state: 'a-state',
    nonce: 'a-nonce',
    ...CHALLENGE,
  });
  const sent = (params: Record<string, string>) => browser.send(`/authorize?${new URLSearchParams(params)}`);
  const asking = async (changed: Record<string, string>): Promise<Attack> => {
    const params = { ...query(one, await consentOf(one)), ...changed };
    return { logged: [one.id, 'tpp.authorize', one.id], strike: () => sent(params) };
  };

  test.each<[what: string, changed: () => Record<string, string>]>([
    ['with the plain form of PKCE', () => ({ code_challenge_method: 'plain' })],
    ['with a challenge and no method, which means plain', () => ({ code_challenge_method: '' })],
    ['without PKCE', () => ({ code_challenge: '', code_challenge_method: '' })],
    ['with a challenge that is none', () => ({ code_challenge: 'short' })],
    ['with an unknown consent', () => ({ consent_id: 'con_01m82h7cdeeczb5tndfb36dwzw' })],
    ['with a consent id that was tampered with', () => ({ consent_id: "con_01' OR '1'='1" })],
  ])('%s', async (_, changed) => expectFended(await asking(changed()), '303 invalid_request'));

  test('with the consent of another provider', async () => {
    const consentId = await consentOf(one);
    const strike = () => sent(query(two, consentId));
    await expectFended({ logged: [consentId, 'consent.access', two.id], strike }, '303 invalid_request');
  });

  /** The registered address is `http://127.0.0.1:<port>/tpp/callback`. */
  test.each<[what: string, twist: (uri: URL) => string]>([
    ['somebody before the host', ({ host, pathname }) => `http://127.0.0.1@evil.example${pathname}?${host}`],
    ['a user name', ({ host, pathname }) => `http://evil@${host}${pathname}`],
    ['a way up and down again', ({ origin, pathname }) => `${origin}/elsewhere/..${pathname}`],
    ['an encoded way up', ({ href }) => `${href}/%2e%2e/elsewhere`],
    ['another port', ({ href, port }) => href.replace(port, `${(Number(port) % 65_535) + 1}`)],
    ['no port', ({ hostname, pathname }) => `http://${hostname}${pathname}`],
    ['a slash at the end', ({ href }) => `${href}/`],
    ['capital letters', ({ href, pathname }) => href.replace(pathname, pathname.toUpperCase())],
    ['a scheme in capital letters', ({ href }) => href.replace('http', 'HTTP')],
    ['another name of the machine', ({ href, hostname }) => href.replace(hostname, 'localhost')],
    ['another address of the machine', ({ href, hostname }) => href.replace(hostname, '127.0.0.2')],
    ['its address as a number', ({ href, hostname }) => href.replace(hostname, '2130706433')],
    ['its address of IPv6', ({ href, hostname }) => href.replace(hostname, '[::1]')],
    ['a fragment', ({ href }) => `${href}#part`],
    ['a line break', ({ href }) => `${href}\r\nLocation: https://evil.example`],
    ['another scheme', ({ href }) => href.replace('http:', 'javascript:')],
  ])('to come back with %s', async (_, twist) => {
    const uri = new URL(one.record.redirectUris[0]);
    expect(uri.hostname).toBe('127.0.0.1');
    await expectFended(await asking({ redirect_uri: twist(uri) }), '400');
  });

  describe('signed', () => {
    const object = async (): Promise<Json> => {
      const now = Math.floor(Date.now() / 1_000);
      const times = { iat: now, nbf: now, exp: now + 300 };
      return { ...query(one, await consentOf(one)), iss: one.id, aud: authUrl, jti: randomUUID(), ...times };
    };
    const signedBy =
      (key = one.key, header: Json = {}) =>
      async (payload: Json) =>
        new SignJWT(payload).setProtectedHeader({ alg: 'PS256', kid: 'signing-1', ...header }).sign(key);
    const asked = (payload: Json, request: string): Attack => {
      const { client_id, response_type, scope, redirect_uri } = payload;
      const strike = () => sent({ client_id, response_type, scope, redirect_uri, request });
      return { logged: [one.id, 'tpp.authorize', one.id], strike };
    };

    test.each<[what: string, make: (payload: Json) => Promise<string>]>([
      ['by nobody (alg none)', async (payload) => new UnsecuredJWT(payload).encode()],
      ['by RS256', async (payload) => signedBy(one.key, { alg: 'RS256' })(payload)],
      ['under the kid of another provider', async (payload) => signedBy(one.key, { kid: 'another' })(payload)],
      ['by the key of another provider', async (payload) => signedBy(two.key)(payload)],
      ['long ago', async (payload) => signedBy()({ ...payload, iat: 1_000, nbf: 1_000, exp: 1_300 })],
    ])('%s', async (_, make) => {
      const payload = await object();
      await expectFended(asked(payload, await make(payload)), '303 invalid_request_object');
    });

    test('and used twice', async () => {
      const payload = await object();
      const attack = asked(payload, await signedBy()(payload));
      expect((await attack.strike()).headers.location).toContain('/interaction/');
      await expectFended(attack, '303 invalid_request_object');
    });
  });
});

test.each([['GET'], ['DELETE']])('the consent of another provider: %s', async (method) => {
  const consentId = await consentOf(one);
  const headers = bearing(await ownToken(two));
  const strike = () => two.caller.send(`${CONSENT}/${consentId}`, { method, headers });
  await expectFended({ logged: [consentId, 'consent.access', two.id], strike }, '404');
});

/** An account of another customer of the bank. */
async function foreignAccount(): Promise<string> {
  const mallory = await newMember(actors.tenantAdmin, 'Mallory Mean');
  await new Topups(actors.tenantAdmin).made(mallory.customerId);
  const journey = one.provider.journey(await one.provider.accountConsent(mallory.customerId));
  const [account] = accountsIn((await new Customer(browser).signIn(journey, mallory)).shown);
  return account!;
}

/** It waits as before, and its history tells of the attempt. */
async function expectUnauthorised(consentId: string): Promise<void> {
  const { body } = await actors.tenantAdmin.get(`/consents/1.0.0/consents/${consentId}`);
  expect([body.status, body.accounts]).toEqual(['AwaitingAuthorisation', []]);
  expect(body.events.map(({ cause }: Json) => cause)).toEqual(['created', 'failed']);
}

test('the account of somebody else, put into the page', async () => {
  const consent = await one.provider.accountConsent(eve.customerId);
  const customer = new Customer(browser);
  const { page, shown } = await customer.signIn(one.provider.journey(consent), eve);
  const chosen = [accountsIn(shown)[0]!, await foreignAccount()];
  expect((await customer.press(page, 'confirm', chosen)).status).toBe(400);
  await expectUnauthorised(consent.consentId);
});

describe('a consent to pay', () => {
  interface Made {
    alg?: string;
    kid?: string;
    iat?: number;
    key?: typeof one.key;
    /** What is signed, in the place of what is sent. */
    body?: string;
  }
  const NOW = () => Math.floor(Date.now() / 1_000);

  /** A detached signature that is right but for what is said. */
  async function signature(sender: RegisteredTpp, sent: string, made: Made): Promise<string> {
    const { alg = 'PS256', kid = 'signing-1', iat = NOW(), key = sender.key, body = sent } = made;
    const crit = [...CRITICAL];
    const claims = { [CLAIMS.issuedAt]: iat, [CLAIMS.issuer]: sender.id, [CLAIMS.trustAnchor]: credentials.tpp.tan };
    const header = { alg, kid, crit, ...claims };
    if (alg === 'none') return `${Buffer.from(JSON.stringify(header)).toString('base64url')}..AA`;
    const jws = await new FlattenedSign(Buffer.from(body))
      .setProtectedHeader(header)
      .sign(key, { crit: Object.fromEntries(CRITICAL.map((claim) => [claim, true])) });
    return `${jws.protected}..${jws.signature}`;
  }

  const json = () => paymentTo(creditor);
  const asking = async (sender: RegisteredTpp, made: Made): Promise<Attack> => {
    const headers = {
      ...bearing(await ownToken(sender, 'payments')),
      'x-idempotency-key': randomUUID(),
      'x-jws-signature': await signature(sender, JSON.stringify(json()), made),
    };
    return {
      logged: [sender.id, 'tpp.signature', sender.id],
      strike: () => sender.caller.send(PAYMENT_CONSENTS, { method: 'POST', headers, json: json() }),
    };
  };

  test('that is signed well is taken', async () => {
    expect((await (await asking(one, {})).strike()).status).toBe(201);
  });

  test.each<[what: string, made: () => Made, answer: string]>([
    ['that was altered', () => ({ body: JSON.stringify(paymentTo(creditor, '99.00')) }), 'Invalid'],
    ['signed by the key of another provider', () => ({ key: two.key }), 'Invalid'],
    ['signed by nobody (alg none)', () => ({ alg: 'none' }), 'InvalidClaim'],
    ['signed by RS256', () => ({ alg: 'RS256' }), 'InvalidClaim'],
    ['under a foreign kid', () => ({ kid: 'another' }), 'InvalidClaim'],
    ['signed an hour ago', () => ({ iat: NOW() - 3_600 }), 'InvalidClaim'],
    ['signed in the future', () => ({ iat: NOW() + 3_600 }), 'InvalidClaim'],
  ])('%s', async (_, made, code) => expectFended(await asking(one, made()), `400 UK.OBIE.Signature.${code}`));

  test('with the account of somebody else, put into the page between consent and confirmation', async () => {
    const consentId = (await (await asking(one, {})).strike()).body.Data.ConsentId;
    const customer = new Customer(browser);
    const { page, shown } = await customer.signIn(one.provider.journey({ consentId }), eve);
    const { asked, message } = await customer.askToPay(page, shown, eve, apiUrl);
    const swapped = { ...hiddenOf(asked), account: await foreignAccount(), code: codeIn(message) };
    expect((await customer.press(page, 'confirm', [], swapped)).status).toBe(400);
    await expectUnauthorised(consentId);
  });

  describe('of a provider whose keys are fetched', () => {
    const { jwk, privateKey } = signingKey('signing-1');
    const keys = JSON.stringify({ keys: [jwk] });
    const server = createServer((request, response) => {
      if (request.url === '/moved') return response.writeHead(302, { location: '/good' }).end();
      // Longer than anybody's keys are.
      if (request.url === '/huge') return response.end(keys.padEnd(10 * 1_024 * 1_024));
      return response.end(request.url === '/text' ? 'not JSON' : keys);
    });
    let base: string;
    beforeAll(async () => {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    });
    afterAll(() => new Promise((resolve) => server.close(resolve)));
    const fetching = (jwksUri: string) => registered({ jwks: undefined, jwksUri });

    test('from an address that gives them is taken', async () => {
      const attack = await asking(await fetching(`${base}/good`), { key: privateKey });
      expect((await attack.strike()).status).toBe(201);
    });

    test.each([['/moved'], ['/huge'], ['/text']])('from %s', async (path) => {
      const tpp = await fetching(base + path);
      await expectFended(await asking(tpp, { key: privateKey }), '400 UK.OBIE.Signature.InvalidClaim');
    });

    test('from an address where nobody listens', async () => {
      const gone = createServer();
      await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
      const { port } = gone.address() as AddressInfo;
      await new Promise((resolve) => gone.close(resolve));
      const tpp = await fetching(`http://127.0.0.1:${port}/keys`);
      await expectFended(await asking(tpp, { key: privateKey }), '400 UK.OBIE.Signature.InvalidClaim');
    });
  });
});
