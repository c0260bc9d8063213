import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { newUuid } from '../../src/domain/ids';
import { violations } from '../setup/accessibility';
import { inBrowser } from '../setup/browser';
import { openBrowser } from '../setup/chromium';
import { mug, noisyPicture, waves } from '../setup/pictures';
import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, CARDS, type Json, PAYMENTS, transactionId, until } from './client';
import { Goods } from './goods';
import { ownTenant } from './tenants';

const { credentials } = sharedStack();
const LINKS = '/payment-links/1.0.0/links';
const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 800 } };
const LINES = { lines: [{ description: 'Two hours of consulting', amount: '60.00', quantity: 2 }], currency: 'EUR' };
const FIRST_LOAD_BYTES = 100_000;

let actors: Actors;
beforeAll(async () => {
  // One of its tests changes how all pages of the tenant look.
  actors = await actorsOf(credentials, await ownTenant());
});

async function create(body: object = {}): Promise<Json> {
  const reply = await actors.merchant.post(LINKS, { title: 'Consulting in November', ...LINES, ...body });
  if (reply.status !== 201) throw new Error(`not created: ${JSON.stringify(reply.body)}`);
  return reply.body;
}
const get = async (linkId: string): Promise<Json> => (await actors.merchant.get(`${LINKS}/${linkId}`)).body;
const paymentOf = async (id: string): Promise<Json> =>
  (await actors.merchant.get(`${PAYMENTS}/${id}/status-by-payment-id`)).body.data;
const CARD = { number: CARDS.visa, expiry: '12/40', cvv: '123', holder: 'Ana Silva', email: 'ana@example.com' };

/** Sends the form as a browser without JavaScript does; answers status, place to go and page. */
async function post(url: string, typed: Record<string, string>) {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(typed), redirect: 'manual' });
  return { status: response.status, location: response.headers.get('location') ?? '', text: await response.text() };
}
const form = (attempt = newUuid(), order = newUuid()) => ({ ...CARD, method: '1', attempt, order });
const idIn = (location: string) => /pay_[0-9a-z]{26}/.exec(location)?.[0] ?? '';

test('the same form twice at once is one payment; its address is in no cache', async () => {
  const { url, linkId } = await create();
  const sent = form();
  const [one, two] = await Promise.all([post(url, sent), post(url, sent)]);
  expect([one.status, two.status]).toEqual([303, 303]);
  expect(one.location).toBe(two.location);
  const again = await post(url, sent);
  expect(again.location).toBe(one.location);
  expect(await paymentOf(idIn(one.location))).toMatchObject({ amounts: { captured: '120.00' }, paymentMode: 'card' });
  const statistics = (await actors.merchant.get(`${LINKS}/${linkId}/statistics`)).body;
  expect(statistics).toMatchObject({ tried: 1, paid: 1, amount: '120.00' });
  const page = await fetch(url);
  expect(page.headers.get('cache-control')).toBe('no-store');
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
});

test('every opening is counted, also of many buyers at once', async () => {
  const { url, linkId } = await create();
  await Promise.all(Array.from({ length: 20 }, () => fetch(url)));
  const opened = async () => (await actors.merchant.get(`${LINKS}/${linkId}/statistics`)).body.opened;
  await until('all are written', async () => (await opened()) === 20);
});

test('two buyers at once of a link that one may pay: one pays, the other is told, and nothing is taken', async () => {
  const { url, linkId } = await create({ maxPayments: 1 });
  const buyers = await Promise.all(Array.from({ length: 8 }, () => post(url, form())));
  const paying = buyers.filter(({ status }) => status === 303);
  expect(paying).toHaveLength(1);
  // 410 once it is paid.
  for (const { status } of buyers) expect([303, 409, 410]).toContain(status);
  await until('the link is paid', async () => (await get(linkId)).status === 'paid');
  expect((await fetch(url)).status).toBe(410);
  expect((await post(url, form())).status).toBe(410);
  expect((await actors.merchant.get(`${LINKS}/${linkId}/statistics`)).body).toMatchObject({ tried: 1, paid: 1 });
});

test('what is gone says so, and what was never there is not found', async () => {
  const disabled = await create();
  await actors.merchant.post(`${LINKS}/${disabled.linkId}/disable`);
  const pending = await create({ approval: 'required' });
  expect((await fetch(disabled.url)).status).toBe(410);
  expect((await post(disabled.url, form())).status).toBe(410);
  expect((await fetch(pending.url)).status).toBe(404);
  expect((await fetch(`${disabled.url}x`)).status).toBe(404);
  const paid = idIn((await post((await create()).url, form())).location);
  // A payment is shown under its own link alone.
  expect((await fetch(`${(await create()).url}/${paid}`)).status).toBe(404);
});

test.each([
  ['made up', '00000000-0000-4000-8000-000000000000'],
  ['too old', '01000000-0000-7000-8000-000000000000'],
  ['missing', ''],
])('a form whose id is %s is shown again, and takes nothing', async (_, attempt) => {
  const { url, linkId } = await create();
  const { status, text } = await post(url, form(attempt));
  expect(status).toBe(409);
  expect(text).toContain('This page was open for too long.');
  const [, fresh = ''] = /name="attempt" value="([^"]+)"/.exec(text) ?? [];
  expect((await post(url, form(fresh))).status).toBe(303);
  expect((await actors.merchant.get(`${LINKS}/${linkId}/statistics`)).body.tried).toBe(1);
});

test('the receipt goes by e-mail by itself, in the language of the page, and again a few times', async () => {
  const { url } = await create();
  const email = `${transactionId()}@buyer.example`;
  const { location } = await post(`${url}?lang=pt`, { ...form(), email });
  const letters = async (): Promise<Json[]> => {
    const sent = await fetch(`${actors.merchant.apiUrl}/sandbox/mailbox?to=${encodeURIComponent(email)}`);
    return ((await sent.json()) as Json).data;
  };
  const [letter] = await until('the receipt is there', async () => {
    const found = await letters();
    return found.length > 0 && found;
  });
  expect(letter.subject).toMatch(/^O seu recibo de /);
  expect(letter.text).toMatch(/2 × Two hours of consulting: 120,00\s€/);
  expect(letter.text).toContain(idIn(location));
  expect(letter.text).not.toContain(url.split('/').at(-1));
  const again = new URL(location, url);
  again.pathname += '/receipt';
  for (let number = 2; number <= 4; number += 1) {
    const reply = await post(`${again}`, {});
    expect([reply.status, reply.location]).toEqual([303, expect.stringContaining('receipt=sent')]);
  }
  const refused = await post(`${again}`, {});
  expect([refused.status, refused.text.includes('já foi enviado várias vezes')]).toEqual([409, true]);
  await until('all are there', async () => (await letters()).length === 4);
  // Of a payment that took nothing there is none.
  const declined = await post(url, { ...form(), number: CARDS.declined });
  const page = await (await fetch(new URL(declined.location, url))).text();
  expect(page).not.toContain('/receipt');
  expect((await post(`${new URL(idIn(declined.location), `${url}/`)}/receipt`, {})).status).toBe(409);
});

test('a link that no method serves says so', async () => {
  const { url } = await create({ kinds: ['upi'] });
  const page = await fetch(url);
  expect(page.status).toBe(409);
  expect(await page.text()).toContain('There is no way to pay here.');
});

test('wrong input keeps what was typed, but never a security code, and takes nothing', async () => {
  const { url, linkId } = await create({ customFields: [{ name: 'size', label: 'Size', required: true }] });
  const { status, text } = await post(url, { ...form(), number: '4111', expiry: '13/20', cvv: '987' });
  expect(status).toBe(400);
  expect(text).toContain('value="Ana Silva"');
  expect(text).not.toMatch(/(?<![\w-])987(?![\w-])/);
  expect(text.match(/class="problem"/g)).toHaveLength(3);
  expect((await actors.merchant.get(`${LINKS}/${linkId}/statistics`)).body.tried).toBe(0);
});

inBrowser('a buyer with a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  async function visit(url: string, device: BrowserContextOptions, work: (page: Page) => Promise<void>) {
    const context = await browser.newContext(device);
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    // What was typed wrong is answered with 400, which a browser reports as an error.
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('400')) errors.push(message.text());
    });
    await page.goto(url);
    await work(page);
    await context.close();
    expect(errors).toEqual([]);
  }

  async function fill(page: Page, card: string, button: string) {
    await page.getByLabel('Card number').fill(card);
    await page.getByLabel('Expiry date').fill('12/40');
    await page.getByLabel('Security code').fill('123');
    await page.getByLabel('Name on the card').fill('Ana Silva');
    await page.getByLabel('E-mail address').fill('ana@example.com');
    await page.getByRole('button', { name: button }).click();
  }

  const shot = (page: Page, name: string) =>
    process.env.SCREENSHOTS
      ? page.screenshot({ path: join(process.env.SCREENSHOTS, `${name}.png`), fullPage: true })
      : undefined;

  test('pays by card with 3-D Secure on a phone, and has a receipt', async () => {
    const { url } = await create({ description: 'As we agreed on the telephone.' });
    await visit(url, PHONE, async (page) => {
      expect(await violations(browser, page)).toEqual([]);
      await shot(page, 'phone-form');
      expect((await page.locator('main').boundingBox())!.width).toBeLessThan(390);
      await fill(page, CARDS.challenge, 'Pay €120.00');
      await page.getByRole('button', { name: 'Yes, this is my payment' }).tap();
      await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor();
      await shot(page, 'phone-paid');
      expect(await violations(browser, page)).toEqual([]);
      expect(await page.locator('dd').allInnerTexts()).toEqual(
        expect.arrayContaining(['€120.00', expect.stringMatching(/^pay_/), expect.stringMatching(/UTC$/)]),
      );
    });
  });

  test('goes through with the keyboard alone, without JavaScript, in Portuguese', async () => {
    const { url } = await create({ amount: { min: '5.00', max: '500.00' }, lines: undefined });
    const device = { ...DESKTOP, javaScriptEnabled: false, locale: 'pt-PT' };
    await visit(url, device, async (page) => {
      await shot(page, 'desktop-portuguese');
      await page.getByLabel('Montante').focus();
      for (const text of ['12,50', CARDS.visa, '12/40', '123', 'Ana Silva', 'ana@example.com']) {
        await page.keyboard.type(text);
        await page.keyboard.press('Tab');
      }
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Pago', exact: true }).waitFor();
      expect(await page.locator('dd').first().textContent()).toMatch(/^12,50\s€$/);
    });
  });

  test('is refused, and pays with another card; the order stays the same', async () => {
    const { url, linkId } = await create();
    await visit(url, DESKTOP, async (page) => {
      await fill(page, CARDS.declined, 'Pay €120.00');
      await page.getByRole('heading', { name: 'Not paid' }).waitFor();
      await shot(page, 'desktop-refused');
      expect(await violations(browser, page)).toEqual([]);
      await page.getByRole('link', { name: 'Pay in another way' }).click();
      await fill(page, CARDS.visa, 'Pay €120.00');
      await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor();
    });
    expect((await actors.merchant.get(`${LINKS}/${linkId}/statistics`)).body).toMatchObject({ tried: 2, paid: 1 });
  });

  test('scans a QR code, and the page shows by itself that it is paid', async () => {
    const { url } = await create({ kinds: ['qr'] });
    await visit(url, PHONE, async (page) => {
      await page.getByLabel('E-mail address').fill('ana@example.com');
      await page.getByRole('button', { name: 'Pay €120.00' }).tap();
      await page.getByRole('img', { name: /Scan this code/ }).waitFor();
      await shot(page, 'phone-qr');
      expect(await violations(browser, page)).toEqual([]);
      const { action } = await paymentOf(idIn(page.url()));
      await fetch(action.url, { method: 'POST', body: new URLSearchParams({ outcome: 'authenticated' }) });
      await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor();
    });
  });

  test('gets the bank details of a transfer', async () => {
    const { url } = await create({ kinds: ['bank_transfer'] });
    await visit(url, PHONE, async (page) => {
      await page.getByLabel('E-mail address').fill('ana@example.com');
      await page.getByRole('button', { name: 'Pay €120.00' }).tap();
      await page.locator('dt', { hasText: 'IBAN' }).waitFor();
      await shot(page, 'phone-transfer');
      expect(await violations(browser, page)).toEqual([]);
    });
  });

  test('asks the seller something, and reads the answer', async () => {
    const { url, linkId } = await create();
    const email = `${transactionId()}@buyer.example`;
    await visit(url, PHONE, async (page) => {
      await page.getByRole('link', { name: 'Do you have a question?' }).tap();
      await page.getByRole('button', { name: 'Send' }).tap();
      await page.getByText('Something is not right yet').waitFor();
      await page.getByLabel('Your e-mail address').fill(email);
      await page.getByLabel('Your question').fill('Do you take card 4111 1111 1111 1111?');
      expect(await violations(browser, page)).toEqual([]);
      await page.getByRole('button', { name: 'Send' }).tap();
      await page.getByRole('heading', { name: 'Sent' }).waitFor();
      const { data } = (await actors.merchant.get(`/payment-links/1.0.0/tickets?linkId=${linkId}&status=open`)).body;
      const ticket = `/payment-links/1.0.0/tickets/${data[0].ticketId}`;
      const { messages } = (await actors.merchant.get(ticket)).body;
      expect(messages).toMatchObject([{ from: 'buyer', text: 'Do you take card …?' }]);
      const answered = await actors.merchant.post(`${ticket}/answer`, { text: 'Yes, on this page.' });
      expect(answered.body).toMatchObject({ status: 'answered' });
      const letter = await until('the buyer is told', async () => {
        const sent = await fetch(`${actors.merchant.apiUrl}/sandbox/mailbox?to=${encodeURIComponent(email)}`);
        return ((await sent.json()) as Json).data[0];
      });
      await page.goto(/https?:\S+/.exec(letter.text)![0]);
      await page.getByText('Yes, on this page.').waitFor();
      await shot(page, 'phone-ticket');
      expect(await violations(browser, page)).toEqual([]);
      expect((await actors.merchant.post(`${ticket}/close`)).body).toMatchObject({ status: 'closed' });
    });
  });

  test('sees what is sold, and the look of the tenant', async () => {
    const goods = new Goods(actors);
    const { imageId } = (await goods.upload(await mug(), 'image/png')).body;
    const { itemId } = await goods.approved({ name: 'Blue mug', images: [imageId] });
    const { url } = await create({ title: 'A mug for Ana', lines: [{ itemId, quantity: 2 }] });
    const theme = `${actors.tenantAdmin.apiUrl}/payment-links/1.0.0/theme`;
    const set = (path: string, body: string | Uint8Array<ArrayBuffer>, type: string, method = 'PUT') =>
      fetch(theme + path, { method, headers: { ...actors.tenantAdmin.headers, 'content-type': type }, body });
    const look = (settings: Json) => set('', JSON.stringify(settings), 'application/json');
    try {
      expect((await look({ accent: '#ffcc00' })).status).toBe(400);
      expect((await look({ name: 'Harbour Bank', accent: '#0b5d3b', ground: '#eef5ee' })).status).toBe(200);
      const logo = new Uint8Array(await waves());
      expect((await set('/logo', logo, 'image/png')).status).toBe(200);
      for (const [name, device] of [
        ['phone-look', PHONE],
        ['desktop-look', DESKTOP],
        ['phone-look-dark', { ...PHONE, colorScheme: 'dark' as const }],
      ] as const)
        await visit(url, device, async (page) => {
          await page.waitForLoadState('networkidle');
          await shot(page, name);
          expect(await violations(browser, page)).toEqual([]);
          await page.getByText('Payments by Harbour Bank').waitFor();
          const widths = await page.evaluate('Array.from(document.images, (one) => one.naturalWidth)');
          expect(widths).toEqual([144, 128]);
        });
      expect(
        (await fetch(`${url}/images/${imageId.replace(/.$/, (last: string) => (last === '0' ? '1' : '0'))}`)).status,
      ).toBe(404);
      expect((await fetch(`${(await create()).url}/images/${imageId}`)).status).toBe(404);
    } finally {
      await set('/logo', '', 'image/png', 'DELETE');
      await look({});
    }
    expect((await fetch(`${url}/logo`)).status).toBe(404);
  });

  test('a link that is switched off says so', async () => {
    const { url, linkId } = await create();
    await actors.merchant.post(`${LINKS}/${linkId}/disable`);
    const context = await browser.newContext(PHONE);
    const page = await context.newPage();
    await page.goto(url);
    await shot(page, 'phone-disabled');
    expect(await violations(browser, page)).toEqual([]);
    expect(await page.getByRole('button').count()).toBe(0);
    await context.close();
  });

  test('the first load stays small, and nothing but the page itself is waited for before it can be read', async () => {
    const goods = new Goods(actors);
    const images = [(await goods.upload(await noisyPicture(1_000, 800), 'image/png')).body.imageId];
    const items = await Promise.all([1, 2, 3].map(() => goods.approved({ images })));
    const lines = items.map(({ itemId }) => ({ itemId, quantity: 1 }));
    const { url } = await create({ lines });
    let bytes = 0;
    const kinds: string[] = [];
    const context = await browser.newContext(PHONE);
    const page = await context.newPage();
    page.on('response', async (response) => {
      kinds.push(response.request().resourceType());
      bytes += (await response.body()).length;
    });
    await page.goto(url, { waitUntil: 'networkidle' });
    await context.close();
    expect(bytes).toBeLessThan(FIRST_LOAD_BYTES);
    // One picture, which three items show; no style, script or font of its own address.
    expect(kinds.sort()).toEqual(['document', 'image']);
  });
});
