import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where distributions put it; undefined where there is none. */
export const chromiumPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);

/** As root, as in a container, chromium runs only without its sandbox. It opens nothing but our own pages. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
}
