import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { inBrowser } from '../../setup/browser';
import { openBrowser } from '../../setup/chromium';
import { projectRoot } from '../../setup/project';
import { sharedStack } from '../../setup/stack';
import { type Actors, actorsOf, CARDS } from '../client';
import { seededSession } from './people';
import { DESKTOP, PHONE, Visitor } from './visitor';

/** Every page that a role's menu leads to: it fits, nothing is in anybody's way, every text is there. */

const { credentials, apiUrl } = sharedStack();
const { tenantId, organizationId } = credentials;
/** Some thirty pages, each looked at by axe, on a machine that does other things too. */
const PATIENCE_MS = 900_000;
/** The first parts of the keys of words. */
const ROOTS = readdirSync(join(projectRoot, 'src/web/console'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()));
/** A key that has no text is shown as it is. */
const KEY = new RegExp(`^(${['console', 'resources', 'status', 'ra', ...ROOTS].join('|')})(\\.[\\w-]+)+$`);

const LIGHTS = [
  ['at a desk in the light, in English', 'desktop', DESKTOP, 'en'],
  ['on a phone in the dark, in Portuguese', 'phone', PHONE, 'pt'],
] as const;

inBrowser.each([
  ['merchant', 'merchant', 15],
  ['tenant admin', 'tenantAdmin', 20],
  ['operator', 'ops', 20],
] as const)('the %s', (_name, who, least) => {
  let browser: Browser;
  let actors: Actors;
  let enter: Awaited<ReturnType<typeof seededSession>>;

  beforeAll(async () => {
    browser = await openBrowser();
    actors = await actorsOf(credentials);
    enter = await seededSession(credentials, who);
    const { body } = await actors.merchant.pay(CARDS.visa, { capture: 'manual' });
    await actors.merchant.until(body.data.paymentId, 'authorized');
  });
  afterAll(() => browser?.close());

  it.each(LIGHTS)(
    'sees every page of the menu %s',
    async (_where, device, screen, language) => {
      const visitor = await Visitor.open(browser, apiUrl, screen);
      const { page } = visitor;
      await enter(visitor);
      await page.goto(`${apiUrl}/console/`);
      const kept = { 'tillway.scope': JSON.stringify({ tenantId, organizationId }), 'tillway.language': language };
      await page.evaluate(`Object.assign(localStorage, ${JSON.stringify(kept)})`);
      await visitor.go('/');
      await visitor.look(`${device}-${who}-overview`);
      if (device === 'phone') await page.locator('header button').first().click();
      const places = await page
        .locator('nav a')
        .evaluateAll((links) => links.map((link) => (link as unknown as { pathname: string }).pathname));
      if (device === 'phone') await page.keyboard.press('Escape');
      const paths = [...new Set(places)].map((path) => path.replace('/console', '')).filter((path) => path.length > 1);
      expect(paths.length).toBeGreaterThanOrEqual(least);
      const wrong: Record<string, unknown> = {};
      for (const path of paths) {
        await visitor.go(path);
        await visitor.look(`${device}-${who}-${path.slice(1).replaceAll('/', '-')}`).catch((error) => {
          wrong[path] = error.message;
          visitor.faults.length = 0;
        });
        const words = await page.locator('main *:not(:has(*))').allTextContents();
        const keys = words.filter((word) => KEY.test(word));
        const problems = await page.locator('.MuiAlert-colorError').allTextContents();
        if (problems.length > 0) wrong[`${path} says`] = problems;
        if (keys.length > 0) wrong[`${path} has no text for`] = keys;
      }
      expect(wrong).toEqual({});
      await visitor.close();
    },
    PATIENCE_MS,
  );
});
