import type { Browser } from 'playwright-core';
import { inBrowser } from '../setup/browser';
import { openBrowser } from '../setup/chromium';
import { sharedStack } from '../setup/stack';
import { actorsOf, CAPTURED, CARDS, type Merchant, PAYMENTS, until } from './client';

inBrowser('a payer with a browser on a phone', () => {
  let browser: Browser;
  let merchant: Merchant;

  beforeAll(async () => {
    [browser, { merchant }] = await Promise.all([openBrowser(), actorsOf(sharedStack().credentials)]);
  });
  afterAll(() => browser?.close());

  /** Pays, opens the challenge, presses the button, and answers where the payer ends up, and the payment. */
  async function payAndPress(button: string, states: readonly string[]) {
    const { body } = await merchant.pay(CARDS.challenge, {
      descriptor: 'Books & <b>Coffee</b>',
      returnUrl: `${merchant.apiUrl}/docs`,
    });
    const { paymentId, action } = body.data;
    const context = await browser.newContext({
      viewport: { width: 360, height: 640 },
      isMobile: true,
      hasTouch: true,
      javaScriptEnabled: false,
    });
    const page = await context.newPage();
    await page.goto(action.url);
    expect(await page.locator('dd').allInnerTexts()).toEqual([
      'Books & <b>Coffee</b>',
      '10.00 EUR',
      'VISA ending in 3220',
      expect.stringMatching(/^pay_/),
      expect.stringMatching(/UTC$/),
    ]);
    // Nothing sticks out at the side, and the buttons are large enough for a thumb.
    expect((await page.locator('main').boundingBox())!.width).toBeLessThan(360);
    expect((await page.getByRole('button', { name: button }).boundingBox())!.height).toBeGreaterThanOrEqual(44);
    await page.getByRole('button', { name: button }).tap();
    await page.waitForURL(`${merchant.apiUrl}/docs?**`);
    const backAt = new URL(page.url());
    const payment = await until('the end of the payment', async () => {
      const { data } = (await merchant.get(`${PAYMENTS}/${paymentId}/status-by-payment-id`)).body;
      return states.includes(data.transactionStatus) && data;
    });
    // Back from the merchant to the issuer: there is nothing left to press.
    const again = await page.goto(action.url);
    expect([again!.status(), await page.getByRole('button').count()]).toEqual([410, 0]);
    await context.close();
    return { paymentId, payment, backAt };
  }

  test('says yes: the payment is captured, and the payer is back at the merchant', async () => {
    const { paymentId, payment, backAt } = await payAndPress('Yes, this is my payment', CAPTURED);
    expect(backAt.searchParams.get('paymentId')).toBe(paymentId);
    expect(payment.amounts.captured).toBe('10.00');
  });

  test('says no: the payment fails and nothing is captured', async () => {
    const { payment } = await payAndPress('No, refuse it', ['failed']);
    expect([payment.result.code, payment.amounts.captured]).toEqual([300, '0.00']);
  });
});
