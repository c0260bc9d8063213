import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { violations } from '../setup/accessibility';
import { inBrowser } from '../setup/browser';
import { openBrowser } from '../setup/chromium';
import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, CARDS, type Json, send } from './client';
import { codeTo, lettersTo, type Member, newMember, PASSWORD } from './page-visitors';

const { credentials, apiUrl } = sharedStack();
const LINKS = '/payment-links/1.0.0/links';
const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 800 } };

inBrowser('a customer with a browser', () => {
  let actors: Actors;
  let browser: Browser;
  beforeAll(async () => {
    actors = await actorsOf(credentials);
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  async function link(body: object = {}): Promise<Json> {
    const lines = [{ description: 'Two hours of consulting', amount: '60.00', quantity: 2 }];
    const whole = { title: 'Consulting in November', currency: 'EUR', ...('amount' in body ? {} : { lines }), ...body };
    return (await actors.merchant.post(LINKS, whole)).body;
  }

  /** Looks at a page as a person would: it fits the screen, and nothing is in anybody's way. */
  async function look(page: Page, name: string): Promise<void> {
    if (process.env.SCREENSHOTS)
      await page.screenshot({ path: join(process.env.SCREENSHOTS, `${name}.png`), fullPage: true });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await violations(browser, page)).toEqual([]);
  }

  async function open(url: string, device: BrowserContextOptions): Promise<{ page: Page; context: BrowserContext }> {
    const context = await browser.newContext(device);
    const page = await context.newPage();
    await page.goto(url);
    return { page, context };
  }

  async function signIn(page: Page, { email }: Member): Promise<void> {
    await page.getByRole('link', { name: 'Sign in to pay with a saved card' }).click();
    await page.getByLabel('E-mail address, telephone number or user name').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Signed in as').waitFor();
  }

  async function fill(page: Page, card: string): Promise<void> {
    await page.getByLabel('Card number').fill(card);
    await page.getByLabel('Expiry date').fill('12/40');
    await page.getByLabel('Security code').fill('123');
    await page.getByLabel('Name on the card').fill('Eve Moneypenny');
  }

  test.each([
    ['phone', PHONE],
    ['desktop', DESKTOP],
  ])('signs in, saves a card, pays with it after a code, and sees it all again: %s', async (name, device) => {
    const member = await newMember(actors.tenantAdmin);
    const { url } = await link();
    const { page, context } = await open(url, device);
    await page.getByRole('link', { name: 'Sign in to pay with a saved card' }).click();
    await look(page, `${name}-sign-in`);
    await page.getByLabel('E-mail address, telephone number or user name').fill(member.email);
    await page.getByLabel('Password').fill('wrong password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    await look(page, `${name}-sign-in-refused`);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Signed in as').waitFor();
    expect(await page.getByLabel('E-mail address').inputValue()).toBe(member.email);
    const box = page.getByLabel('Save this card for my next payments');
    expect(await box.isChecked()).toBe(false);
    await box.check();
    await fill(page, CARDS.challenge);
    await look(page, `${name}-signed-in`);
    await page.getByRole('button', { name: 'Pay €120.00' }).click();
    await page.getByRole('button', { name: 'Yes, this is my payment' }).click();
    await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor();

    const earlier = await lettersTo(apiUrl, member.email);
    await page.goto((await link({ title: 'Consulting in December' })).url);
    await page.getByRole('link', { name: 'VISA … 3220' }).waitFor();
    await look(page, `${name}-saved-card`);
    await page.getByRole('button', { name: 'Pay €120.00' }).click();
    await page.getByRole('heading', { name: 'Confirm the payment' }).waitFor();
    const code = await codeTo(apiUrl, member.email, earlier);
    await page.getByLabel('Code').fill(code === '000000' ? '000001' : '000000');
    await page.getByRole('button', { name: 'Confirm and pay' }).click();
    await page.getByText('The code is wrong, used or too old.').waitFor();
    await look(page, `${name}-step-up`);
    expect(await page.locator('dd').allInnerTexts()).toEqual(['€120.00', 'Corner Shop', 'VISA … 3220']);
    await page.getByLabel('Code').fill(code);
    await page.getByRole('button', { name: 'Confirm and pay' }).click();
    await page.getByRole('button', { name: 'Yes, this is my payment' }).click();
    await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor();

    await page.getByRole('link', { name: 'My payments' }).click();
    expect(await page.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual([
      'Consulting in December',
      'Consulting in November',
    ]);
    await look(page, `${name}-history`);
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByRole('link', { name: 'Sign in to pay with a saved card' }).waitFor();
    // Nothing of it is kept by the browser either.
    await page.goBack();
    await page.reload();
    expect(await page.getByText('Consulting in December').count()).toBe(0);
    await context.close();
  });

  test('with the keyboard alone, without JavaScript, in Portuguese, with the second factor', async () => {
    const member = await newMember(actors.tenantAdmin);
    const path = `${apiUrl}/customer/1.0.0/twoFA/changeTwoFa/${member.customerId}`;
    await send(path, { method: 'PUT', headers: actors.tenantAdmin.headers, body: { login: true } });
    const earlier = await lettersTo(apiUrl, member.email);
    const { url } = await link();
    const device = { ...DESKTOP, javaScriptEnabled: false, locale: 'pt-PT' };
    const context = await browser.newContext(device);
    const page = await context.newPage();
    await page.goto(url);
    await page.getByRole('link', { name: 'Entrar para pagar com um cartão guardado' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Endereço de e-mail').focus();
    await page.keyboard.type(member.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Mais um passo' }).waitFor();
    await page.getByLabel('Código').focus();
    await page.keyboard.type(await codeTo(apiUrl, member.email, earlier));
    await page.keyboard.press('Enter');
    await page.getByText('Sessão iniciada como').waitFor();
    await context.close();
  });

  test('tops up the own wallet, which is named and no more, by a link on a phone', async () => {
    const member = await newMember(actors.tenantAdmin);
    const { url } = await link({
      purpose: 'topup',
      customerId: member.customerId,
      title: 'Top up your wallet',
      amount: { min: '5.00', max: '50.00' },
    });
    const { page, context } = await open(url, PHONE);
    expect(await page.locator('dd').allInnerTexts()).toEqual(['E… M…']);
    await signIn(page, member);
    await page.getByLabel('Amount').fill('12.50');
    await fill(page, CARDS.declined);
    await look(page, 'phone-topup');
    await page.getByRole('button', { name: 'Pay' }).click();
    await page.getByRole('heading', { name: 'Not paid' }).waitFor();
    await page.getByRole('link', { name: 'Pay in another way' }).click();
    await page.getByLabel('Amount').fill('12.50');
    await fill(page, CARDS.challenge);
    await page.getByRole('button', { name: 'Pay' }).click();
    await page.getByRole('button', { name: 'Yes, this is my payment' }).click();
    await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor();
    await look(page, 'phone-topup-paid');
    await context.close();
  });
});
