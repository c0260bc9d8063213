import { chromiumPath } from './chromium';

/** Without a browser the tests that need one are skipped. */
export const inBrowser = chromiumPath ? describe : describe.skip;
