import type { Browser } from 'playwright-core';
import { inBrowser } from '../../setup/browser';
import { openBrowser } from '../../setup/chromium';
import { sharedStack } from '../../setup/stack';
import { type Actors, actorsOf, CARDS, type Json, until } from '../client';
import { seededSession } from './people';
import { DESKTOP, PHONE, Visitor } from './visitor';

/** An operator at work: what needs a person, a second pair of eyes, a callback, the books. */

const { credentials, apiUrl } = sharedStack();

inBrowser('an operator', () => {
  let browser: Browser;
  let actors: Actors;
  let visitor: Visitor;
  let enter: Awaited<ReturnType<typeof seededSession>>;

  beforeAll(async () => {
    browser = await openBrowser();
    actors = await actorsOf(credentials);
    enter = await seededSession(credentials, 'ops');
  });
  afterAll(() => browser.close());
  afterEach(() => visitor.close());

  /** A payment whose processor took the money and does not tell. */
  async function unknownPayment(amount: string): Promise<string> {
    const { body } = await actors.merchant.pay(CARDS.neverAnswers, { amount });
    const { paymentId } = body.data;
    await actors.simulator.fault('inquiry', 'status_500', { times: 1_000, reference: paymentId });
    await actors.simulator.fault('callback', 'drop', { times: 1_000, reference: paymentId });
    await until('an unknown outcome', async () => {
      const { body: object } = await actors.ops.get(`/ops/1.0.0/objects/${paymentId}`);
      return object.outcomeUnknown;
    });
    return paymentId;
  }

  async function flaggedCallback(): Promise<string> {
    const { body } = await actors.merchant.pay(CARDS.visa, { capture: 'manual' });
    const { paymentId } = body.data;
    await actors.simulator.callback({ reference: paymentId, event: 'captured', amount: '10.01' });
    return until('the callback flagged', async () => {
      const inbox = (await actors.ops.get(`/ops/1.0.0/callbacks?reference=${paymentId}&state=flagged`)).body.data;
      return inbox[0]?.callbackId;
    });
  }

  it('resolves a payment alone below the limit, and confirms what another proposed above it', async () => {
    const small = await unknownPayment('10.00');
    const large = await unknownPayment('4321.00');
    const proposal = { objectId: large, act: 'resolve', outcome: 'nothing_charged', reason: 'case 4711' };
    expect((await actors.ops.post('/ops/1.0.0/interventions', proposal)).body.status).toBe('proposed');
    visitor = await Visitor.open(browser, apiUrl, DESKTOP);
    const { page } = visitor;
    await enter(visitor);

    await visitor.go(`/objects/${small}/show`);
    await visitor.look('operator-object-desktop-light');
    await page.getByRole('button', { name: 'Resolve' }).click();
    await page.getByLabel('What became of it').click();
    await page.getByRole('option', { name: 'The money was taken' }).click();
    await page.getByLabel('Reason').fill('Seen in the portal of A');
    await visitor.look('operator-resolve-desktop-light');
    await page.getByRole('button', { name: 'Yes, do it' }).dblclick();
    await page.getByText('The outcome is booked.').first().waitFor();
    await actors.merchant.until(small, 'captured', 'settled');
    const { data: mine } = (await actors.ops.get(`/ops/1.0.0/interventions?objectId=${small}`)).body;
    expect(mine).toHaveLength(1);

    await visitor.go('/worklist?filter=%7B%22kind%22%3A%22intervention%22%7D');
    const row = page.getByRole('row').filter({ hasText: large });
    await row.getByText('Another operator than the first confirms or withdraws it.').waitFor();
    await visitor.look('operator-worklist-desktop-light');
    await row.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('button', { name: 'Yes, do it' }).click();
    await page.getByText('The outcome is booked.').first().waitFor();
    await actors.merchant.until(large, 'failed');
    await row.waitFor({ state: 'detached' });
  });

  it('reads a callback as it came, and has it heard again', async () => {
    const callbackId = await flaggedCallback();
    visitor = await Visitor.open(browser, apiUrl, DESKTOP);
    const { page } = visitor;
    await enter(visitor);
    await visitor.go('/callbacks?filter=%7B%22state%22%3A%22flagged%22%7D');
    await visitor.look('operator-callbacks-desktop-light');
    await visitor.go(`/callbacks/${callbackId}/show`);
    await page.getByRole('region', { name: 'Headers as they came' }).getByText('content-type').waitFor();
    await visitor.look('operator-callback-desktop-light');
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.getByLabel('Reason').fill('The processor has mended it');
    await page.getByRole('button', { name: 'Yes, do it' }).click();
    await page.getByText('Replay: done.').first().waitFor();
    const { body } = await actors.ops.get(`/ops/1.0.0/callbacks/${callbackId}`);
    expect(['stored', 'flagged']).toContain(body.state);
  });

  it('has the books audited, and reads the result', async () => {
    visitor = await Visitor.open(browser, apiUrl, DESKTOP);
    const { page } = visitor;
    await enter(visitor);
    await visitor.go('/audits');
    await page.getByRole('button', { name: 'Audit the books now' }).click();
    await page.getByLabel('Reason').fill('Month end');
    await page.getByRole('button', { name: 'Yes, do it' }).click();
    await page.getByText('Audit the books now: done.').first().waitFor();
    const [audit]: Json[] = (await actors.ops.get('/ops/1.0.0/audits?limit=1')).body.data;
    await visitor.go(`/audits/${audit.auditId}/show`);
    await page.getByText(/^(The books are in order|\d+ findings\.)/).waitFor();
    await visitor.look('operator-audit-desktop-light');
  });

  const LISTS = [
    'worklist',
    'interventions',
    'callbacks',
    'ops-payouts',
    'unmatched-transfers',
    'receipts',
    'ops-disputes',
    'ops-links',
    'reconciliation-runs',
    'differences',
    'audits',
    'security-events',
  ];
  const BOOKS = ['ledger-accounts', 'ledger-transfers', 'trial-balance'];

  it.each([
    ['on a phone in the dark, in Portuguese', 'phone-dark', PHONE, 'pt'],
    ['at a desk in the light, in English', 'desktop-light', DESKTOP, 'en'],
  ] as const)('opens every list %s', async (_, name, device, language) => {
    await flaggedCallback();
    visitor = await Visitor.open(browser, apiUrl, device);
    await enter(visitor);
    await visitor.page.goto(`${apiUrl}/console`);
    const scope = JSON.stringify({ tenantId: credentials.tenantId });
    await visitor.page.evaluate(`localStorage.setItem('tillway.scope', '${scope}')`);
    await visitor.page.evaluate(`localStorage.setItem('tillway.language', '${language}')`);
    for (const list of [...LISTS, ...BOOKS]) {
      await visitor.go(`/${list}`);
      expect(await visitor.page.locator('html').getAttribute('lang')).toBe(language);
      await visitor.look(`operator-${list}-${name}`);
    }
  });
});
