import type { Browser, BrowserContextOptions } from 'playwright-core';
import { inBrowser } from '../../setup/browser';
import { openBrowser } from '../../setup/chromium';
import { sharedStack } from '../../setup/stack';
import { actorsOf, CARDS, type Json, type Merchant, transactionId, until } from '../client';
import { seededSession } from './people';
import { DESKTOP, PHONE, Visitor } from './visitor';

const { credentials } = sharedStack();

inBrowser('a merchant at the console', () => {
  let browser: Browser;
  let merchant: Merchant;
  let enter: Awaited<ReturnType<typeof seededSession>>;

  beforeAll(async () => {
    browser = await openBrowser();
    merchant = (await actorsOf(credentials)).merchant;
    enter = await seededSession(credentials, 'merchant');
  });
  afterAll(() => browser?.close());

  async function arrive(device: BrowserContextOptions = DESKTOP): Promise<Visitor> {
    const visitor = await Visitor.open(browser, credentials.apiUrl, device);
    await enter(visitor);
    return visitor;
  }

  test('finds a payment by its last digits and refunds a part of it once, whatever happens to the answer', async () => {
    const merchantTransactionId = transactionId();
    const { paymentId } = await merchant.paid(CARDS.amex, { merchantTransactionId, amount: '25.00' });
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.go('/payments');
    await page.getByLabel('Last four digits').fill(CARDS.amex.slice(-4));
    await page.getByLabel('Any reference').fill(merchantTransactionId);
    await page.waitForURL(/lastFour/);
    await page.getByText(merchantTransactionId).click();
    await page.getByRole('heading', { level: 1, name: '€25.00' }).waitFor();
    await visitor.look('payment-1280');

    // The API does it, and its answer never arrives.
    let lost = 0;
    await page.route(
      '**/refund',
      async (route) => {
        await route.fetch();
        lost += 1;
        await route.abort();
      },
      { times: 1 },
    );
    await page.getByRole('button', { name: 'Refund', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Amount to refund').fill('10.00');
    expect(await dialog.textContent()).toMatch(/Refund €10.00 to A Buyer .*0005/);
    await visitor.look('refund-question-1280');
    await dialog.getByRole('button', { name: 'Yes, do it' }).dblclick();
    await dialog.getByText('€10.00 is refunded.').waitFor();
    expect(lost).toBe(1);
    const refunds = await merchant.refunds(paymentId);
    expect(refunds.map(({ amount, status }: Json) => [amount, status])).toEqual([['10.00', 'succeeded']]);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByText('refunded in part').first().waitFor();
    await visitor.close();
  });

  test('leaves a refund that still waits, and orders another', async () => {
    const { paymentId } = await merchant.paid(CARDS.amex, { amount: '25.00' });
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.go(`/payments/${paymentId}/show`);
    // As if the processor had not answered yet.
    await page.route(
      '**/refund',
      async (route) => {
        const response = await route.fetch();
        const answer: Json = await response.json();
        answer.data.refund.status = 'pending';
        await route.fulfill({ response, json: answer });
      },
      { times: 1 },
    );
    await page.route('**/refunds', (route) => route.abort());
    const order = async (amount: string) => {
      await page.getByRole('button', { name: 'Refund', exact: true }).click();
      await page.getByLabel('Amount to refund').fill(amount);
      await page.getByRole('button', { name: 'Yes, do it' }).click();
    };
    const dialog = page.getByRole('dialog');
    await order('10.00');
    await dialog.getByText('The outcome is not known yet').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
    await order('5.00');
    await dialog.getByText('€5.00 is refunded.').waitFor();
    const refunds = await merchant.refunds(paymentId);
    expect(refunds.map(({ amount, status }: Json) => [amount, status]).sort()).toEqual([
      ['10.00', 'succeeded'],
      ['5.00', 'succeeded'],
    ]);
    await visitor.close();
  });

  test('keeps the filters in the address, and asks for nothing that is not complete', async () => {
    const visitor = await arrive();
    const asked: string[] = [];
    visitor.page.on('request', (request) => asked.push(request.url()));
    await visitor.go(`/payments?filter=${encodeURIComponent(JSON.stringify({ status: 'failed,expired' }))}`);
    await until('the list', async () => asked.some((url) => url.includes('status=failed%2Cexpired')));
    await visitor.page.getByLabel('Last four digits').fill('12');
    await visitor.page.locator('input[name=lastFour][aria-invalid=true]').waitFor();
    expect(asked.filter((url) => url.includes('lastFour'))).toEqual([]);
    await visitor.close();
  });

  test('sends evidence with a document for a dispute', async () => {
    const { paymentId } = await merchant.paid(CARDS.chargedBack);
    await merchant.until(paymentId, 'charged_back');
    const dispute = await until('the dispute', async () => {
      const { body } = await merchant.get(`/disputes/1.0.0/disputes?paymentId=${paymentId}`);
      return body.data[0];
    });
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.go(`/disputes/${dispute.disputeId}/show`);
    await page.getByRole('button', { name: 'Send evidence' }).click();
    await page.getByRole('dialog').getByLabel('What happened').fill('It was delivered and signed for.');
    await page.getByLabel('Choose documents').setInputFiles({
      name: 'note.pdf',
      mimeType: 'application/pdf',
      buffer: Buffer.from('%PDF-1.4\n%%EOF\n'),
    });
    await visitor.look('dispute-evidence-1280');
    await page.getByRole('dialog').getByRole('button', { name: 'Yes, do it' }).click();
    await page.getByRole('dialog').getByText('Done').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.getByLabel('Evidence', { exact: true }).getByText('note.pdf').waitFor();
    const { body } = await merchant.get(`/disputes/1.0.0/disputes/${dispute.disputeId}`);
    expect(body).toMatchObject({ status: 'evidence_submitted', evidence: [{ documents: [{ name: 'note.pdf' }] }] });
    await visitor.close();
  });

  // The pages of the menu are looked at in every-page.browser.test.ts.
  test('sees one payment, one notification, and the forms, on a phone', async () => {
    const { paymentId } = await merchant.paid(CARDS.visa, { notificationUrl: `${credentials.simulatorUrl}/nowhere` });
    const notification = await until('a notification', async () => {
      const { body } = await merchant.get(`/ipg/1.0.0/payment/notifications?paymentId=${paymentId}`);
      return body.data[0];
    });
    const visitor = await arrive(PHONE);
    for (const [page, path] of [
      ['payment', `/payments/${paymentId}/show`],
      ['endpoint-new', '/endpoints/create'],
      ['notification', `/notifications/${notification.notificationId}/show`],
      ['apply', '/activations/create'],
    ] as const) {
      await visitor.go(path);
      await visitor.look(`phone-merchant-${page}`);
    }
    await visitor.close();
  });
});
