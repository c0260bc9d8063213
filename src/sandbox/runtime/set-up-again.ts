import { loadConfig } from '../../foundation/config/config.js';
import { writeCredentials } from './credentials.js';
import { prepareHome, readJsonFile } from './home.js';
import { setup } from './setup.js';

/** Schema, catalogue and seed as the sources now have them: a process of its own, since ours has loaded the old ones. */
async function setUpAgain(): Promise<void> {
  const config = loadConfig();
  const home = prepareHome(config.home);
  const earlier = readJsonFile(home.credentialsFile);
  const { credentials } = await setup(config, earlier);
  writeCredentials(home, config, credentials, (earlier?.postgresPort as number | undefined) ?? null);
}

setUpAgain().then(
  () => process.exit(0),
  (error: Error) => {
    process.stderr.write(`${error.stack}\n`);
    process.exit(1);
  },
);
