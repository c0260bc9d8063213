import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { inBrowser } from '../../setup/browser';
import { openBrowser } from '../../setup/chromium';
import { sharedStack } from '../../setup/stack';
import { type Actors, actorsOf, send } from '../client';
import { Transfers } from '../p2p';
import { codeTo, lettersTo, type Member, newMember, PASSWORD } from '../page-visitors';
import { Topups } from '../topups';
import { Initiator, paymentTo } from './initiator';
import { type Journey, Provider } from './journey';
import { look, PHONE, signIn } from './page-look';

const { credentials, apiUrl } = sharedStack();
const { authUrl, tpp } = credentials;
inBrowser('a customer with a browser', () => {
  const provider = new Provider(credentials);
  let actors: Actors;
  let browser: Browser;
  let eve: Member;
  beforeAll(async () => {
    actors = await actorsOf(credentials);
    browser = await openBrowser();
    eve = await newMember(actors.tenantAdmin);
    const topups = new Topups(actors.tenantAdmin);
    await topups.made(eve.customerId, { amount: '50.00' });
    await topups.made(eve.customerId, { amount: '50.00', currency: 'USD' });
  });
  afterAll(async () => {
    provider.close();
    await browser?.close();
  });

  /** Opens what a provider sends a customer to, and closes it after the work. */
  async function visit(journey: Journey, device: BrowserContextOptions, work: (page: Page) => Promise<void>) {
    const context = await browser.newContext(device);
    const page = await context.newPage();
    await page.goto(new URL(journey.start, authUrl).href);
    await work(page);
    await context.close();
  }

  /** Where the page has sent the customer back to. */
  async function backFrom(page: Page): Promise<URL> {
    await page.waitForURL((url) => url.href.startsWith(tpp.redirectUri));
    return new URL(page.url());
  }

  test('reads who asks for what, in both languages, chooses accounts on a phone and confirms', async () => {
    const consent = await provider.accountConsent(eve.customerId, {
      permissions: ['ReadAccountsDetail', 'ReadBalances', 'ReadTransactionsDetail', 'ReadTransactionsCredits'].map(
        (name) => ({ name }),
      ),
    });
    const journey = provider.journey(consent);
    await visit(journey, PHONE, async (page) => {
      await look(browser, page, 'phone-consent-sign-in');
      await signIn(page, eve);
      await page.getByRole('heading', { name: 'Share account information', level: 1 }).waitFor();
      await page.getByText(`${tpp.name} asks to read the accounts`).waitFor();
      expect(await page.getByRole('listitem').allInnerTexts()).toEqual([
        'Your accounts with their numbers',
        'Your balances',
        'Your transactions',
        'Money that you received',
      ]);
      await page.getByRole('link', { name: 'Português' }).click();
      await page.getByRole('heading', { name: 'Partilhar informação de contas' }).waitFor();
      expect(await page.locator('html').getAttribute('lang')).toBe('pt');
      await look(browser, page, 'phone-consent-portuguese');
      await page.getByRole('link', { name: 'English' }).click();
      await page.getByRole('button', { name: 'Confirm' }).click();
      await page.getByText('Choose at least one account.').waitFor();
      await look(browser, page, 'phone-consent-none-chosen');
      // As it was before: without the reproach.
      await page.goto(page.url());
      const boxes = page.getByRole('group', { name: 'Choose accounts' }).getByRole('checkbox');
      expect(await boxes.count()).toBe(2);
      await page.getByLabel('(EUR)').check();
      await look(browser, page, 'phone-consent');
      const address = page.url();
      await page.getByRole('button', { name: 'Confirm' }).click();
      const back = await backFrom(page);
      expect((await provider.caller.token(journey.exchange(back))).status).toBe(200);
      await page.goto(address);
      await page.getByRole('heading', { name: 'This request has ended' }).waitFor();
      await look(browser, page, 'phone-consent-over');
    });
    const { accounts } = (await actors.tenantAdmin.get(`/consents/1.0.0/consents/${consent.consentId}`)).body;
    expect(accounts).toEqual([expect.objectContaining({ currency: 'EUR' })]);
  });

  test('refuses with the keyboard alone, without JavaScript, in Portuguese, after the second factor', async () => {
    const member = await newMember(actors.tenantAdmin);
    const path = `${apiUrl}/customer/1.0.0/twoFA/changeTwoFa/${member.customerId}`;
    await send(path, { method: 'PUT', headers: actors.tenantAdmin.headers, body: { login: true } });
    const earlier = await lettersTo(apiUrl, member.email);
    const consent = await provider.accountConsent(member.customerId);
    const device = { ...PHONE, isMobile: false, hasTouch: false, javaScriptEnabled: false, locale: 'pt-PT' };
    await visit(provider.journey(consent), device, async (page) => {
      await page.getByLabel('Endereço de e-mail').focus();
      await page.keyboard.type(member.email);
      await page.keyboard.press('Tab');
      await page.keyboard.type(PASSWORD);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Mais um passo' }).waitFor();
      await page.getByLabel('Código').focus();
      await page.keyboard.type(await codeTo(apiUrl, member.email, earlier));
      await page.keyboard.press('Enter');
      await page.getByText('Sessão iniciada por').waitFor();
      // Without an account there is nothing to confirm.
      await page.getByText('Não tem nenhuma conta que possa ser usada aqui.').waitFor();
      expect(await page.getByRole('button', { name: 'Confirmar' }).count()).toBe(0);
      await page.getByRole('button', { name: 'Recusar' }).focus();
      await page.keyboard.press('Enter');
      expect((await backFrom(page)).searchParams.get('error')).toBe('access_denied');
    });
    expect(await provider.statusOf(consent.consentId)).toBe('Rejected');
  });

  test('sees that the request is for somebody else, and signs in as who is asked', async () => {
    const mallory = await newMember(actors.tenantAdmin, 'Mallory Mean');
    await visit(provider.journey(await provider.accountConsent(eve.customerId)), PHONE, async (page) => {
      await signIn(page, mallory);
      await page.getByRole('heading', { name: 'This request is for somebody else' }).waitFor();
      await look(browser, page, 'phone-consent-somebody-else');
      await page.getByRole('button', { name: 'Sign out' }).click();
      await signIn(page, eve);
      await page.getByRole('heading', { name: 'Share account information' }).waitFor();
    });
  });

  test('confirms a payment with the code that names amount and payee', async () => {
    const one = await Initiator.open(credentials);
    const transfers = new Transfers(actors.tenantAdmin, actors);
    const iban = await transfers.ibanOf(await transfers.member('1.00'));
    const { consentId } = await one.consent(paymentTo(iban, '12.34'));
    one.close();
    const journey = provider.journey({ consentId });
    await visit(journey, PHONE, async (page) => {
      await signIn(page, eve);
      await page.getByRole('heading', { name: 'Confirm a payment' }).waitFor();
      expect(await page.locator('dd').allInnerTexts()).toEqual(['€12.34', `Corner Shop (${iban})`]);
      // The account in dollars cannot pay euros.
      expect(await page.getByRole('group', { name: 'Choose an account' }).getByRole('radio').count()).toBe(1);
      await look(browser, page, 'phone-consent-payment');
      const earlier = await lettersTo(apiUrl, eve.email);
      await page.getByRole('button', { name: 'Confirm' }).click();
      await page.getByRole('heading', { name: 'Confirm the payment' }).waitFor();
      const code = await codeTo(apiUrl, eve.email, earlier);
      expect(await page.locator('dd').allInnerTexts()).toEqual(['€12.34', 'Corner Shop']);
      await page.getByLabel('Code').fill(code === '000000' ? '000001' : '000000');
      await page.getByRole('button', { name: 'Confirm' }).click();
      await page.getByText('The code is wrong, used or too old.').waitFor();
      await look(browser, page, 'phone-consent-step-up');
      await page.getByLabel('Code').fill(code);
      await page.getByRole('button', { name: 'Confirm' }).click();
      const { status, body } = await provider.caller.token(journey.exchange(await backFrom(page)));
      expect([status, body.scope]).toEqual([200, 'openid payments']);
    });
  });
});
