import type { Browser } from 'playwright-core';
import { inBrowser } from '../../setup/browser';
import { openBrowser } from '../../setup/chromium';
import { sharedStack } from '../../setup/stack';
import { type Actors, actorsOf, signIn } from '../client';
import { addressOf, SESSION, Staff } from '../staff';
import { DESKTOP, PHONE, Visitor } from './visitor';

const { credentials, apiUrl } = sharedStack();

inBrowser('a tenant admin in the console', () => {
  let actors: Actors;
  let browser: Browser;
  beforeAll(async () => {
    actors = await actorsOf(credentials);
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  /** Signed in already, with an authenticator. */
  async function come(device = DESKTOP): Promise<Visitor> {
    const admin = await Staff.create(actors.tenantAdmin, 'tenant_admin');
    const [name, value] = (await admin.another(SESSION)).headers.cookie!.split('=') as [string, string];
    const visitor = await Visitor.open(browser, apiUrl, device);
    await visitor.page.context().addCookies([{ name, value, url: apiUrl, httpOnly: true, sameSite: 'Strict' }]);
    return visitor;
  }

  test.each([
    ['on a desktop', DESKTOP, 'desktop'],
    ['on a phone, in the dark', PHONE, 'phone'],
  ] as const)('invites somebody, looks at them, and shuts them out: %s', async (_where, device, name) => {
    const visitor = await come(device);
    const { page } = visitor;
    await visitor.go('/people');
    await page.getByRole('button', { name: 'Invite somebody' }).click();
    const email = addressOf('console');
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Name').fill('Grace Hopper');
    await page.getByRole('button', { name: 'Yes, do it' }).click();
    await page.getByText(`The invitation is on its way to ${email}.`).waitFor();
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByText(email).waitFor();
    await visitor.look(`people-${name}`);
    await page.getByText(email).click();
    await page.getByRole('heading', { name: 'Grace Hopper', level: 1 }).waitFor();
    await visitor.look(`person-${name}`);
    await page.getByRole('button', { name: 'Shut out' }).click();
    await page.getByRole('button', { name: 'Yes, do it' }).click();
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByRole('button', { name: 'Let in again' }).waitFor();
    await visitor.close();
  });

  test('creates a client, whose secret is shown once and works', async () => {
    const visitor = await come();
    const { page } = visitor;
    await visitor.go('/clients');
    await page.getByRole('button', { name: 'New API client' }).click();
    await page.getByLabel('Name').fill('Nightly job');
    await page.getByRole('button', { name: 'Yes, do it' }).click();
    const dialog = page.getByRole('dialog', { name: 'The secret of the client' });
    await dialog.locator('code').nth(1).waitFor();
    const [clientId, secret] = await dialog.locator('code').allInnerTexts();
    expect(await signIn(apiUrl, clientId!, secret!)).toMatch(/^[\w-]{20,}$/);
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    await visitor.go(`/clients/${clientId}/show`);
    await page.getByRole('heading', { name: 'Nightly job' }).waitFor();
    expect(await page.content()).not.toContain(secret);
    await visitor.look('client');
    await visitor.close();
  });
});
