import type { Browser, Page } from 'playwright-core';
import { inBrowser } from '../../setup/browser';
import { openBrowser } from '../../setup/chromium';
import { sharedStack } from '../../setup/stack';
import { type Actors, actorsOf, send } from '../client';
import { Transfers } from '../p2p';
import { codeTo, lettersTo, type Member, newMember, PASSWORD } from '../page-visitors';
import { Topups } from '../topups';
import { Initiator, paymentTo } from './initiator';
import { accountsIn, Customer, Provider } from './journey';
import { look, PHONE, signIn } from './page-look';
import { withoutCertificate } from './tpp';

const { credentials, apiUrl } = sharedStack();
const { authUrl, tenantId, tpp } = credentials;
const LIST = `${authUrl}/consents/${tenantId}`;

inBrowser('a customer who looks at what was allowed', () => {
  const provider = new Provider(credentials);
  const plain = withoutCertificate(credentials);
  let actors: Actors;
  let browser: Browser;
  let eve: Member;
  beforeAll(async () => {
    actors = await actorsOf(credentials);
    browser = await openBrowser();
    eve = await newMember(actors.tenantAdmin);
    await new Topups(actors.tenantAdmin).made(eve.customerId, { amount: '50.00' });
  });
  afterAll(async () => {
    for (const one of [provider, plain]) one.close();
    await browser?.close();
  });

  /** Eve confirms a consent to read accounts; the provider reads them, and asks for more than it may. */
  async function allowed(): Promise<{ consentId: string }> {
    const consent = await provider.accountConsent(eve.customerId);
    const journey = provider.journey(consent);
    const customer = new Customer(plain);
    const { page, shown } = await customer.signIn(journey, eve);
    const back = await customer.decide(page, 'confirm', accountsIn(shown));
    const { body } = await provider.caller.token(journey.exchange(back));
    const headers = { authorization: `Bearer ${body.access_token}` };
    const accounts = '/open-banking/2.0.0/accounts';
    const { AccountId } = (await provider.caller.send(accounts, { headers })).body.Data.Account[0];
    const present = { ...headers, 'x-fapi-customer-ip-address': '192.0.2.1' };
    await provider.caller.send(`${accounts}/${AccountId}/balances`, { headers: present });
    await provider.caller.send(`${accounts}/${AccountId}/transactions`, { headers });
    return consent as { consentId: string };
  }

  /** Eve confirms a payment, which is not made yet. */
  async function payable(): Promise<void> {
    const one = await Initiator.open(credentials);
    const transfers = new Transfers(actors.tenantAdmin, actors);
    const iban = await transfers.ibanOf(await transfers.member('1.00'));
    const { consentId } = await one.consent(paymentTo(iban, '12.34'));
    one.close();
    const journey = provider.journey({ consentId });
    const customer = new Customer(plain);
    const { page, shown } = await customer.signIn(journey, eve);
    const { confirm } = await customer.askToPay(page, shown, eve, apiUrl);
    await customer.back(await confirm());
  }

  async function onPhone(work: (page: Page) => Promise<void>, device: object = {}): Promise<void> {
    const context = await browser.newContext({ ...PHONE, ...device });
    await work(await context.newPage());
    await context.close();
  }

  test('finds the pages from the page that asks, reads who read what in both languages, ends it and signs out', async () => {
    const { consentId } = await allowed();
    await payable();
    const asking = provider.journey(await provider.accountConsent(eve.customerId));
    await onPhone(async (page) => {
      await page.goto(new URL(asking.start, authUrl).href);
      await page.getByRole('link', { name: 'What you have allowed' }).click();
      await signIn(page, eve);
      await page.getByRole('heading', { name: 'What you have allowed', level: 1 }).waitFor();
      await look(browser, page, 'phone-own-consents');
      await page.getByRole('link', { name: 'Português' }).click();
      await page.getByRole('heading', { name: 'O que autorizou' }).waitFor();
      expect(await page.locator('html').getAttribute('lang')).toBe('pt');
      await look(browser, page, 'phone-own-consents-portuguese');
      await page.locator(`a[href*="${consentId}"]`).click();
      await page.getByRole('heading', { name: 'Quem leu o quê' }).waitFor();
      await look(browser, page, 'phone-own-consent-portuguese');
      await page.getByRole('link', { name: 'English' }).click();
      await page.getByRole('heading', { name: tpp.name, level: 1 }).waitFor();
      expect(await page.getByRole('listitem').allInnerTexts()).toEqual([
        'Your accounts with their numbers',
        'Your balances',
      ]);
      expect(await page.getByRole('heading', { level: 3 }).allInnerTexts()).toEqual(
        expect.arrayContaining(['Transactions', 'Balances', 'Accounts']),
      );
      await look(browser, page, 'phone-own-consent');
      await page.getByRole('link', { name: 'End this access' }).click();
      await page.getByRole('heading', { name: `End the access of ${tpp.name}?` }).waitFor();
      await look(browser, page, 'phone-own-consent-end');
      await page.getByRole('button', { name: 'End it now' }).click();
      await page.getByText('The access has ended.').waitFor();
      await look(browser, page, 'phone-own-consent-ended');
      // The question is not kept, so nobody can answer it twice.
      await page.goBack();
      await page.getByText('This access had ended before.').waitFor();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    });
    expect(await provider.statusOf(consentId)).toBe('Revoked');
  });

  test('signs in with the second factor and ends it with the keyboard alone, without JavaScript, in Portuguese', async () => {
    const member = await newMember(actors.tenantAdmin);
    const { consentId } = await provider.accountConsent(member.customerId);
    const path = `${apiUrl}/customer/1.0.0/twoFA/changeTwoFa/${member.customerId}`;
    await send(path, { method: 'PUT', headers: actors.tenantAdmin.headers, body: { login: true } });
    const earlier = await lettersTo(apiUrl, member.email);
    const device = { isMobile: false, hasTouch: false, javaScriptEnabled: false, locale: 'pt-PT' };
    await onPhone(async (page) => {
      await page.goto(LIST);
      await page.getByLabel('Endereço de e-mail').focus();
      await page.keyboard.type(member.email);
      await page.keyboard.press('Tab');
      await page.keyboard.type(PASSWORD);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Mais um passo' }).waitFor();
      await page.getByLabel('Código').focus();
      await page.keyboard.type(await codeTo(apiUrl, member.email, earlier));
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'O que autorizou' }).waitFor();
      await page.goto(`${LIST}/${consentId}?lang=pt`);
      await page.getByRole('link', { name: 'Terminar este acesso' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Terminar agora' }).focus();
      await page.keyboard.press('Enter');
      await page.getByText('O acesso terminou.').waitFor();
    }, device);
    expect(await provider.statusOf(consentId)).toBe('Rejected');
  });
});
