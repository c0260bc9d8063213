import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { projectRoot } from '../../setup/project';

const AXE = readFileSync(join(projectRoot, 'node_modules/axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

export const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 900 }, colorScheme: 'light' };
export const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
  colorScheme: 'dark',
};

export interface SignedIn {
  email: string;
  password: string;
  /** Makes a code of the person's authenticator; without it the person has none. */
  code?(): string | Promise<string>;
}

/** A person in front of the console. Everything that a page says in the browser's own log as an error ends up in `faults`. */
export class Visitor {
  readonly faults: string[] = [];

  private constructor(
    readonly page: Page,
    readonly consoleUrl: string,
  ) {
    page.on('pageerror', (error) => this.faults.push(error.message));
    page.on('console', (message) => {
      // The browser writes a line for each answer of 4xx, also for those that the page expects.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        this.faults.push(message.text());
    });
  }

  static async open(browser: Browser, apiUrl: string, device = DESKTOP, locale = 'en-GB'): Promise<Visitor> {
    const context = await browser.newContext({ ...device, locale, reducedMotion: 'reduce', acceptDownloads: true });
    return new Visitor(await context.newPage(), `${apiUrl}/console`);
  }

  async signIn({ email, password, code }: SignedIn): Promise<void> {
    await this.page.goto(this.consoleUrl);
    await this.page.getByLabel('E-mail address').fill(email);
    await this.page.getByLabel('Password').fill(password);
    await this.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    if (code) {
      await this.page.getByLabel('Code of your authenticator app').fill(await code());
      await this.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    }
    const menu = this.page.getByRole('link', { name: 'Overview' }).or(this.page.getByLabel('Open menu'));
    // On a phone the menu is there, and closed.
    await menu.filter({ visible: true }).first().waitFor();
  }

  /** Opens a page of the console and waits until it has said who it is. */
  async go(path: string): Promise<void> {
    await this.page.goto(this.consoleUrl + path);
    await this.page.getByRole('heading', { level: 1 }).waitFor();
  }

  /** Looks as a person would: it fits the screen, nothing is in anybody's way, nothing went wrong. `name`: of the picture. */
  async look(name: string): Promise<void> {
    await this.page.waitForLoadState('networkidle');
    await this.page.locator('[aria-busy="true"]').waitFor({ state: 'detached' });
    if (process.env.SCREENSHOTS) {
      // The bar at the top goes away while somebody reads further down.
      await this.page.evaluate('scrollTo(0, 0)');
      await this.page.screenshot({ path: join(process.env.SCREENSHOTS, `${name}.png`), fullPage: true });
    }
    expect(await this.page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await this.barriers()).toEqual([]);
    expect(this.faults).toEqual([]);
  }

  /** Everything that is wrong for people who cannot see, or not well (WCAG 2.2 A and AA), on the page as it stands. */
  async barriers(): Promise<string[]> {
    // Evaluated by the browser's own tools: the page's policy allows no script but its own.
    await this.page.evaluate(AXE);
    const found = (await this.page.evaluate(`axe.run({ runOnly: ${JSON.stringify(RULES)} })`)) as {
      violations: { id: string; nodes: { html: string }[] }[];
    };
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]!.html}`);
  }

  close(): Promise<void> {
    return this.page.context().close();
  }
}
