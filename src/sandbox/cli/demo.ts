import { loadConfig } from '../../foundation/config/config';
import { cardScene } from './demo/card';
import { consentScene } from './demo/consent';
import { customersScene } from './demo/customers';
import { kindsScene } from './demo/kinds';
import { linksScene } from './demo/links';
import { notificationsScene } from './demo/notifications';
import { onboardingScene } from './demo/onboarding';
import { reconciliationScene, routingScene } from './demo/operations';
import { p2pScene } from './demo/p2p';
import { createStage } from './demo/stage';
import { walletScene } from './demo/wallet';
import { Merchant } from './merchant';
import { merchantOf, readCredentials } from './sandbox';

/** `npm run demo`: walks through the running platform, step by step. */
async function main(): Promise<void> {
  const config = loadConfig();
  const credentials = readCredentials(config);
  const merchant = new Merchant(merchantOf(credentials));
  const stage = createStage(config, credentials, merchant);
  await merchant.signIn();
  stage.say('The merchant signs in with client id and secret and gets a token for 10,000 seconds.');
  await cardScene(stage);
  await kindsScene(stage);
  await linksScene(stage);
  await walletScene(stage);
  await p2pScene(stage);
  await consentScene(stage);
  await routingScene(stage);
  await notificationsScene(stage);
  await reconciliationScene(stage);
  await customersScene(stage);
  await onboardingScene(stage);
}

main().catch((error: Error) => {
  console.error(`demo: ${error.message}`);
  process.exitCode = 1;
});
