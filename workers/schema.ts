import { type Config, ConfigError } from '../src/foundation/config/config';
import { type Database, type DatabaseUrls, openDatabase } from '../src/foundation/db/database';
import { checkLogins } from '../src/foundation/db/logins';
import { migrate } from '../src/foundation/db/migrate';
import { writeCatalogue } from '../src/money/routing/method-catalogue';

/**
 * Brings schema, logins and method catalogue up to date. Answers the database with its narrow roles, which the caller
 * closes. Throws ConfigError when the settings name no owner of the schema that may do so.
 */
export async function bringUpToDate({ database, sandbox }: Pick<Config, 'database' | 'sandbox'>): Promise<Database> {
  const { url, systemUrl, opsUrl, adminUrl } = database;
  if (!url) throw new ConfigError('DATABASE_URL is required');
  if (!adminUrl && !sandbox)
    throw new ConfigError(
      'DATABASE_ADMIN_URL is required: migrations run as the owner of the schema, and nothing else does',
    );
  if (!adminUrl)
    process.emitWarning(
      'DATABASE_ADMIN_URL is not set: migrations run as the user of DATABASE_URL, which then owns the schema',
    );
  if (systemUrl && (adminUrl ?? url) === url)
    throw new ConfigError('DATABASE_ADMIN_URL is required: the login of DATABASE_URL must not change the schema');
  const urls: DatabaseUrls = { url, systemUrl, opsUrl };
  await migrate(adminUrl ?? url, urls);
  const narrow = openDatabase(urls, 2, 'tillway-setup');
  try {
    if (systemUrl) await checkLogins(narrow);
    await writeCatalogue(narrow.system);
    return narrow;
  } catch (error) {
    await narrow.close();
    throw error;
  }
}
