import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Locator, Page, Request } from 'playwright-core';
import { barriers } from '../../setup/accessibility';
import { until } from '../client';

/** In a row, some 50 ms from each other. */
const QUIET_LOOKS = 4;

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
  /** What the page has asked for and not received yet. */
  private readonly underway = new Set<Request>();

  private constructor(
    readonly page: Page,
    readonly consoleUrl: string,
  ) {
    page.on('request', (request) => this.underway.add(request));
    page.on('requestfinished', (request) => this.underway.delete(request));
    page.on('requestfailed', (request) => this.underway.delete(request));
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

  /** The pages that the menu leads to, without the overview. */
  async menu(): Promise<string[]> {
    await this.openMenu();
    const links = await this.page
      .locator('nav a')
      .evaluateAll((all) => all.map((one) => (one as unknown as { pathname: string }).pathname));
    const paths = links.map((path) => path.replace('/console', '')).filter((path) => path.length > 1);
    return [...new Set(paths)];
  }

  /** Goes to a page as the menu leads there. */
  async choose(path: string): Promise<void> {
    await this.openMenu();
    await this.entry(path).click();
    await this.page.waitForURL(({ pathname }) => pathname === `/console${path}`);
    await this.page.getByRole('heading', { level: 1 }).waitFor();
  }

  private entry(path: string) {
    return this.page.locator(`nav a[href="/console${path}"]`).first();
  }

  /** On a phone the menu is closed. */
  private async openMenu(): Promise<void> {
    if (!(await this.entry('/').or(this.entry('')).isVisible()))
      await this.page.locator('header button').first().click();
  }

  /** Orders an act, says yes to its question, and waits for what became of it. `typed`: what it asks for, by label. */
  async order(act: string, typed: Record<string, string> = {}, outcome: string | RegExp = 'Done'): Promise<void> {
    await this.page.getByRole('button', { name: act, exact: true }).click();
    const dialog = this.page.getByRole('dialog');
    for (const [label, value] of Object.entries(typed)) await dialog.getByLabel(label).fill(value);
    await dialog.getByRole('button', { name: 'Yes, do it' }).click();
    await dialog.getByText(outcome).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
  }

  /** Clicks twice in one place; the second click comes when the first has had its effect. */
  async clickTwice(target: Locator, effect: () => Promise<void>): Promise<void> {
    const { x, y, width, height } = (await target.boundingBox())!;
    const { mouse } = this.page;
    await mouse.click(x + width / 2, y + height / 2);
    await effect();
    await mouse.down({ clickCount: 2 });
    await mouse.up({ clickCount: 2 });
  }

  /** Waits until nothing is on its way to the page, and nothing on it waits. */
  private async settled(): Promise<void> {
    let quiet = 0;
    await until(`${this.page.url()} is quiet`, async () => {
      const waits = await this.page.locator('[aria-busy="true"]').count();
      // What an answer brings may ask for more: only when it is quiet several times over is the page done.
      quiet = this.underway.size + waits > 0 ? 0 : quiet + 1;
      return quiet >= QUIET_LOOKS;
    });
  }

  /** Looks as a person would: it fits the screen, nothing is in anybody's way, nothing went wrong. `name`: of the picture. */
  async look(name: string): Promise<void> {
    await this.settled();
    if (process.env.SCREENSHOTS) {
      // The bar at the top goes away while somebody reads further down.
      await this.page.evaluate('scrollTo(0, 0)');
      await this.page.screenshot({ path: join(process.env.SCREENSHOTS, `${name}.png`), fullPage: true });
    }
    expect(await this.page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await barriers(this.page)).toEqual([]);
    expect(this.faults).toEqual([]);
  }

  close(): Promise<void> {
    return this.page.context().close();
  }
}
