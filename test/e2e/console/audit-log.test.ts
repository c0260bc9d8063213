import type { Browser } from 'playwright-core';
import { inBrowser } from '../../setup/browser';
import { openBrowser } from '../../setup/chromium';
import { sharedStack } from '../../setup/stack';
import { actorsOf } from '../client';
import { addressOf } from '../staff';
import { seededSession } from './people';
import { DESKTOP, PHONE, Visitor } from './visitor';

const { credentials, apiUrl } = sharedStack();

inBrowser('the audit log in the console', () => {
  let browser: Browser;
  let enter: Awaited<ReturnType<typeof seededSession>>;
  let userId: string;
  beforeAll(async () => {
    const { tenantAdmin } = await actorsOf(credentials);
    const invitation = { email: addressOf(), name: 'Grace Hopper', role: 'tenant_admin' };
    userId = (await tenantAdmin.post('/identity/1.0.0/users', invitation)).body.userId;
    browser = await openBrowser();
    enter = await seededSession(credentials, 'tenantAdmin');
  });
  afterAll(() => browser?.close());

  test.each([
    ['on a desktop', DESKTOP, 'desktop'],
    ['on a phone, in the dark', PHONE, 'phone'],
  ] as const)('says what was done to somebody: %s', async (_where, device, name) => {
    const visitor = await Visitor.open(browser, apiUrl, device);
    await enter(visitor);
    await visitor.go(`/audit-log?filter=${encodeURIComponent(JSON.stringify({ target: userId }))}`);
    await visitor.page.getByText('user.invite').waitFor();
    await visitor.page.getByText('Grace Hopper').waitFor();
    await visitor.look(`audit-log-${name}`);
    await visitor.close();
  });
});
