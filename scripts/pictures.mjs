// `npm run pictures`: takes the pictures that the docs show anew, from the pages as the tests see them in a browser.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const DOCS = new URL('../docs/', import.meta.url).pathname;
const SUITES = ['pay-page', 'page-sign-in.browser', 'console'];

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
for (const picture of wanted)
  if (!missing.includes(picture)) copyFileSync(join(taken, picture), join(DOCS, 'pictures', picture));
rmSync(taken, { recursive: true });
if (missing.length > 0) console.error(`pictures: the tests took no ${missing.join(', ')}`);
process.exitCode = status === 0 && missing.length === 0 ? 0 : 1;
