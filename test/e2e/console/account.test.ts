import { generate } from 'otplib';
import type { Browser } from 'playwright-core';
import { inBrowser } from '../../setup/browser';
import { openBrowser } from '../../setup/chromium';
import { sharedStack } from '../../setup/stack';
import { type Actors, actorsOf } from '../client';
import { invited } from '../staff';
import { DESKTOP, PHONE, Visitor } from './visitor';

const { credentials, apiUrl } = sharedStack();
/** An IP address has no passkeys. */
const OWN = apiUrl.replace('127.0.0.1', 'localhost');

inBrowser('somebody who signs in to the console', () => {
  let actors: Actors;
  let browser: Browser;
  beforeAll(async () => {
    actors = await actorsOf(credentials);
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  async function come(visitor: Visitor, email: string, password: string): Promise<void> {
    const { page } = visitor;
    await page.goto(visitor.consoleUrl);
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  }

  test.each([
    ['on a desktop', DESKTOP, 'desktop'],
    ['on a phone, in the dark', PHONE, 'phone'],
  ] as const)('an admin sets up an app first, and then sees the account: %s', async (_where, device, name) => {
    const login = await invited(actors.tenantAdmin, 'tenant_admin');
    const visitor = await Visitor.open(browser, apiUrl, device);
    const { page } = visitor;
    await page.goto(visitor.consoleUrl);
    await page.getByLabel('E-mail address').waitFor();
    await visitor.look(`sign-in-${name}`);
    await come(visitor, login.email, login.password);
    await page.getByRole('heading', { name: 'Add a second factor' }).waitFor();
    await visitor.look(`enrol-${name}`);
    await page.getByRole('button', { name: 'Set up an app' }).click();
    await page.getByAltText('QR code for the authenticator app').waitFor();
    await visitor.look(`enrol-app-${name}`);
    const secret = (await page.locator('code').textContent())!;
    await page.getByLabel('Code that the app shows').fill(await generate({ secret }));
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('shown only now').waitFor();
    expect(await page.getByRole('listitem').count()).toBe(10);
    await visitor.look(`enrol-codes-${name}`);
    await page.getByRole('link', { name: 'Go to the console' }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await visitor.go('/account');
    await page.getByText('10 left').waitFor();
    await visitor.look(`account-${name}`);
    await visitor.close();
  });

  test('a merchant adds a passkey in the account, and signs in with it alone', async () => {
    const { organizationId } = credentials;
    const login = await invited(actors.tenantAdmin, 'merchant', { organizationId });
    const visitor = await Visitor.open(browser, OWN);
    const { page } = visitor;
    const devices = await page.context().newCDPSession(page);
    await devices.send('WebAuthn.enable');
    const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true };
    await devices.send('WebAuthn.addVirtualAuthenticator', {
      options: { ...options, isUserVerified: true, automaticPresenceSimulation: true } as never,
    });
    await come(visitor, login.email, login.password);
    await page.getByRole('link', { name: 'Overview' }).waitFor();
    await visitor.go('/account');
    await page.getByRole('button', { name: 'Add a second factor' }).click();
    await page.getByLabel('Name of the passkey').fill('Laptop');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByText('shown only now').waitFor();
    await visitor.look('account-passkey');
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('button', { name: 'Yes, do it' }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('link', { name: 'Overview' }).waitFor();
    await visitor.close();
  });
});
