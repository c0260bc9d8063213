import knexFactory, { type Knex } from 'knex';
import { Pool } from 'undici';
import { openDatabase } from '../src/foundation/db/database';
import { type Operation, tenOperations } from './operations';
import { bearerOf } from './payer';
import { type BenchPlatform, startPlatform } from './platform';
import { openWallets } from './wallets';

/** A platform of its own with the ten operations on it, for measures of one operation at a time. */
export interface Stand {
  platform: BenchPlatform;
  admin: Knex;
  /** Those with these names; all without names. Throws for a name that none has. */
  chosen(names: readonly string[]): Operation[];
  close(): Promise<void>;
}

export async function stand(env: NodeJS.ProcessEnv = {}): Promise<Stand> {
  const platform = await startPlatform(env);
  const { credentials } = platform;
  const admin = knexFactory({ client: 'pg', connection: platform.adminUrl, pool: { min: 0, max: 4 } });
  const database = openDatabase(platform.databaseUrls, 4, 'bench-stand');
  const api = new Pool(credentials.apiUrl, { connections: 80 });
  const simulator = new Pool(credentials.simulatorUrl, { connections: 80 });
  const close = async () => {
    await Promise.all([admin.destroy(), database.close(), api.close(), simulator.close()]);
    await platform.stop();
  };
  try {
    const { tenantId, organizationId } = credentials;
    const admins = {
      authorization: await bearerOf(api, credentials.clients.tenantAdmin),
      'content-type': 'application/json',
      organizationid: organizationId,
      tenantid: tenantId,
    };
    const wallets = await openWallets({ api, headers: admins, tenantId, admin, database });
    const operations = await tenOperations({ api, simulator, credentials, admins, wallets });
    const chosen = (names: readonly string[]) =>
      names.length === 0
        ? operations
        : names.map((name) => operations.find((one) => one.name === name) ?? unknown(name));
    const unknown = (name: string): never => {
      throw new Error(`there is no "${name}", but: ${operations.map((one) => one.name).join(', ')}`);
    };
    return { platform, admin, chosen, close };
  } catch (error) {
    await close();
    throw error;
  }
}
