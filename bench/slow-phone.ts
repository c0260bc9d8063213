import { chromiumPath, openBrowser } from '../test/setup/chromium';

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
/** What Lighthouse calls slow 4G: 150 ms there and back, 1.6 Mbit/s; and a processor four times slower than this one. */
const NETWORK = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 };
const SLOWER = 4;
const VISITS = 5;

/** How soon a page can be read on a slow phone that was never there: the median of some visits. */
export async function measureFirstLoad(url: string): Promise<string> {
  if (!chromiumPath) return 'Page for buyers on a slow phone: not measured, there is no Chromium here.';
  const browser = await openBrowser();
  try {
    const paints: number[] = [];
    let bytes = 0;
    for (let visit = 0; visit < VISITS; visit += 1) {
      const context = await browser.newContext(PHONE);
      const page = await context.newPage();
      const session = await context.newCDPSession(page);
      await session.send('Network.enable');
      await session.send('Network.emulateNetworkConditions', NETWORK);
      await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
      const sizes: Promise<number>[] = [];
      page.on('response', (response) => sizes.push(response.body().then(({ length }) => length)));
      await page.goto(url, { waitUntil: 'networkidle' });
      const paint = "performance.getEntriesByName('first-contentful-paint')[0].startTime";
      paints.push((await page.evaluate(paint)) as number);
      bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
      await context.close();
    }
    const median = paints.sort((a, b) => a - b)[VISITS >> 1]!;
    return `Page for buyers on a slow phone (150 ms, 1.6 Mbit/s, processor ${SLOWER} times slower): read after ${Math.round(median)} ms, ${(bytes / 1_000).toFixed(1)} kB.`;
  } finally {
    await browser.close();
  }
}
