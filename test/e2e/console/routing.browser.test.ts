import type { Browser } from 'playwright-core';
import { inBrowser } from '../../setup/browser';
import { openBrowser } from '../../setup/chromium';
import { sharedStack } from '../../setup/stack';
import { type Actors, actorsOf, type Json, send } from '../client';
import { seededSession } from './people';
import { DESKTOP, PHONE, Visitor } from './visitor';

/** Routing rules. They are those of the second tenant: other suites set the first one's. */

const { credentials, apiUrl } = sharedStack();
const { tenantId } = credentials.other;

inBrowser('the routing rules of a tenant', () => {
  let browser: Browser;
  let tenant: Actors;
  let visitor: Visitor;
  let enter: Awaited<ReturnType<typeof seededSession>>;

  beforeAll(async () => {
    browser = await openBrowser();
    tenant = await actorsOf(credentials, credentials.other);
    enter = await seededSession(credentials, 'ops');
  });
  afterAll(async () => {
    await put([]);
    await browser.close();
  });
  afterEach(() => visitor.close());

  const rules = async (): Promise<Json[]> => (await tenant.tenantAdmin.get('/routing/1.0.0/rules')).body.rules;
  async function put(wanted: Json[]): Promise<void> {
    const { headers } = tenant.tenantAdmin;
    const body = { rules: wanted };
    expect((await send(`${apiUrl}/routing/1.0.0/rules`, { method: 'PUT', headers, body })).status).toBe(200);
  }

  async function come(device = DESKTOP): Promise<Visitor['page']> {
    visitor = await Visitor.open(browser, apiUrl, device);
    await enter(visitor);
    await visitor.go('/');
    await visitor.page.evaluate(`localStorage.setItem('tillway.scope', '${JSON.stringify({ tenantId })}')`);
    await visitor.go('/routing');
    return visitor.page;
  }

  it('writes a rule, changes it, asks it first, removes it', async () => {
    const old = { name: 'All cards', kinds: ['card'], processors: ['a'] };
    await put([old]);
    const page = await come();
    await page.getByRole('button', { name: 'New rule' }).click();
    await page.getByLabel('Name').fill('Dear in krone');
    // The order of choosing is the order of trying.
    for (const processor of ['Processor C', 'Processor A']) {
      await page.getByRole('combobox', { name: 'Processors, in this order' }).fill(processor);
      await page.getByRole('option', { name: processor }).click();
    }
    await page.getByRole('combobox', { name: 'Methods' }).fill('Maestro');
    await page.getByRole('option', { name: 'Maestro' }).click();
    await page.getByLabel('Currencies').fill('dkk');
    await page.getByLabel('From this amount').fill('1000.00');
    await visitor.look('routing-rule-desktop-light');
    await page.getByRole('button', { name: 'Yes, do it' }).click();
    await page.getByRole('heading', { name: '2. Dear in krone' }).waitFor();
    await page.getByText('Processor C, then Processor A').waitFor();
    const dear = {
      name: 'Dear in krone',
      processors: ['c', 'a'],
      methods: [8],
      currencies: ['DKK'],
      minAmount: '1000.00',
    };
    expect(await rules()).toEqual([old, dear]);

    const card = page.getByRole('listitem').filter({ hasText: 'Dear in krone' });
    await card.getByRole('button', { name: 'Change' }).click();
    await page.getByLabel('From this amount').fill('2000.00');
    await page.getByRole('button', { name: 'Yes, do it' }).click();
    await card.getByText(/2,000\.00/).waitFor();
    await card.getByRole('button', { name: 'Move up' }).click();
    await page.getByText('Have “Dear in krone” asked before “All cards”?').waitFor();
    await page.getByRole('button', { name: 'Yes, do it' }).dblclick();
    await page.getByRole('heading', { name: '1. Dear in krone' }).waitFor();
    expect(await rules()).toEqual([{ ...dear, minAmount: '2000.00' }, old]);
    await visitor.look('routing-desktop-light');

    await card.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Yes, do it' }).click();
    await page.getByRole('heading', { name: '1. All cards' }).waitFor();
    expect(await rules()).toEqual([old]);
  });

  it('says what is wrong with a rule, and sends nothing over the rules of somebody else, on a phone', async () => {
    const old = { name: 'All cards', kinds: ['card'], processors: ['a'] };
    await put([old]);
    const page = await come(PHONE);
    await page.getByRole('button', { name: 'Change' }).click();
    await page.getByRole('combobox', { name: 'Processors, in this order' }).press('Backspace');
    await page.getByRole('button', { name: 'Yes, do it' }).click();
    await page.getByText(/processors .*at least 1/).waitFor();
    await visitor.look('routing-refused-phone-dark');
    await page.getByRole('button', { name: 'No, go back' }).click();
    expect(await rules()).toEqual([old]);

    const theirs = { name: 'Of a colleague', kinds: ['apm'], processors: ['f'] };
    await put([old, theirs]);
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Yes, do it' }).click();
    await page.getByText('Somebody else has changed the rules').waitFor();
    expect(await rules()).toEqual([old, theirs]);
  });

  it('limits declined card attempts, as a tenant admin, on a phone', async () => {
    const limits = async (): Promise<Json[]> =>
      (await tenant.tenantAdmin.get('/routing/1.0.0/attempt-limits')).body.limits;
    const entering = await seededSession({ ...credentials, users: credentials.other.users }, 'tenantAdmin');
    visitor = await Visitor.open(browser, apiUrl, PHONE);
    await entering(visitor);
    await visitor.go('/routing');
    const { page } = visitor;
    await page.getByRole('button', { name: 'Change limits' }).click();
    await page.getByLabel('Each card: declined attempts').fill('9');
    await page.getByRole('button', { name: 'Yes, do it' }).click();
    await page.getByText(/limits\[0\]\.windowSeconds/).waitFor();
    await page.getByLabel('Each card: in so many seconds').fill('60');
    await visitor.look('attempt-limits-phone-dark');
    await page.getByRole('button', { name: 'Yes, do it' }).click();
    await page.getByText('9 declined in 60 seconds').waitFor();
    expect(await limits()).toEqual([{ per: 'card', declined: 9, windowSeconds: 60 }]);

    await page.getByRole('button', { name: 'Change limits' }).click();
    await page.getByLabel('Each card: declined attempts').fill('');
    await page.getByLabel('Each card: in so many seconds').fill('');
    await page.getByRole('button', { name: 'Yes, do it' }).click();
    await page.getByText('9 declined in 60 seconds').waitFor({ state: 'detached' });
    expect(await limits()).toEqual([]);
  });

  it('sets the policy on 3-D Secure, as a tenant admin, on a phone', async () => {
    const policy = async (): Promise<Json> =>
      (await tenant.tenantAdmin.get('/routing/1.0.0/authentication-policy')).body.policy;
    const entering = await seededSession({ ...credentials, users: credentials.other.users }, 'tenantAdmin');
    visitor = await Visitor.open(browser, apiUrl, PHONE);
    await entering(visitor);
    await visitor.go('/routing');
    const { page } = visitor;
    const choose = async (box: string, ...names: string[]) => {
      await page.getByRole('combobox', { name: box }).click();
      for (const name of names) await page.getByRole('option', { name }).click();
      if (names.length > 1) await page.keyboard.press('Escape');
    };
    await page.getByText('As each request asks for it').waitFor();
    await page.getByRole('button', { name: 'Change the policy' }).click();
    await choose('Payers authenticate', 'When a condition fits');
    await page.getByRole('button', { name: 'Yes, do it' }).click();
    await page.getByText(/needs one of above, risk, countries/).waitFor();
    await page.getByLabel('For more than these amounts').fill('eur 30.00, GBP 25.00');
    await page.getByLabel('For payers of these countries').fill('us br');
    await choose('Exemptions', 'Low value', 'The merchant starts it');
    await visitor.look('authentication-policy-phone-dark');
    await page.getByRole('button', { name: 'Yes, do it' }).click();
    await page.getByText('When a condition fits').waitFor();
    expect(await policy()).toEqual({
      require: 'when',
      above: [
        { currency: 'EUR', amount: '30.00' },
        { currency: 'GBP', amount: '25.00' },
      ],
      countries: ['US', 'BR'],
      exemptions: ['low_value', 'merchant_initiated'],
    });

    await page.getByRole('button', { name: 'Change the policy' }).click();
    await choose('Payers authenticate', 'As each request asks for it');
    await page.getByRole('button', { name: 'Yes, do it' }).click();
    await page.getByText('As each request asks for it').waitFor();
    expect(await policy()).toBeUndefined();
  });
});
