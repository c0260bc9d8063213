import type { Browser } from 'playwright-core';
import { inBrowser } from '../../setup/browser';
import { openBrowser } from '../../setup/chromium';
import { plainPicture } from '../../setup/pictures';
import { sharedStack } from '../../setup/stack';
import { Receiver } from '../../unit/edge/notifications/receiver';
import { type Actors, actorsOf, CARDS, until } from '../client';
import { SELLER_PASSWORD, Seller } from '../sellers';
import { newPerson } from './people';
import { Visitor } from './visitor';

/** A merchant applies to go live with what it takes, and an operator decides. */

const { credentials, apiUrl } = sharedStack();

inBrowser('going live at the console', () => {
  let browser: Browser;
  let actors: Actors;
  let seller: Seller;
  let receiver: Receiver;
  let operator: (visitor: Visitor) => Promise<void>;

  beforeAll(async () => {
    actors = await actorsOf(credentials);
    [browser, seller, receiver, operator] = await Promise.all([
      openBrowser(),
      Seller.create(credentials, actors),
      new Receiver().listen(),
      newPerson(actors.ops, 'ops'),
    ]);
    await seller.merchant.paid(CARDS.visa);
  });
  afterAll(() => Promise.all([browser?.close(), receiver?.close()]));

  it('is applied for, and approved', async () => {
    const visitor = await Visitor.open(browser, apiUrl);
    const { page } = visitor;
    await visitor.signIn({ email: seller.email, password: SELLER_PASSWORD });
    await visitor.go('/activations/create');
    const typed = {
      Website: 'https://tea.example',
      'What do you sell?': 'Tea',
      'Address of your server for notifications': receiver.url('/live'),
      'Country (two letters), if we do not know it': 'PT',
      'Currencies, if we do not know them': 'EUR',
      'Document 1': 'Register',
      'What document 1 proves': 'KYB',
    };
    for (const [label, value] of Object.entries(typed))
      await page.getByLabel(label, { exact: false }).first().fill(value);
    await page.getByLabel('I accept the terms').check();
    await visitor.look('apply-desktop-light');
    await page.getByRole('button', { name: 'Apply to go live' }).dblclick();
    await page.waitForURL(/activations\/act_\w+\/show/);
    const activationId = /act_\w+/.exec(page.url())![0];
    const path = `/onboarding/1.0.0/activations/${activationId}`;
    const read = async () => (await actors.ops.get(path)).body;

    await page.getByRole('button', { name: 'Upload a file' }).click();
    const buffer = await plainPicture(200, 120, '#336699');
    await page.getByLabel('Choose a file').setInputFiles({ name: 'register.png', mimeType: 'image/png', buffer });
    await page.getByRole('button', { name: 'Yes, do it' }).click();
    await page.getByRole('dialog').getByText('Done').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await until('it can be reviewed', async () => (await read()).status === 'in_review');
    expect((await read()).checks.filter(({ done }: { done: boolean }) => !done)).toEqual([]);
    await visitor.go(`/activations/${activationId}/show`);
    await visitor.look('activation-desktop-light');
    await visitor.close();

    const other = await Visitor.open(browser, apiUrl);
    await operator(other);
    await other.go(`/activations/${activationId}/show`);
    await other.look('activation-operator-desktop-light');
    await other.page.getByRole('button', { name: 'Approve', exact: true }).click();
    await other.page.getByRole('button', { name: 'Yes, do it' }).dblclick();
    await until('it is approved', async () => (await read()).status === 'approved');
    const { body } = await actors.tenantAdmin.get(`/onboarding/1.0.0/merchants/${seller.organizationId}`);
    expect(body.mode).toBe('live');
    await other.close();
  });
});
