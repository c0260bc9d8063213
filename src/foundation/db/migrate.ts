import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import knexFactory, { type Knex } from 'knex';
import type { DatabaseUrls } from './database';
import { createLogins } from './logins';

const DIRECTORY = join(__dirname, 'migrations');

/** The migrations that this version knows, in their order. */
export const knownMigrations = () => source.getMigrations([]);

/** Migrations by their bare names, so that compiled and uncompiled code agree on what has run. */
const source: Knex.MigrationSource<string> = {
  async getMigrations() {
    const files = readdirSync(DIRECTORY).filter((file) => /^\d{14}_\w+\.(js|ts)$/.test(file));
    return files.map((file) => file.replace(/\.(js|ts)$/, '')).sort();
  },
  getMigrationName: (name) => name,
  getMigration: async (name) => require(join(DIRECTORY, name)) as Knex.Migration,
};

/** A knex instance with the rights of the owner of the schema; the only one that runs DDL. */
export function openAdmin(adminUrl: string): Knex {
  return knexFactory({
    client: 'pg',
    connection: adminUrl,
    pool: { min: 0, max: 2 },
    migrations: { migrationSource: source },
  });
}

/**
 * Brings the schema up to date. Where each role has a login of its own, makes those that do not work yet; otherwise lets
 * the user of DATABASE_URL step into the narrow roles.
 */
export async function migrate(adminUrl: string, { url, systemUrl, opsUrl }: DatabaseUrls): Promise<void> {
  const admin = openAdmin(adminUrl);
  try {
    await admin.migrate.latest();
    if (systemUrl && opsUrl) await createLogins(adminUrl, { url, systemUrl, opsUrl });
    else {
      const runtimeRole = decodeURIComponent(new URL(url).username);
      await admin.raw('GRANT tillway_app, tillway_system, tillway_ops TO ??', [runtimeRole]);
    }
  } finally {
    await admin.destroy();
  }
}
