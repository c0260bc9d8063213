import { randomUUID } from 'node:crypto';
import type { Browser } from 'playwright-core';
import { inBrowser } from '../../setup/browser';
import { openBrowser } from '../../setup/chromium';
import { type Credentials, sharedStack } from '../../setup/stack';
import { type Actors, actorsOf, CAPTURED, CARDS, type Json, until } from '../client';
import { addressOf, linkTo } from '../staff';
import { ownTenant } from '../tenants';
import { newCustomer, Topups } from '../topups';
import { newPerson } from './people';
import { Visitor } from './visitor';

/** What a tenant admin sets for a whole tenant, and does about its money. In a tenant of its own. */

const { credentials, apiUrl } = sharedStack();
const LINKS = '/payment-links/1.0.0';
const GIFT = { amount: '20.00', currency: 'EUR', title: 'A gift' };

inBrowser('a tenant admin, for all of the tenant', () => {
  let browser: Browser;
  let tenant: Credentials;
  let actors: Actors;
  let enter: (visitor: Visitor) => Promise<void>;
  let visitor: Visitor;

  beforeAll(async () => {
    tenant = await ownTenant();
    actors = await actorsOf(credentials, tenant);
    [browser, enter] = await Promise.all([openBrowser(), newPerson(actors.tenantAdmin, 'tenant_admin')]);
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    visitor = await Visitor.open(browser, apiUrl);
    await enter(visitor);
  });
  afterEach(() => visitor.close());

  it('gives the page of its buyers a name and a colour, and buyers see both', async () => {
    const { page } = visitor;
    await visitor.go('/page-theme');
    await page.getByLabel('Name that buyers know').fill('Harbour Bank');
    await page.getByLabel('Own colour of buttons and links').check();
    await page.getByLabel('Buttons and links', { exact: true }).fill('#0b5d3b');
    await visitor.look('theme-desktop-light');
    await visitor.order('Save');
    const { body: theme } = await actors.tenantAdmin.get(`${LINKS}/theme`);
    expect(theme).toMatchObject({ name: 'Harbour Bank', accent: '#0b5d3b' });

    const { body: link } = await actors.merchant.post(`${LINKS}/links`, GIFT);
    await page.goto(link.url);
    await page.getByText('Payments by Harbour Bank').waitFor();
    await page.getByRole('button', { name: 'Pay €20.00' }).waitFor();
    const colours = await page.evaluate(
      "Array.from(document.querySelectorAll('button'), (one) => getComputedStyle(one).backgroundColor)",
    );
    expect(colours).toContain('rgb(11, 93, 59)');
  });

  it('has every link wait for an admin', async () => {
    await visitor.go('/link-rules');
    await visitor.page.getByLabel('Every payment link waits for an admin').check();
    await visitor.page.getByLabel('Two admins from these amounts on').fill('15.00 EUR');
    await visitor.order('Save the rules');
    const { body: settings } = await actors.tenantAdmin.get(`${LINKS}/settings`);
    expect(settings).toMatchObject({ approvalRequired: true, fourEyes: [{ amount: '15.00', currency: 'EUR' }] });
    const { body: link } = await actors.merchant.post(`${LINKS}/links`, GIFT);
    expect(link).toMatchObject({ status: 'pending_approval', approval: { needed: 2 } });
  });

  it('brings a merchant on board, who is invited', async () => {
    const { page } = visitor;
    const email = addressOf('merchant');
    await visitor.go('/organizations/create');
    await page.getByLabel('Name of the business').fill('Tea & Co');
    await page.getByLabel('Name of the technical contact').fill('Tim Tea');
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Country', { exact: true }).fill('pt');
    await page.getByRole('button', { name: 'New merchant' }).dblclick();
    await page.getByRole('heading', { level: 1, name: 'Tea & Co' }).waitFor();
    await visitor.look('organization-new-desktop-light');
    expect(await linkTo(apiUrl, email)).toMatch(/./);
    const { body } = await actors.tenantAdmin.get('/onboarding/1.0.0/merchants?limit=200');
    const found = body.data.filter(({ technicalContact }: Json) => technicalContact?.email === email);
    expect(found).toMatchObject([{ businessName: 'Tea & Co', country: 'PT' }]);
  });

  it('sees a top-up and sends a part of it back, once', async () => {
    const customerId = await newCustomer(actors);
    const topups = new Topups(actors.tenantAdmin);
    const { topupId } = await topups.made(customerId, { amount: '20.00' }, CAPTURED);
    await topups.until(topupId, 'settled');
    const { page } = visitor;
    await visitor.go(`/topups?filter=${encodeURIComponent(JSON.stringify({ customerId }))}`);
    await page.getByText('€20.00').first().click();
    await page.getByRole('heading', { level: 1, name: '€20.00' }).waitFor();
    await visitor.order('Refund', { 'Amount in EUR': '5.00', Reason: 'Asked for it' }, 'It is refunded.');
    await visitor.look('topup-refunded-desktop-light');
    expect(await topups.until(topupId, 'partially_refunded')).toMatchObject({
      amounts: { refunded: '5.00' },
      refunds: [{ amount: '5.00', reason: 'Asked for it' }],
    });
    const { body } = await actors.tenantAdmin.get(`/wallet/1.0.0/customers/${customerId}/balances`);
    expect(body.data).toMatchObject([{ currency: 'EUR', available: '15.00' }]);
  });

  it('shares the customers of its organizations, and keeps them apart', async () => {
    const isShared = async (): Promise<boolean> =>
      (await actors.tenantAdmin.get('/customer/1.0.0/sharing')).body.shared;
    const { page } = visitor;
    await visitor.go('/routing');
    await page.getByText('Their own customers only').waitFor();
    await page.getByRole('button', { name: 'Share customers' }).click();
    await visitor.look('customer-sharing-desktop-light');
    await page.getByRole('button', { name: 'Yes, do it' }).click();
    await page.getByText('All customers of the tenant').waitFor();
    expect(await isShared()).toBe(true);
    await page.getByRole('button', { name: 'Keep customers apart' }).click();
    await page.getByRole('button', { name: 'Yes, do it' }).click();
    await page.getByText('Their own customers only').waitFor();
    expect(await isShared()).toBe(false);
  });

  it('sees what was decided about 3-D Secure for a top-up', async () => {
    const number = CARDS.authenticationRequired;
    const card = { number, holder: 'A Payer', expiryMonth: '12', expiryYear: '2030', cvv: '123' };
    const topups = new Topups(actors.tenantAdmin);
    const { body } = await topups.create(await newCustomer(actors), { card, threeDS: 'none' });
    await visitor.go(`/topups/${body.topupId}/show`);
    await visitor.page.getByText('Applied: required; asked for: without.').waitFor();
    await visitor.page.getByText('The issuer wanted the payer to authenticate.').waitFor();
    await visitor.look('topup-3ds-desktop-light');
  });

  it('sees the same for a payment of a merchant', async () => {
    const { body } = await actors.merchant.pay(CARDS.authenticationRequired, { threeDS: 'none' });
    const seller = await Visitor.open(browser, apiUrl);
    await (await newPerson(actors.tenantAdmin, 'merchant', { organizationId: tenant.organizationId }))(seller);
    await seller.go(`/payments/${body.data.paymentId}/show`);
    await seller.page.getByText('Applied: required; asked for: without.').waitFor();
    await seller.page.getByText('The issuer wanted the payer to authenticate.').waitFor();
    await seller.look('payment-3ds-desktop-light');
    await seller.close();
  });

  it('asks a buyer for a bank transfer, and uploads the statement that says it came', async () => {
    const { page } = visitor;
    const iban = 'DE75512108001245126199';
    await visitor.go('/bank-accounts');
    await visitor.order('Add an account', { IBAN: iban, Holder: 'Harbour Bank', Currency: 'EUR' });

    const seller = await Visitor.open(browser, apiUrl);
    await (await newPerson(actors.tenantAdmin, 'merchant', { organizationId: tenant.organizationId }))(seller);
    await seller.go('/bank-transfers/create');
    const id = randomUUID();
    await seller.page.getByLabel('Your id').fill(id);
    await seller.page.getByLabel('Amount').fill('10.00');
    await seller.page.getByLabel('Payer').fill('Ada Buyer');
    await seller.page.getByRole('button', { name: 'Ask', exact: true }).dblclick();
    await seller.page.waitForURL(/bank-transfers\/pay_\w+\/show/);
    const paymentId = /pay_\w+/.exec(seller.page.url())![0];
    await seller.look('bank-transfer-asked-desktop-light');
    const read = async () => (await actors.merchant.get(`/bank-transfer/1.0.0/transfers/${paymentId}`)).body;
    const { action } = await read();
    expect(action.fields).toMatchObject({ iban, amount: '10.00' });

    await visitor.go('/bank-statements');
    await page.getByRole('button', { name: 'Upload a statement' }).click();
    const buffer = Buffer.from(advice(iban, '10.00', action.fields.reference));
    await page.getByLabel('File', { exact: true }).setInputFiles({ name: 'today.xml', mimeType: 'text/xml', buffer });
    await page.getByRole('button', { name: 'Yes, do it' }).dblclick();
    await page.getByText('1 lines are stored and are booked now.').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await visitor.look('bank-statements-desktop-light');
    const paid = await until('the transfer counts', async () => {
      const transfer = await read();
      return CAPTURED.includes(transfer.transactionStatus) && transfer;
    });
    expect(paid).toMatchObject({ received: '10.00', missing: '0.00', arrivals: [{ status: 'counted' }] });
    await seller.go(`/bank-transfers/${paymentId}/show`);
    await seller.page.getByRole('region', { name: 'What came' }).getByText('€10.00').first().waitFor();
    await seller.close();
  });
});

/** What a bank writes of one transfer: a camt.054. */
function advice(iban: string, amount: string, text: string): string {
  return `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.054.001.08"><BkToCstmrDbtCdtNtfctn>
    <GrpHdr><MsgId>${randomUUID()}</MsgId></GrpHdr>
    <Ntfctn><Id>${randomUUID()}</Id><Acct><Id><IBAN>${iban}</IBAN></Id></Acct><Ntry><Amt Ccy="EUR">${amount}</Amt>
    <CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-11-20</Dt></BookgDt>
    <AcctSvcrRef>${randomUUID()}</AcctSvcrRef><NtryDtls><TxDtls><RltdPties><Dbtr><Pty><Nm>Ada Buyer</Nm></Pty></Dbtr>
    </RltdPties><RmtInf><Ustrd>${text}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry></Ntfctn>
    </BkToCstmrDbtCdtNtfctn></Document>`;
}
