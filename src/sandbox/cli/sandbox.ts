import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../foundation/config/config';
import { databaseUrl } from '../runtime/postgres';
import type { Account } from './merchant';

/** What `npm start` wrote for its first user. */
export interface Credentials {
  apiUrl: string;
  simulatorUrl: string;
  temporalUiUrl: string;
  temporalAddress: string;
  tenantId: string;
  organizationId: string;
  callbackSecret: string;
  processorSecrets: Record<string, string>;
  customer: { customerId: string; email: string; password: string };
  clients: Record<'merchant' | 'tenantAdmin' | 'ops', { clientId: string; clientSecret: string }>;
}

/** The credentials of the sandbox in TILLWAY_HOME. Throws with one clear line when nothing was started there. */
export function readCredentials(config: Config): Credentials {
  const path = join(config.home, 'credentials.json');
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Credentials;
  } catch {
    throw new Error(`${path} cannot be read: start the sandbox first (npm start)`);
  }
}

/** The sandbox's merchant, as the API knows it. */
export function merchantOf({ apiUrl, organizationId, clients }: Credentials): Account {
  return { apiUrl, organizationId, ...clients.merchant };
}

/** DATABASE_URL, or that of the running sandbox's embedded Postgres. */
export function findDatabaseUrl(config: Config): string {
  if (config.database.url) return config.database.url;
  return databaseUrl('tillway', readSecrets(config).postgresRuntimePassword!, config.ports.postgres, 'tillway');
}

/** VAULT_KEYS and VAULT_HMAC_KEY, or those that the sandbox made up for itself. */
export function findVaultKeys({ keys, ...config }: Config): { keys: string; hmacKey: string } {
  const made = keys.vault && keys.vaultHmac ? undefined : readSecrets(config);
  return { keys: keys.vault ?? made!.VAULT_KEYS!, hmacKey: keys.vaultHmac ?? made!.VAULT_HMAC_KEY! };
}

function readSecrets({ home }: Pick<Config, 'home'>): Record<string, string> {
  const path = join(home, 'secrets.json');
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    throw new Error(`${path} cannot be read: start the sandbox first (npm start)`);
  }
}
