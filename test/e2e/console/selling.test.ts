import type { Browser } from 'playwright-core';
import { inBrowser } from '../../setup/browser';
import { openBrowser } from '../../setup/chromium';
import { plainPicture } from '../../setup/pictures';
import { sharedStack } from '../../setup/stack';
import { type Actors, actorsOf, CARDS, until } from '../client';
import { ITEMS } from '../goods';
import { SELLER_PASSWORD, Seller } from '../sellers';
import { seededSession } from './people';
import { DESKTOP, PHONE, Visitor } from './visitor';

const { credentials, apiUrl } = sharedStack();

inBrowser('a seller', () => {
  let browser: Browser;
  let actors: Actors;
  let visitor: Visitor;
  let enter: Awaited<ReturnType<typeof seededSession>>;

  const arrive = async (device: typeof DESKTOP) => {
    const arrived = await Visitor.open(browser, apiUrl, device);
    await enter(arrived);
    return arrived;
  };

  beforeAll(async () => {
    browser = await openBrowser();
    actors = await actorsOf(credentials);
    enter = await seededSession(credentials, 'merchant');
  });
  afterAll(() => browser?.close());
  afterEach(() => visitor.close());

  it('adds an item, makes a link, shares it, and sees it paid', async () => {
    visitor = await arrive(DESKTOP);
    const { page } = visitor;
    const name = `Olive oil ${Date.now()}`;

    // The item.
    await visitor.go('/items/create');
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('SKU').fill(name.replaceAll(' ', '-'));
    await page.getByLabel('Price of one piece').fill('12.50');
    await page.getByLabel('Pieces on hand').fill('20');
    await page
      .getByLabel('Add pictures')
      .setInputFiles({ name: 'oil.png', mimeType: 'image/png', buffer: await plainPicture(64, 64, '#669900') });
    await page.getByRole('img', { name: 'Picture 1' }).waitFor();
    await visitor.look('item-create-desktop-light');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    const itemId = /items\/(itm_\w+)\/show/.exec(page.url())![1]!;
    expect((await actors.tenantAdmin.post(`${ITEMS}/${itemId}/approve`)).status).toBe(200);

    // Its stock.
    await visitor.go(`/items/${itemId}/show`);
    await page.getByRole('button', { name: 'Count pieces' }).click();
    await page.getByLabel('Pieces to add').fill('-2');
    await page.getByLabel('Reason').fill('Two were broken');
    await page.getByRole('button', { name: 'Yes, do it' }).click();
    await page.getByText('There are 18 pieces now.').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByText('Two were broken').waitFor();
    await visitor.look('item-desktop-light');

    // The link.
    await visitor.go('/links/create');
    await page.getByLabel('Title').fill(name);
    await page.getByLabel('Item or text').fill(name);
    await page.getByRole('option', { name }).click();
    await page.getByText('An item of your inventory').waitFor();
    await page.getByRole('spinbutton', { name: 'Pieces' }).fill('2');
    await visitor.look('link-create-desktop-light');
    await page.getByRole('button', { name: 'Create the link' }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.getByRole('img', { name: `QR code that leads to the payment of ${name}` }).waitFor();

    // It is shared.
    await page.getByLabel('E-mail address').fill('ana@example.com');
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByText(`Send ${name} by e-mail to ana@example.com?`).waitFor();
    await page.getByRole('button', { name: 'Yes, do it' }).dblclick();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('cell', { name: 'E-mail' }).waitFor();
    await visitor.look('link-desktop-light');
    const linkId = /links\/(lnk_\w+)\/show/.exec(page.url())![1]!;
    const { data: shares } = (await actors.merchant.get(`/payment-links/1.0.0/links/${linkId}/shares`)).body;
    expect(shares).toHaveLength(1);

    // A buyer pays on the page.
    const { url } = (await actors.merchant.get(`/payment-links/1.0.0/links/${linkId}`)).body;
    await page.goto(url);
    await page.getByRole('button', { name: /^Card/ }).or(page.getByLabel('Card number')).first().click();
    await page.getByLabel('Card number').fill(CARDS.visa);
    await page.getByLabel('Expiry date').fill('12/40');
    await page.getByLabel('Security code').fill('123');
    await page.getByLabel('Name on the card').fill('Ana Silva');
    await page.getByLabel('E-mail address').fill('ana@example.com');
    await page.getByRole('button', { name: 'Pay €25.00' }).click();
    await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor();

    // The seller sees it.
    await until('the link counts it', async () => {
      await visitor.go(`/links/${linkId}/show`);
      const facts = page.getByRole('region', { name: 'What became of it' });
      return (await facts.textContent())?.includes('€25.00');
    });
    await visitor.go(`/orders?filter=${encodeURIComponent(JSON.stringify({ status: 'paid' }))}`);
    await page.getByText(name).first().click();
    await page.getByRole('link', { name: /^pay_/ }).waitFor();
    await visitor.look('order-desktop-light');
  });

  it('is paid out on demand', async () => {
    // What others sell is not in this balance.
    const { merchant, email } = await Seller.create(credentials, actors);
    visitor = await Visitor.open(browser, apiUrl, DESKTOP);
    const { page } = visitor;
    await visitor.signIn({ email, password: SELLER_PASSWORD });
    await visitor.go('/payout-account');
    await page.getByText('Payouts go here now.').waitFor();
    await visitor.look('payout-account-desktop-light');
    await merchant.paid(CARDS.visa, { amount: '40.00' });
    await until('it is settled', async () => {
      const { body } = await merchant.get('/payouts/1.0.0/balance?currency=EUR');
      return Number.parseInt(body.available, 10) >= 10;
    });
    await visitor.go('/payouts');
    await page.getByRole('button', { name: 'Pay out' }).click();
    await page.getByLabel('Amount', { exact: true }).fill('10.00');
    await page.getByText('Pay out 10.00 EUR to the verified account?').waitFor();
    await page.getByRole('button', { name: 'Yes, do it' }).dblclick();
    await page.getByText('€10.00 is on the account.').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await visitor.look('payouts-desktop-light');
    await page.getByRole('cell', { name: '€10.00' }).first().click();
    await page.getByRole('button', { name: 'Print (PDF)' }).waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Print (PDF)' }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/^payout-po\w*_\w+\.pdf$/);
    await visitor.look('payout-desktop-light');
  });

  it('works on a phone in the dark, in Portuguese', async () => {
    const link = { amount: '5.00', currency: 'EUR', title: 'Oferta' };
    const { linkId } = (await actors.merchant.post('/payment-links/1.0.0/links', link)).body;
    const order = { currency: 'EUR', lines: [{ description: 'Entrega ao domicílio', amount: '4.50', quantity: 2 }] };
    const { orderId } = (await actors.merchant.post('/orders/1.0.0/orders', order)).body;
    visitor = await arrive(PHONE);
    await visitor.page.goto(visitor.consoleUrl);
    await visitor.page.evaluate("localStorage.setItem('tillway.language', 'pt')");
    for (const [path, name] of [
      ['/items', 'items'],
      ['/items/create', 'item-create'],
      ['/orders', 'orders'],
      ['/orders/create', 'order-create'],
      [`/orders/${orderId}/show`, 'order'],
      ['/links', 'links'],
      ['/links/create', 'link-create'],
      [`/links/${linkId}/show`, 'link'],
      [`/links/${linkId}/poster`, 'link-poster'],
      ['/tickets', 'tickets'],
      ['/payouts', 'payouts'],
      ['/payout-runs', 'payout-runs'],
      ['/payout-terms', 'payout-terms'],
      ['/payout-account', 'payout-account'],
    ]) {
      await visitor.go(path!);
      await visitor.look(`${name}-phone-dark`);
    }
  });
});
