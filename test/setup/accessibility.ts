import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { projectRoot } from './project';

const AXE = readFileSync(join(projectRoot, 'node_modules/axe-core/axe.min.js'), 'utf8');

/** Everything that is wrong for people who cannot see, or not well (WCAG 2.2 A and AA). */
export async function violations(browser: Browser, page: Page): Promise<string[]> {
  // The page allows no script but its own.
  const context = await browser.newContext({ bypassCSP: true, viewport: page.viewportSize() });
  const copy = await context.newPage();
  await copy.setContent(await page.content());
  await copy.addScriptTag({ content: AXE });
  const found = (await copy.evaluate(
    "axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })",
  )) as { violations: { id: string; nodes: { html: string }[] }[] };
  await context.close();
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]!.html}`);
}
