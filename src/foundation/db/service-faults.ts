import { Client } from 'pg';
import type { Config } from '../config/config';
import type { Role } from './database';
import { excessOf, SETTINGS } from './logins';
import { knownMigrations } from './migrate';

const CONNECT_TIMEOUT_MS = 5_000;
/** Of Postgres: the role has no rights to the table, or there is no such table. */
const CANNOT_READ = ['42501', '42P01'];

/**
 * Why a process that serves must not work with these logins or this schema: one sentence for each fault, which names the
 * setting. A login has the rights of its role alone, or, shared by all roles, may step into them; nothing may lead to
 * the owner of the schema, which could switch row-level security off. Migrations have run before.
 */
export async function serviceFaults(database: Config['database']): Promise<string[]> {
  const { url, systemUrl, opsUrl, directUrl, adminUrl } = database;
  const faults = adminUrl
    ? ['DATABASE_ADMIN_URL is set, but only the job `prepare` may have the owner of the schema: remove it here']
    : [];
  if (!url) return faults;
  const ownLogins = systemUrl !== undefined && opsUrl !== undefined;
  const logins: [string, string, Role | undefined][] = ownLogins
    ? [
        [SETTINGS.tillway_app, url, 'tillway_app'],
        [SETTINGS.tillway_system, systemUrl, 'tillway_system'],
        [SETTINGS.tillway_ops, opsUrl, 'tillway_ops'],
      ]
    : [[SETTINGS.tillway_app, url, undefined]];
  if (directUrl && directUrl !== url)
    logins.push(['DATABASE_DIRECT_URL', directUrl, ownLogins ? 'tillway_app' : undefined]);
  for (const [setting, login, role] of logins) {
    const found = await faultsOfLogin(setting, login, role);
    faults.push(...found);
    const readsMigrations = setting === (ownLogins ? SETTINGS.tillway_system : SETTINGS.tillway_app);
    if (readsMigrations && found.length === 0) faults.push(...(await schemaFaults(login, ownLogins)));
  }
  return faults;
}

async function faultsOfLogin(setting: string, login: string, role: Role | undefined): Promise<string[]> {
  try {
    const { name, excess } = await asked(login, (client) => excessOf((sql) => client.query(sql), role));
    return excess.map((fault) => `${setting} logs in as ${name}, who ${fault}: ${remedyOf(role)}`);
  } catch (error) {
    return [`${setting} cannot be used (${(error as Error).message}): correct it, or run the job \`prepare\``];
  }
}

const remedyOf = (role: Role | undefined) =>
  role
    ? `give it the rights of ${role} and no others (docs/operations.md#database-logins)`
    : 'use an ordinary login that owns nothing (docs/operations.md#database-logins)';

async function schemaFaults(login: string, ownLogins: boolean): Promise<string[]> {
  const run = await asked(login, async (client) => {
    if (!ownLogins) await client.query('SET ROLE tillway_system');
    const { rows } = await client.query<{ name: string }>('SELECT name FROM knex_migrations');
    return rows.map(({ name }) => name);
  }).catch((error: { code?: string }): string[] => {
    if (CANNOT_READ.includes(error.code ?? '')) return [];
    throw error;
  });
  const pending = (await knownMigrations()).filter((name) => !run.includes(name));
  if (pending.length === 0) return [];
  const count = run.length === 0 ? 'migrations' : `${pending.length} of its migrations`;
  return [
    `DATABASE_URL leads to a schema on which ${count} have not run, such as ${pending[0]}: run the job \`prepare\` (node dist/workers/prepare.js) with DATABASE_ADMIN_URL`,
  ];
}

async function asked<T>(login: string, question: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: login, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await question(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
