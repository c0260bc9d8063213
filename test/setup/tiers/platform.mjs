import { load } from './build.mjs';
import program from './program.mjs';
import { stopAtTheEnd } from './teardown.mjs';

/** On a machine with little to give a flow has its first answer later; no test is about when. */
const PATIENCE = { API_FIRST_ANSWER_MS: '20000' };

/** For tests that share one running platform. */
export default function platform(globalConfig, projectConfig) {
  return sharePlatform(globalConfig, projectConfig, 'TEST_STACK_HOME', {});
}

/** Starts one with these settings. Its tests find it by the variable `name`. */
export async function sharePlatform(globalConfig, projectConfig, name, settings) {
  await program(globalConfig, projectConfig);
  const { home, remove } = await load('stack').startStack({ env: { ...PATIENCE, ...settings } });
  stopAtTheEnd(remove);
  process.env[name] = home;
}
