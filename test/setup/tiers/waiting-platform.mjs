import { sharePlatform } from './platform.mjs';

/** The same tests on a platform where only payments that wait for somebody have a flow. */
export default function waitingPlatform(globalConfig, projectConfig) {
  return sharePlatform(globalConfig, projectConfig, 'TEST_WAITING_STACK_HOME', { PAYMENT_FLOWS: 'waiting' });
}
