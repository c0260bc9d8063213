import { sharePlatform } from './platform.mjs';

/** The same tests on a platform where payments have a flow only once there is something for it to do. */
export default function duePlatform(globalConfig, projectConfig) {
  return sharePlatform(globalConfig, projectConfig, 'TEST_DUE_STACK_HOME', { PAYMENT_FLOWS: 'due' });
}
