import { load } from './build.mjs';
import program from './program.mjs';
import { stopAtTheEnd } from './teardown.mjs';

/**
 * A machine with little to give lets requests wait; no test is about for how long. What waits for what never comes, waits
 * as long as it would.
 */
const PATIENCE = { DATABASE_ACQUIRE_MS: '20000', API_FIRST_ANSWER_MS: '20000' };

/** For tests that share one running platform. */
export default async function platform(globalConfig, projectConfig) {
  await program(globalConfig, projectConfig);
  const { home, remove } = await load('stack').startStack({ env: PATIENCE });
  stopAtTheEnd(remove);
  process.env.TEST_STACK_HOME = home;
}
