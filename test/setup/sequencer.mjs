import { createRequire } from 'node:module';
import { relative } from 'node:path';

const { default: Sequencer } = createRequire(import.meta.url)('@jest/test-sequencer');

/** The suites that take longest, in seconds: what a fresh clone goes by, until jest has measured them itself. */
const SECONDS = {};

/** Starts the longest suites first, so that none is left over at the end. */
export default class LongestFirst extends Sequencer {
  time(test) {
    const path = relative(`${test.context.config.rootDir}/test`, test.path);
    return super.time(test) ?? (SECONDS[path] ?? 1) * 1_000;
  }
}
