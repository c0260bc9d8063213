import { generate } from 'otplib';
import { type Browser, chromium } from 'playwright-core';
import { inBrowser } from '../../setup/browser';
import { chromiumPath } from '../../setup/chromium';
import { sharedStack } from '../../setup/stack';
import { type Actors, actorsOf, until } from '../client';
import { PHONE, Visitor } from './visitor';

const { credentials, apiUrl } = sharedStack();

/** Signs the seller in, once for all visits: each code of an authenticator is good once, also for other suites. */
async function signedIn(): Promise<string> {
  const { email, password, totpSecret: secret } = credentials.users.merchant;
  const cookies = await until('the seller is signed in', async () => {
    const answer = await fetch(`${apiUrl}/auth/1.0.0/users/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-requested-with': 'tillway-console', origin: apiUrl },
      body: JSON.stringify({ email, password, code: await generate({ secret }) }),
    });
    return answer.ok && answer.headers.getSetCookie();
  });
  return cookies[0]!;
}

inBrowser('a seller', () => {
  let browser: Browser;
  let actors: Actors;
  let visitor: Visitor;
  let session: string;

  const arrive = async (device: typeof PHONE) => {
    const arrived = await Visitor.open(browser, apiUrl, device);
    const [name, value] = session.split(';')[0]!.split(/=(.*)/s) as [string, string];
    await arrived.page.context().addCookies([{ name, value, url: apiUrl }]);
    return arrived;
  };

  beforeAll(async () => {
    session = await signedIn();
    browser = await chromium.launch({ executablePath: chromiumPath });
    actors = await actorsOf(credentials);
  });
  afterAll(() => browser.close());
  afterEach(() => visitor.close());

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
