import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { inBrowser } from '../../setup/browser';
import { openBrowser } from '../../setup/chromium';
import { projectRoot } from '../../setup/project';
import { type Credentials, sharedStack } from '../../setup/stack';
import { actorsOf } from '../client';
import { ownTenant } from '../tenants';
import { furnish } from './furnish';
import { newPerson } from './people';
import { DESKTOP, PHONE, Visitor } from './visitor';

/** Some thirty pages, each looked at by axe, on a machine that does other things too. */
const PATIENCE_MS = 600_000;
/** The first parts of the keys of words. */
const ROOTS = readdirSync(join(projectRoot, 'src/web/console'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()));
/** A key that has no text is shown as it is. */
const KEY = new RegExp(`^(${['console', 'resources', 'status', 'ra', ...ROOTS].join('|')})(\\.[\\w-]+)+$`);

const DEVICES = [
  ['at a desk in the light, in English', 'desktop', DESKTOP, 'en'],
  ['on a phone in the dark, in Portuguese', 'phone', PHONE, 'pt'],
] as const;

/**
 * Declares that somebody of a role sees every page that the menu leads to: each fits, nothing is in anybody's way, every
 * text is there. In a tenant of its own that has something to show, so that no page depends on what other suites do. The
 * console is loaded once for each device, and the menu leads from page to page. `least`: how many pages there are at least.
 */
export function seesEveryPage(role: 'merchant' | 'tenant_admin' | 'ops', least: number): void {
  const { credentials, apiUrl } = sharedStack();

  inBrowser(`a person with the role ${role}`, () => {
    let browser: Browser;
    let tenant: Credentials;
    let enter: (visitor: Visitor) => Promise<void>;

    beforeAll(async () => {
      tenant = await ownTenant();
      const { organizationId } = tenant;
      const actors = await actorsOf(credentials, tenant);
      [browser, enter] = await Promise.all([
        openBrowser(),
        newPerson(
          role === 'ops' ? actors.ops : actors.tenantAdmin,
          role,
          role === 'merchant' ? { organizationId } : {},
        ),
        furnish(credentials, tenant, actors),
      ]);
    }, PATIENCE_MS);
    afterAll(() => browser?.close());

    it.each(DEVICES)(
      'sees every page of the menu %s',
      async (_where, device, screen, language) => {
        const visitor = await Visitor.open(browser, apiUrl, screen);
        const answers: string[] = [];
        visitor.page.on('response', async (response) => {
          // Those of a page that was left have no body any more.
          if (response.headers()['content-type']?.includes('json')) answers.push(await response.text().catch(() => ''));
        });
        const { tenantId, organizationId } = tenant;
        const kept = { 'tillway.scope': JSON.stringify({ tenantId, organizationId }), 'tillway.language': language };
        await visitor.page.addInitScript(`Object.assign(localStorage, ${JSON.stringify(kept)})`);
        await enter(visitor);
        await visitor.go('/');
        await visitor.look(`${device}-${role}-overview`);
        const paths = await visitor.menu();
        expect(paths.length).toBeGreaterThanOrEqual(least);
        const wrong: Record<string, unknown> = {};
        for (const path of paths) {
          await visitor.choose(path);
          await visitor.look(`${device}-${role}-${path.slice(1).replaceAll('/', '-')}`).catch((error) => {
            wrong[path] = error.message;
            visitor.faults.length = 0;
          });
          const words = await visitor.page.locator('main *:not(:has(*))').allTextContents();
          // What the API says, such as `payouts.order` in the audit log, is no key.
          const keys = words.filter(
            (word) => KEY.test(word) && !answers.some((answer) => answer.includes(`"${word}"`)),
          );
          const problems = await visitor.page.locator('.MuiAlert-colorError').allTextContents();
          if (problems.length > 0) wrong[`${path} says`] = problems;
          if (keys.length > 0) wrong[`${path} has no text for`] = keys;
        }
        expect(wrong).toEqual({});
        await visitor.close();
      },
      PATIENCE_MS,
    );
  });
}
