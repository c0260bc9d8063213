import base, { needs, tier } from '../../jest.config.mjs';

/** What `npm run histories` runs: the recording, which is no test of any tier. */
const { testTimeout } = base;
export default {
  ...tier('histories', { ...needs('program'), testMatch: ['<rootDir>/test/histories/record.ts'] }),
  testTimeout,
};
