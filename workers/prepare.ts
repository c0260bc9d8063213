import { ConfigError, loadConfig } from '../src/foundation/config/config';
import { engineAccess } from '../src/foundation/temporal/engine';
import { registerSearchAttributes } from '../src/foundation/temporal/search-attributes';
import { bringUpToDate } from './schema';

/**
 * The job `prepare`: brings an outside database (DATABASE_URL, DATABASE_ADMIN_URL) and engine (TEMPORAL_ADDRESS) up to
 * date and ends. It alone has the owner of the schema. `npm start` does the same by itself.
 */
async function prepare(): Promise<void> {
  const config = loadConfig();
  if (!config.temporal.address) throw new ConfigError('TEMPORAL_ADDRESS is required');
  const database = await bringUpToDate(config);
  await database.close();
  process.stdout.write('schema, logins and method catalogue are up to date\n');
  const added = await registerSearchAttributes(engineAccess(config), config.temporal.namespace);
  process.stdout.write(`search attributes added: ${added.join(', ') || 'none'}\n`);
}

prepare().then(
  () => process.exit(0),
  (error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  },
);
