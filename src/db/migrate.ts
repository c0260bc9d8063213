import { join } from 'node:path';
import knexFactory, { type Knex } from 'knex';

/** A knex instance with the rights of the owner of the schema; the only one that runs DDL. */
export function openAdmin(adminUrl: string): Knex {
  return knexFactory({
    client: 'pg',
    connection: adminUrl,
    pool: { min: 0, max: 2 },
    migrations: {
      directory: join(__dirname, 'migrations'),
      loadExtensions: [__filename.endsWith('.ts') ? '.ts' : '.js'],
    },
  });
}

/** Brings the schema up to date and lets `runtimeRole` (the user of DATABASE_URL) step into the narrow roles. */
export async function migrate(adminUrl: string, runtimeRole?: string): Promise<void> {
  const admin = openAdmin(adminUrl);
  try {
    await admin.migrate.latest();
    if (runtimeRole) await admin.raw('GRANT tillway_app, tillway_system, tillway_ops TO ??', [runtimeRole]);
  } finally {
    await admin.destroy();
  }
}
