import { tier } from '../../jest.config.mjs';

/** What `npm run model:mutants` runs: it tries the model itself, and is no test of any tier. */
export default tier('model', { testMatch: ['<rootDir>/test/model/try-mutants.ts'] });
