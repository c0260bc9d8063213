import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { type ColorScheme, violations } from '../../setup/accessibility';
import { type Member, PASSWORD } from '../page-visitors';

/** The browser does not know the sandbox's certificate authority. */
export const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
  ignoreHTTPSErrors: true,
};

/** Looks at a page as a person would, by day and by night: it fits the screen, and nothing is in anybody's way. */
export async function look(browser: Browser, page: Page, name: string): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as ColorScheme[]) {
    await page.emulateMedia({ colorScheme });
    const path = join(process.env.SCREENSHOTS ?? '', `${name}${colorScheme === 'dark' ? '-dark' : ''}.png`);
    if (process.env.SCREENSHOTS) await page.screenshot({ path, fullPage: true });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await violations(browser, page, colorScheme)).toEqual([]);
  }
}

export async function signIn(page: Page, { email }: Member): Promise<void> {
  await page.getByLabel('E-mail address, telephone number or user name').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Signed in as').waitFor();
}
