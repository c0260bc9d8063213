import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where distributions put it; without one the tests that need it are skipped. */
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

export const inBrowser = executablePath ? describe : describe.skip;

/** As root, as in a container, chromium runs only without its sandbox. It opens nothing but our own pages. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
}
