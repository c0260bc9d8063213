// `npm run pictures`: takes the pictures that the docs show anew, from the pages as the tests see them in a browser.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';

const DOCS = new URL('../docs/', import.meta.url).pathname;
/** In points. A page that goes on is cut here. */
const HIGHEST = 1_400;
const SUITES = ['pay-page', 'page-sign-in.browser', 'consent-page.browser', 'console'];

const wanted = readdirSync(DOCS)
  .filter((name) => name.endsWith('.md'))
  .flatMap((name) => [...readFileSync(join(DOCS, name), 'utf8').matchAll(/\(pictures\/([\w-]+\.png)\)/g)])
  .map(([, picture]) => picture);

const taken = mkdtempSync(join(tmpdir(), 'tillway-pictures-'));
const { status } = spawnSync('npx', ['jest', '--selectProjects', 'e2e', '--maxWorkers', '1', '--', ...SUITES], {
  stdio: 'inherit',
  env: { ...process.env, SCREENSHOTS: taken },
});
const missing = wanted.filter((picture) => !existsSync(join(taken, picture)));
mkdirSync(join(DOCS, 'pictures'), { recursive: true });
for (const picture of wanted) if (!missing.includes(picture)) await keep(picture);
rmSync(taken, { recursive: true });
if (missing.length > 0) console.error(`pictures: the tests took no ${missing.join(', ')}`);
process.exitCode = status === 0 && missing.length === 0 ? 0 : 1;

/** The upper part of a page, in a palette: its flat colours take a third of the room so. */
async function keep(picture) {
  const whole = sharp(join(taken, picture));
  const { width, height } = await whole.metadata();
  await whole
    .extract({ left: 0, top: 0, width, height: Math.min(height, HIGHEST) })
    .png({ palette: true, dither: 0, compressionLevel: 9 })
    .toFile(join(DOCS, 'pictures', picture));
}
