import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config';
import { databaseUrl } from '../runtime/postgres';

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

/** DATABASE_URL, or that of the running sandbox's embedded Postgres. */
export function findDatabaseUrl(config: Config): string {
  if (config.database.url) return config.database.url;
  const secrets = JSON.parse(readFileSync(join(config.home, 'secrets.json'), 'utf8')) as Record<string, string>;
  return databaseUrl('tillway', secrets.postgresRuntimePassword!, config.ports.postgres, 'tillway');
}
