import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { newUuid } from '../../../src/domain/ids';
import { inBrowser } from '../../setup/browser';
import { openBrowser } from '../../setup/chromium';
import { plainPicture } from '../../setup/pictures';
import { sharedStack } from '../../setup/stack';
import { type Actors, actorsOf, CARDS, type Json, send } from '../client';
import { Goods } from '../goods';
import { Transfers } from '../p2p';
import { Seller } from '../sellers';
import { seededSession } from './people';
import { DESKTOP, PHONE, Visitor } from './visitor';

const { credentials, apiUrl } = sharedStack();
const LINKS = '/payment-links/1.0.0/links';

/** A moment as one writes it into the page: the browser has the time zone of this machine. */
const localText = (at: number) => new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

inBrowser('a tenant admin', () => {
  let browser: Browser;
  let actors: Actors;
  let shop: Seller;
  let goods: Goods;
  let visitor: Visitor;
  let enter: (visitor: Visitor) => Promise<void>;

  beforeAll(async () => {
    browser = await openBrowser();
    actors = await actorsOf(credentials);
    shop = await Seller.create(credentials, actors, null);
    goods = new Goods({ ...actors, merchant: shop.merchant });
    enter = await seededSession(credentials, 'tenantAdmin');
  });
  afterAll(() => browser.close());
  afterEach(() => visitor.close());

  async function customerWithDocument(): Promise<Json> {
    const email = `${newUuid()}@example.com`;
    const { body } = await actors.tenantAdmin.post('/customer/1.0.0/create', {
      customerType: 'Person',
      customerName: `Ada ${email.slice(0, 8)}`,
      organizationId: shop.organizationId,
      customerStatus: 'under_verificaiton',
      person: {
        firstName: { name: 'Ada' },
        lastName: { name: 'Lovelace' },
        email,
        documents: [{ purpose: 'KYC', documentType: 'ID front side', name: 'Identity card' }],
      },
    });
    const base = `/customer/1.0.0/${body.customerId}/documents`;
    const { body: documents } = await actors.tenantAdmin.get(base);
    const file = await plainPicture(200, 120, '#336699');
    const path = `${base}/${documents.data[0].documentId}/file`;
    const { headers } = actors.tenantAdmin;
    const kept = await fetch(apiUrl + path, {
      method: 'PUT',
      headers: { ...headers, 'content-type': 'image/png' },
      body: new Uint8Array(file),
    });
    expect(kept.status).toBe(200);
    return { ...body, email };
  }

  it('looks at a link and an item, approves both at once, rejects another with a reason', async () => {
    const [one, other] = [
      await goods.added({ name: `Cup ${newUuid()}` }),
      await goods.added({ name: `Jar ${newUuid()}` }),
    ];
    const title = `A gift ${newUuid()}`;
    const gift = { amount: { min: '5.00', max: '500.00' }, currency: 'EUR', title, approval: 'required' };
    const { linkId } = (await shop.merchant.post(LINKS, gift)).body;

    visitor = await Visitor.open(browser, apiUrl, DESKTOP);
    const { page } = visitor;
    await enter(visitor);
    await visitor.go('/');
    await page.evaluate(
      `localStorage.setItem('tillway.scope', '${JSON.stringify({ organizationId: shop.organizationId })}')`,
    );
    await visitor.go('/approvals');
    await page.getByRole('button', { name: `Details of ${title}` }).click();
    await page.getByText('€5.00 to €500.00').waitFor();
    await page.getByRole('button', { name: `Details of ${one.name}` }).click();
    await page.getByText(one.sku).waitFor();
    await visitor.look('approvals-desktop-light');

    for (const name of [title, one.name]) await page.getByLabel(`Choose ${name}`).check();
    await page.getByRole('button', { name: 'Approve (2)' }).click();
    await page.getByText('Approve 2 of what waits?').waitFor();
    await page.getByRole('button', { name: 'Yes, do it' }).click();
    await page.getByText('2 decided.').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('region', { name: 'What became of it' }).getByText(title).waitFor();
    expect((await shop.merchant.get(`${LINKS}/${linkId}`)).body.status).toBe('active');
    expect((await goods.item(one.itemId)).status).toBe('approved');

    await page.getByLabel(`Choose ${other.name}`).check();
    await page.getByRole('button', { name: 'Reject (1)' }).click();
    await page.getByLabel('Reason').fill('The picture is missing.');
    await page.getByRole('button', { name: 'Yes, do it' }).click();
    await page.getByText('1 decided.').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    expect(await goods.item(other.itemId)).toMatchObject({ status: 'rejected', reason: 'The picture is missing.' });
    await visitor.look('approvals-decided-desktop-light');
  });

  it('finds a customer by e-mail, sees its document and approves it, on a phone', async () => {
    const { customerId, customerName, email } = await customerWithDocument();
    visitor = await Visitor.open(browser, apiUrl, PHONE);
    const { page } = visitor;
    await enter(visitor);
    await visitor.go('/customers');
    await page.getByLabel('E-mail, telephone or id').fill(email);
    await page.getByText(customerName).waitFor();
    await page.waitForURL(/search/);
    await visitor.look('customers-phone-dark');
    await page.getByText(customerName).click();
    await page.getByRole('button', { name: `Show Identity card of ${customerName}` }).click();
    await page.getByRole('img', { name: `Identity card of ${customerName}` }).waitFor();
    await visitor.look('customer-phone-dark');
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByRole('button', { name: 'Yes, do it' }).click();
    await page.getByText('Identity card" is verified.').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    const { body } = await actors.tenantAdmin.get(`/customer/1.0.0/fetch/${customerId}`);
    expect(body.customerStatus).toBe('verified');
    for (const tab of ['Wallet', 'Activity', 'Security']) {
      await page.getByRole('tab', { name: tab }).click();
      await visitor.look(`customer-${tab.toLowerCase()}-phone-dark`);
    }
  });

  it('corrects a record without touching the rest of it, and removes a saved card', async () => {
    const { customerId, customerName } = await customerWithDocument();
    const fetchPath = `/customer/1.0.0/fetch/${customerId}`;
    const phone = { phoneType: 'mobile', number: '+351210000000' };
    const more = { person: { nationality: 'PT', telephoneNumbers: [phone] } };
    const { headers } = actors.tenantAdmin;
    await send(`${apiUrl}/customer/1.0.0/update/${customerId}`, { method: 'PUT', headers, body: more });
    const card = { number: CARDS.visa, holder: 'Ada Lovelace', expiryMonth: '12', expiryYear: '2040', cvv: '123' };
    expect((await actors.tenantAdmin.post(`/customer/1.0.0/${customerId}/paymentMethods`, { card })).status).toBe(201);
    visitor = await Visitor.open(browser, apiUrl, DESKTOP);
    const { page } = visitor;
    await enter(visitor);
    await visitor.go(`/customers/${customerId}/show`);
    await page.getByRole('button', { name: 'Change the record' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change the record' });
    await dialog.getByLabel('Last name').fill('King');
    await dialog.getByLabel('Nationality').fill('');
    await visitor.look('customer-change-desktop-light');
    await dialog.getByRole('button', { name: 'Yes, do it' }).click();
    await page.getByText('The record is changed.').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    const { body: changed } = await actors.tenantAdmin.get(fetchPath);
    expect(changed.person).toMatchObject({
      firstName: { name: 'Ada' },
      lastName: { name: 'King' },
      telephoneNumbers: [phone],
    });
    expect(changed).toMatchObject({ customerName });
    expect(changed.person.nationality).toBeUndefined();

    await page.getByRole('tab', { name: 'Wallet' }).click();
    const cards = page.getByRole('region', { name: 'Saved cards' });
    await cards.getByRole('button', { name: 'Remove' }).click();
    await page.getByText(/^Remove VISA •••• 1111\?/).waitFor();
    await page.getByRole('button', { name: 'Yes, do it' }).click();
    await cards.getByText('Nothing here yet.').waitFor();
    const { body: saved } = await actors.tenantAdmin.get(`/customer/1.0.0/${customerId}/paymentMethods`);
    expect(saved.data).toEqual([]);
  });

  it('takes the payouts of a time as a file for a bank, and hears that there are none', async () => {
    visitor = await Visitor.open(browser, apiUrl, DESKTOP);
    const { page } = visitor;
    await enter(visitor);
    await visitor.go('/payouts');
    await page.getByRole('button', { name: 'File for a bank (pain.001)' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('From').fill('2020-01-01T00:00');
    await dialog.getByLabel('Until').fill('2020-02-01T00:00');
    await visitor.look('bank-file-desktop-light');
    await dialog.getByRole('button', { name: 'Yes, do it' }).click();
    await dialog.getByRole('alert').waitFor();

    const seller = await Seller.create(credentials, actors);
    await seller.sold('10.00');
    const { body } = await seller.payOut();
    await dialog.getByLabel('From').fill(localText(Date.now() - 3_600_000));
    await dialog.getByLabel('Until').fill(localText(Date.now() + 3_600_000));
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Yes, do it' }).click(),
    ]);
    expect(await readFile(await file.path(), 'utf8')).toContain(`<EndToEndId>${body.payoutId}</EndToEndId>`);
  });

  it('sees what a fee would charge before it is set', async () => {
    visitor = await Visitor.open(browser, apiUrl, DESKTOP);
    const { page } = visitor;
    await enter(visitor);
    await visitor.go('/fees/create');
    // A currency that no other suite charges in.
    await page.getByLabel('Currency').fill('CZK');
    await page.getByLabel('Share in basis points').fill('125');
    await page.getByLabel('At least').fill('0.30');
    await page.getByLabel('Amounts to try').fill('10.00 1000.00');
    const preview = page.getByRole('region', { name: 'What it would charge' });
    await preview.getByText('CZK 0.30').waitFor();
    await preview.getByText('CZK 12.50').waitFor();
    await preview.getByText('CZK 1,012.50').waitFor();
    await visitor.look('fee-create-desktop-light');
    await page.getByRole('button', { name: 'Set the fee' }).click();
    await page.getByRole('button', { name: 'Yes, do it' }).click();
    await page.waitForURL(/\/fees$/);
    const { body } = await actors.tenantAdmin.get('/wallet/1.0.0/fees?operation=p2p&currency=CZK&limit=1');
    expect(body.data[0]).toMatchObject({ basisPoints: 125, minimum: '0.30', payer: 'sender', inEffect: true });
    await visitor.look('fees-desktop-light');
  });

  it('reverses a transfer, in Portuguese', async () => {
    const transfers = new Transfers(actors.tenantAdmin, actors);
    const [ann, bob] = [await transfers.member('20.00'), await transfers.member()];
    const { body } = await transfers.send(ann.customerId, bob.handle, { amount: '5.00', currency: 'EUR' });
    visitor = await Visitor.open(browser, apiUrl, DESKTOP);
    const { page } = visitor;
    await enter(visitor);
    await visitor.go('/');
    await page.evaluate("localStorage.setItem('tillway.language', 'pt')");
    await visitor.go(`/transfers/${body.transferId}/show`);
    await visitor.look('transfer-desktop-light-pt');
    await page.getByRole('button', { name: 'Reverter' }).click();
    await page.getByLabel('Motivo').fill('Foi um engano.');
    await page.getByRole('button', { name: 'Sim, fazer' }).click();
    await page.getByText(/voltou para/).waitFor();
    const { body: now } = await actors.tenantAdmin.get(`/p2p/1.0.0/transfers/${body.transferId}`);
    expect(now.status).toBe('reversed');
    await page.getByRole('button', { name: 'Fechar' }).click();
    await visitor.look('transfer-reversed-desktop-light-pt');
  });
});
