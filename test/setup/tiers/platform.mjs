import { load } from './build.mjs';
import program from './program.mjs';
import { stopAtTheEnd } from './teardown.mjs';

/** For tests that share one running platform. */
export default async function platform(globalConfig, projectConfig) {
  await program(globalConfig, projectConfig);
  const { home, remove } = await load('stack').startStack();
  stopAtTheEnd(remove);
  process.env.TEST_STACK_HOME = home;
}
