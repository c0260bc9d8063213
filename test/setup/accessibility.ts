import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { projectRoot } from './project';

const AXE = readFileSync(join(projectRoot, 'node_modules/axe-core/axe.min.js'), 'utf8');
/** `resultTypes`: what is right is found too, and not described at length. */
const OPTIONS = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  resultTypes: ['violations'],
};

/** Everything that is wrong for people who cannot see, or not well (WCAG 2.2 A and AA), on the page as it stands. */
export async function barriers(page: Page): Promise<string[]> {
  // Evaluated by the browser's own tools: the page's policy allows no script but its own.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(AXE);
  const found = (await page.evaluate(`axe.run(${JSON.stringify(OPTIONS)})`)) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]!.html}`);
}

export type ColorScheme = 'light' | 'dark';

/** The same of a page that may run no scripts at all: of a copy of it, in these colours. */
export async function violations(browser: Browser, page: Page, colorScheme: ColorScheme = 'light'): Promise<string[]> {
  const context = await browser.newContext({ viewport: page.viewportSize(), colorScheme });
  const copy = await context.newPage();
  await copy.setContent(await page.content());
  const found = await barriers(copy);
  await context.close();
  return found;
}
