import { load } from './build.mjs';
import program from './program.mjs';
import { stopAtTheEnd } from './teardown.mjs';

/** On a machine with little to give a flow has its first answer later; no test is about when. */
const PATIENCE = { API_FIRST_ANSWER_MS: '20000' };

/** For tests that share one running platform. */
export default async function platform(globalConfig, projectConfig) {
  await program(globalConfig, projectConfig);
  const { home, remove } = await load('stack').startStack({ env: PATIENCE });
  stopAtTheEnd(remove);
  process.env.TEST_STACK_HOME = home;
}
