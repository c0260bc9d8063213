import { Client, escapeIdentifier } from 'pg';
import type { DatabaseUrls } from '../../src/foundation/db/database';

function given(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run the tests through jest, whose global setup starts the services`);
  return value;
}

const worker = () => process.env.JEST_WORKER_ID ?? '1';

function within(baseUrl: string, database: string): string {
  const url = new URL(baseUrl);
  url.pathname = `/${database}`;
  return url.toString();
}

const own = () => `tillway_w${worker()}`;

/** The migrated, empty database of this jest worker, by the login of each role. */
export const testLogins = (database = own()): Required<DatabaseUrls> => ({
  url: within(given('TEST_DATABASE_APP_URL'), database),
  systemUrl: within(given('TEST_DATABASE_SYSTEM_URL'), database),
  opsUrl: within(given('TEST_DATABASE_OPS_URL'), database),
});

/** The same database, by the one login of an installation that gives no others. */
export const testDatabaseUrl = (database = own()) => within(given('TEST_DATABASE_URL'), database);

/** The same database as its owner. */
export const testAdminUrl = (database = own()) => within(given('TEST_DATABASE_ADMIN_URL'), database);

async function asOwner(statement: string): Promise<void> {
  const client = new Client({ connectionString: testAdminUrl('postgres') });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** A further database of this worker's own, migrated and empty: for a test that must not see another's rows. */
export async function createTestDatabase(
  suffix: string,
): Promise<{ logins: Required<DatabaseUrls>; url: string; adminUrl: string; drop(): Promise<void> }> {
  const name = `tillway_w${worker()}_${suffix}`;
  await asOwner(`DROP DATABASE IF EXISTS ${escapeIdentifier(name)} WITH (FORCE)`);
  await asOwner(`CREATE DATABASE ${escapeIdentifier(name)} TEMPLATE tillway_template`);
  return {
    logins: testLogins(name),
    url: testDatabaseUrl(name),
    adminUrl: testAdminUrl(name),
    drop: () => asOwner(`DROP DATABASE IF EXISTS ${escapeIdentifier(name)} WITH (FORCE)`),
  };
}
