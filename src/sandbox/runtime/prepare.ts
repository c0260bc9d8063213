import { ConfigError, loadConfig } from '../../foundation/config/config.js';
import { registerSearchAttributes } from '../../foundation/temporal/search-attributes.js';
import { setup } from './setup.js';

/**
 * Brings an outside database (DATABASE_URL, DATABASE_ADMIN_URL) and engine (TEMPORAL_ADDRESS) up to date and ends: for
 * deployments that run the processes one by one. `npm start` does the same by itself.
 */
async function prepare(): Promise<void> {
  const config = loadConfig();
  if (!config.database.url) throw new ConfigError('DATABASE_URL is required');
  if (!config.temporal.address) throw new ConfigError('TEMPORAL_ADDRESS is required');
  const added = await registerSearchAttributes(config.temporal.address, config.temporal.namespace);
  const { url, adminUrl = url } = config.database;
  // The sandbox is not seeded: nobody would learn the credentials, and those of its last start would end.
  await setup({ ...config, sandbox: false, database: { ...config.database, adminUrl } });
  process.stdout.write(`schema up to date; search attributes added: ${added.join(', ') || 'none'}\n`);
}

prepare().then(
  () => process.exit(0),
  (error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  },
);
