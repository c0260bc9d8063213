import type { Browser } from 'playwright-core';
import { inBrowser } from '../../setup/browser';
import { openBrowser } from '../../setup/chromium';
import { sharedStack } from '../../setup/stack';
import { isGenuine, Receiver } from '../../unit/edge/notifications/receiver';
import { type Actors, actorsOf, CARDS, type Json, until } from '../client';
import { ownTenant } from '../tenants';
import { newPerson } from './people';
import { Visitor } from './visitor';

/** A merchant's server that is told of things: made, tried, told again and switched off at the console. */

const { credentials, apiUrl } = sharedStack();
const ENDPOINTS = '/notifications/1.0.0/endpoints';
const SENT = '/ipg/1.0.0/payment/notifications';

inBrowser('notifications at the console', () => {
  let browser: Browser;
  let actors: Actors;
  let receiver: Receiver;
  let merchant: (visitor: Visitor) => Promise<void>;
  let operator: (visitor: Visitor) => Promise<void>;
  let visitor: Visitor;

  beforeAll(async () => {
    const tenant = await ownTenant();
    actors = await actorsOf(credentials, tenant);
    const { organizationId } = tenant;
    [browser, receiver, merchant, operator] = await Promise.all([
      openBrowser(),
      new Receiver().listen(),
      newPerson(actors.tenantAdmin, 'merchant', { organizationId }),
      newPerson(actors.ops, 'ops'),
    ]);
  });
  afterAll(() => Promise.all([browser?.close(), receiver?.close()]));
  beforeEach(async () => {
    visitor = await Visitor.open(browser, apiUrl);
  });
  afterEach(() => visitor.close());

  const told = async (query: string): Promise<Json[]> => (await actors.merchant.get(`${SENT}?${query}`)).body.data;

  it('makes an endpoint, tests it, has a notification sent again and disables it', async () => {
    const path = '/shop';
    const { page } = visitor;
    await merchant(visitor);
    await visitor.go('/endpoints/create');
    await page.getByLabel('Address of your server').fill(receiver.url(path));
    await page.getByRole('combobox', { name: 'What it hears of' }).fill('payment.captured');
    await page.getByRole('option', { name: 'payment.captured' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Add an endpoint' }).dblclick();
    await page.getByText(`We tell ${receiver.url(path)} from now on.`).waitFor();
    await visitor.look('endpoint-made-desktop-light');
    const secret = (await page.getByRole('alert').filter({ hasText: 'shown only now' }).textContent())!;
    const { data } = (await actors.merchant.get(ENDPOINTS)).body;
    expect(data).toMatchObject([{ url: receiver.url(path), events: ['payment.captured'], status: 'enabled' }]);
    const [{ endpointId }] = data;

    await page.getByRole('link', { name: 'Open the endpoint' }).click();
    await visitor.order('Send a test', {}, 'Your server answered 204.');
    const [ping] = receiver.received;
    expect(JSON.parse(ping!.body).type).toBe('test.ping');
    const candidates = secret.match(/[\w-]{43,}/g) ?? [];
    expect(candidates.some((one) => isGenuine(ping!, one))).toBe(true);

    await actors.merchant.paid(CARDS.visa);
    const [first] = await until('it is told of the payment', async () => {
      const all = await told(`endpointId=${endpointId}&type=payment.captured&state=delivered`);
      return all.length > 0 && all;
    });
    await visitor.go(`/notifications/${first.notificationId}/show`);
    await visitor.order('Send again');
    const times = () => receiver.at(path).filter(({ id }) => id === first.notificationId).length;
    await until('it comes again under the same id', async () => times() === 2);

    await visitor.go(`/endpoints/${endpointId}/show`);
    await visitor.order('Disable');
    await page.getByRole('button', { name: 'Enable', exact: true }).waitFor();
    await visitor.look('endpoint-disabled-desktop-light');
    expect((await actors.merchant.get(`${ENDPOINTS}/${endpointId}`)).body.status).toBe('disabled');
  });

  it('is delivered by an operator after the server was mended', async () => {
    const path = '/broken';
    receiver.behave = (_, response) => response.writeHead(500).end();
    const order = { url: receiver.url(path), events: ['payment.captured'] };
    const { endpointId } = (await actors.merchant.post(ENDPOINTS, order)).body;
    await actors.merchant.paid(CARDS.visa);
    await until('it was tried', async () => receiver.at(path).length > 0);
    // Switched off and on: what waited is given up.
    for (const act of ['disable', 'enable']) await actors.merchant.post(`${ENDPOINTS}/${endpointId}/${act}`);
    const state = async () => (await told(`endpointId=${endpointId}`))[0].state;
    await until('it is given up', async () => (await state()) === 'failed');
    receiver.behave = (_, response) => response.writeHead(204).end();

    const { page } = visitor;
    await operator(visitor);
    await visitor.go('/worklist?filter=%7B%22kind%22%3A%22notification%22%7D');
    const row = page.getByRole('row').filter({ hasText: receiver.url('') });
    await row.getByText('1 notification').waitFor();
    await visitor.look('operator-notifications-desktop-light');
    await row.getByRole('button', { name: 'Deliver again' }).click();
    await page.getByLabel('Reason').fill('The merchant has mended its server');
    await page.getByRole('button', { name: 'Yes, do it' }).dblclick();
    await page.getByText('Deliver again: done.').first().waitFor();
    await until('it is delivered', async () => (await state()) === 'delivered');
    await until('nobody waits for it any more', async () => {
      await visitor.go('/worklist?filter=%7B%22kind%22%3A%22notification%22%7D');
      await visitor.look('operator-notifications-delivered-desktop-light');
      return (await row.count()) === 0;
    });
  });
});
