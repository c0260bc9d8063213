import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { inBrowser } from '../setup/browser';
import { openBrowser } from '../setup/chromium';
import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, type Json } from './client';
import { credentialsOf, invited, OURS, SESSION, Staff } from './staff';

/** Passkeys in a real browser, with an authenticator that the browser pretends to have. */

const { credentials } = sharedStack();
const { apiUrl, organizationId } = credentials;
const PASSKEYS = '/auth/1.0.0/users/passkeys';
/** An IP address has no passkeys. */
const OWN = apiUrl.replace('127.0.0.1', 'localhost');

inBrowser('a person with a passkey', () => {
  let actors: Actors;
  let browser: Browser;
  beforeAll(async () => {
    actors = await actorsOf(credentials);
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  class Visitor {
    constructor(
      readonly context: BrowserContext,
      readonly page: Page,
      readonly devices: CDPSession,
      readonly authenticatorId: string,
    ) {}

    static async come(): Promise<Visitor> {
      // The page is there for its address alone; its policy lets it ask nobody.
      const context = await browser.newContext({ bypassCSP: true });
      const page = await context.newPage();
      await page.goto(`${OWN}/docs/codes`);
      const devices = await context.newCDPSession(page);
      await devices.send('WebAuthn.enable');
      const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true };
      const { authenticatorId } = await devices.send('WebAuthn.addVirtualAuthenticator', {
        options: { ...options, isUserVerified: true, automaticPresenceSimulation: true } as never,
      });
      return new Visitor(context, page, devices, authenticatorId);
    }

    /** A request of the page itself. */
    call(method: string, path: string, body?: object): Promise<{ status: number; body: Json }> {
      return this.page.evaluate(
        async ({ method, path, body, headers }) => {
          const response = await fetch(path, {
            method,
            headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
            ...(body && { body: JSON.stringify(body) }),
          });
          const text = await response.text();
          return { status: response.status, body: text ? JSON.parse(text) : undefined };
        },
        { method, path, body, headers: OURS },
      );
    }

    /** What the browser makes of options of ours. */
    make(options: Json): Promise<Json> {
      return this.page.evaluate(`(async () => {
        const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(${JSON.stringify(options)});
        return (await navigator.credentials.create({ publicKey })).toJSON();
      })()`);
    }

    get(options: Json): Promise<Json> {
      return this.page.evaluate(`(async () => {
        const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(${JSON.stringify(options)});
        return (await navigator.credentials.get({ publicKey })).toJSON();
      })()`);
    }

    async add(name = 'Laptop') {
      const credential = await this.make((await this.call('POST', `${PASSKEYS}/options`)).body);
      return { credential, reply: await this.call('POST', PASSKEYS, { name, credential }) };
    }

    async enter() {
      const credential = await this.get((await this.call('POST', `${SESSION}/passkey/options`)).body);
      return { credential, reply: await this.call('POST', `${SESSION}/passkey/verify`, { credential }) };
    }
  }

  /** Signed in with a password, in a browser. */
  async function admin() {
    const login = await invited(actors.tenantAdmin, 'tenant_admin');
    const visitor = await Visitor.come();
    await visitor.call('POST', SESSION, credentialsOf(login));
    return { login, visitor };
  }

  test('an admin adds one as first factor, and signs in with nothing else', async () => {
    const { login, visitor } = await admin();
    const { reply } = await visitor.add();
    expect(reply).toMatchObject({ status: 201, body: { name: 'Laptop' } });
    expect(reply.body.recoveryCodes).toHaveLength(10);
    expect((await visitor.call('GET', SESSION)).body).toMatchObject({ secondFactor: 'passkey', mustEnrol: false });
    expect((await visitor.call('DELETE', SESSION)).status).toBe(204);
    expect((await visitor.call('GET', SESSION)).status).toBe(401);
    expect((await visitor.call('POST', SESSION, credentialsOf(login))).body.code).toBe('two_factor_required');
    const { reply: entered, credential } = await visitor.enter();
    expect(entered).toMatchObject({ status: 201, body: { userId: login.userId, secondFactor: 'passkey' } });
    expect((await visitor.call('GET', '/identity/1.0.0/users?limit=1')).status).toBe(200);
    // The challenge is used up.
    expect((await visitor.call('POST', `${SESSION}/passkey/verify`, { credential })).status).toBe(401);
    const withCode = { ...credentialsOf(login), code: reply.body.recoveryCodes[0] };
    expect((await visitor.call('POST', SESSION, withCode)).body.secondFactor).toBe('recovery_code');
    await visitor.context.close();
  });

  test('is renamed, and the last one stays', async () => {
    const { visitor } = await admin();
    const { passkeyId } = (await visitor.add()).reply.body;
    const path = `${PASSKEYS}/${passkeyId}`;
    expect((await visitor.call('PATCH', path, { name: 'Key on my ring' })).body.name).toBe('Key on my ring');
    expect((await visitor.call('GET', PASSKEYS)).body.data).toMatchObject([{ passkeyId, name: 'Key on my ring' }]);
    expect((await visitor.call('DELETE', path)).body.code).toBe('invalid_state');
    const stranger = await Staff.create(actors.tenantAdmin, 'tenant_admin');
    expect((await stranger.caller.get(PASSKEYS)).body.data).toEqual([]);
    await visitor.context.close();
  });

  test('a merchant removes it, and signs in with the password alone again', async () => {
    const login = await invited(actors.tenantAdmin, 'merchant', { organizationId });
    const visitor = await Visitor.come();
    await visitor.call('POST', SESSION, credentialsOf(login));
    const { passkeyId } = (await visitor.add()).reply.body;
    expect((await visitor.call('DELETE', `${PASSKEYS}/${passkeyId}`)).status).toBe(204);
    expect((await visitor.enter().catch(() => undefined))?.reply.status ?? 401).toBe(401);
    expect((await visitor.call('POST', SESSION, credentialsOf(login))).status).toBe(201);
    await visitor.context.close();
  });

  test('a copy of a passkey, whose counter is behind, is refused', async () => {
    const { visitor } = await admin();
    await visitor.add();
    await visitor.enter();
    const { authenticatorId } = visitor;
    const { credentials: held } = await visitor.devices.send('WebAuthn.getCredentials', { authenticatorId });
    const [credential] = held;
    await visitor.devices.send('WebAuthn.clearCredentials', { authenticatorId });
    await visitor.devices.send('WebAuthn.addCredential', {
      authenticatorId,
      credential: { ...credential!, signCount: 0 },
    });
    expect((await visitor.enter()).reply.status).toBe(401);
    await visitor.context.close();
  });

  test('an answer to the challenge of somebody else adds nothing', async () => {
    const [{ visitor: one }, { visitor: two }] = [await admin(), await admin()];
    const credential = await one.make((await two.call('POST', `${PASSKEYS}/options`)).body);
    expect((await one.call('POST', PASSKEYS, { name: 'Mine', credential })).body.code).toBe('code_refused');
    const { reply } = await one.add();
    expect(reply.status).toBe(201);
    await Promise.all([one.context.close(), two.context.close()]);
  });
});
