import { randomUUID } from 'node:crypto';
import type { Browser } from 'playwright-core';
import { inBrowser } from '../../setup/browser';
import { openBrowser } from '../../setup/chromium';
import { sharedStack } from '../../setup/stack';
import { type Actors, actorsOf } from '../client';
import { addressOf, linkTo } from '../staff';
import { newPerson } from './people';
import { DESKTOP, PHONE, Visitor } from './visitor';

const { credentials, apiUrl } = sharedStack();

inBrowser('operators, about tenants', () => {
  let browser: Browser;
  let actors: Actors;

  beforeAll(async () => {
    [actors, browser] = await Promise.all([actorsOf(credentials), openBrowser()]);
  });
  afterAll(() => browser?.close());

  /** An operator of its own, in front of the console. */
  async function operator(device = DESKTOP): Promise<Visitor> {
    const visitor = await Visitor.open(browser, apiUrl, device);
    await (await newPerson(actors.ops, 'ops'))(visitor);
    return visitor;
  }

  it('one proposes a tenant, another confirms it on a phone, suspends and resumes it', async () => {
    const ann = await operator();
    const { page } = ann;
    const name = `Harbour ${randomUUID().slice(0, 8)}`;
    const email = addressOf('admin');
    await ann.go('/tenants');
    await ann.look('tenants-desktop-light');
    await page.getByRole('link', { name: 'New tenant' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
    await page.getByLabel('Country').fill('pt');
    await page.getByLabel('Currency of its books').fill('eur');
    await page.getByLabel('Payment methods').click();
    await page.getByRole('option', { name: '1 Visa' }).click();
    await page.getByRole('option', { name: '2 Mastercard' }).click();
    await page.keyboard.press('Escape');
    await page.getByLabel('Name of the first admin').fill('Ada Lovelace');
    await page.getByLabel('E-mail address of the first admin').fill(email);
    await page.getByLabel('Reason').fill('Contract 4711.');
    await ann.look('tenant-create-desktop-light');
    await page.getByRole('button', { name: 'Propose tenant' }).dblclick();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.getByText('waits for a second operator').waitFor();
    await page.getByText('2 Mastercard').waitFor();
    await ann.look('tenant-proposed-desktop-light');
    const tenantId = /tenants\/(ten_\w+)\/show/.exec(page.url())![1]!;
    await ann.close();

    const bob = await operator(PHONE);
    const order = async (act: string, becomes: string, reason?: string) => {
      await bob.page.getByRole('button', { name: act, exact: true }).click();
      const dialog = bob.page.getByRole('dialog');
      if (reason) await dialog.getByLabel('Reason').fill(reason);
      await dialog.getByRole('button', { name: 'Yes, do it' }).click();
      await bob.page.getByText(`${name}: ${becomes}.`).waitFor();
      await dialog.waitFor({ state: 'detached' });
    };
    await bob.go(`/tenants/${tenantId}/show`);
    await order('Confirm', 'active');
    await bob.page.getByText('is invited and has no password yet').waitFor();
    await bob.look('tenant-active-phone-dark');
    expect(await linkTo(apiUrl, email)).toBeTruthy();
    await order('Suspend', 'suspended', 'Fraud, case 12.');
    await bob.page.getByText('Fraud, case 12.').first().waitFor();
    await bob.look('tenant-suspended-phone-dark');
    await order('Resume', 'active', 'Cleared up.');
    await bob.page.getByRole('button', { name: 'Suspend' }).waitFor();
    await bob.close();
    expect((await actors.ops.get(`/ops/1.0.0/tenants/${tenantId}`)).body).toMatchObject({
      name,
      status: 'active',
      country: 'PT',
      currency: 'EUR',
      methods: [1, 2],
      reason: 'Cleared up.',
    });
  });
});
