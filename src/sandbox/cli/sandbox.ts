import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../foundation/config/config';
import { type Database, type DatabaseUrls, openDatabase } from '../../foundation/db/database';
import { type LoginPasswords, loginUrls } from '../runtime/postgres';
import type { SeededTpp } from '../seed/tpps';
import type { Account } from './merchant';

interface Client {
  clientId: string;
  clientSecret: string;
}

/** What it wrote of one tenant. */
interface TenantCredentials {
  tenantId: string;
  organizationId: string;
  callbackSecret: string;
  customer: { customerId: string; email: string; password: string };
  /** A third-party provider, its certificate and its keys. */
  tpp: SeededTpp;
  clients: Record<'merchant' | 'tenantAdmin', Client>;
}

/** What `npm start` wrote for its first user. */
export interface Credentials extends TenantCredentials {
  apiUrl: string;
  /** The entrance of third-party providers. */
  authUrl: string;
  simulatorUrl: string;
  temporalUiUrl: string;
  temporalAddress: string;
  processorSecrets: Record<string, string>;
  /** Of the Postgres that was started with it; null where DATABASE_URL named another. */
  postgresPort?: number | null;
  clients: Record<'merchant' | 'tenantAdmin' | 'ops', Client>;
  /** The second tenant. */
  other: TenantCredentials;
  /** Who may sign in to the console. */
  users: Record<'merchant' | 'tenantAdmin' | 'ops', { email: string; password: string; totpSecret: string }>;
}

/** What to do when nothing runs where we looked. */
export const START_IT = 'start it with npm start, or set TILLWAY_HOME to the folder of the platform that runs';

/**
 * How all commands find the running platform: by the `credentials.json` in TILLWAY_HOME, whatever ports it listens on.
 * Throws with one clear line when nothing was started there.
 */
export function readCredentials(config: Pick<Config, 'home'>): Credentials {
  return readOwn<Credentials>(config, 'credentials.json');
}

/** The sandbox's merchant, as the API knows it. */
export function merchantOf({ apiUrl, organizationId, clients }: Credentials): Account {
  return { apiUrl, organizationId, ...clients.merchant };
}

/** What the settings name, or the database of the platform in TILLWAY_HOME. Throws with one clear line for neither. */
export function findDatabaseUrls(config: Pick<Config, 'database' | 'home' | 'ports'>): DatabaseUrls {
  const { url, systemUrl, opsUrl } = config.database;
  if (url) return { url, systemUrl, opsUrl };
  const { postgresPort = config.ports.postgres } = readCredentials(config);
  if (postgresPort === null)
    throw new Error(`the platform in ${config.home} was started with a DATABASE_URL: set the same one here`);
  return loginUrls(readSecrets(config), postgresPort, 'tillway');
}

/** Opens the database that `findDatabaseUrls` finds. Rejects with one clear line when it does not answer. */
export async function openRunningDatabase(
  config: Pick<Config, 'database' | 'home' | 'ports'>,
  name: string,
): Promise<Database> {
  const urls = findDatabaseUrls(config);
  const database = openDatabase(urls, 4, name);
  try {
    await database.system.raw('SELECT 1');
    return database;
  } catch (error) {
    await database.close();
    const { host } = new URL(urls.url);
    const reason = `${host} does not answer (${(error as Error).message})`;
    if (config.database.url) throw new Error(`the database of DATABASE_URL at ${reason}`);
    throw new Error(`the platform in ${config.home} does not run, its database at ${reason}: ${START_IT}`);
  }
}

/** Where the simulator answers: that of the platform in TILLWAY_HOME, or, beside a DATABASE_URL, as the settings say. */
export function findSimulatorUrl(config: Pick<Config, 'database' | 'home' | 'simulatorUrl'>): string {
  return config.database.url ? config.simulatorUrl : readCredentials(config).simulatorUrl;
}

/** The settings with the keys that the sandbox made up for itself, where they name none. */
export function withOwnKeys(config: Config): Config {
  const { keys, keyService } = config;
  if (keys.vaultHmac && (keys.vault || keyService.seals !== 'file')) return config;
  const made = readSecrets(config);
  return {
    ...config,
    keys: {
      ...keys,
      vault: keys.vault ?? made.VAULT_KEYS,
      codec: keys.codec ?? made.CODEC_KEYS,
      fingerprint: keys.fingerprint ?? made.FINGERPRINT_KEYS,
      vaultHmac: keys.vaultHmac ?? made.VAULT_HMAC_KEY,
    },
  };
}

function readSecrets(config: Pick<Config, 'home'>): Record<string, string> & LoginPasswords {
  return readOwn(config, 'secrets.json');
}

function readOwn<T>({ home }: Pick<Config, 'home'>, name: string): T {
  const path = join(home, name);
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new Error(`no platform was started in ${home}: ${START_IT}`);
    throw new Error(`${path} cannot be read: ${(error as Error).message}`);
  }
}
