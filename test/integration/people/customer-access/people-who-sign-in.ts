import { loadConfig } from '../../../../src/foundation/config/config';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { Messenger } from '../../../../src/foundation/messages/messenger';
import { type CustomerIdentity, openCustomerIdentity } from '../../../../src/people/customer-access/identity';
import { ProfileSeal } from '../../../../src/people/customers/customer';
import { CallbackSecrets } from '../../../../src/people/identity/callback-secrets';
import { seedCustomers } from '../../../../src/sandbox/seed/customers';
import { seedSandbox } from '../../../../src/sandbox/seed/tenants';
import { createTestDatabase } from '../../../setup/environment';

const VAULT_KEYS = `k1:${Buffer.alloc(32, 1).toString('base64')}`;
const VAULT_HMAC_KEY = Buffer.alloc(32, 2).toString('base64');
export const ACTOR = { id: 'cli_test', source: '127.0.0.1', requestId: 'req_test' };

/** A database with the sandbox's customers, and everything by which they prove who they are. */
export interface Place {
  database: Database;
  identity: CustomerIdentity;
  /** Opens and seals the profiles of these customers. */
  profiles: ProfileSeal;
  seeded: Awaited<ReturnType<typeof seedCustomers>>;
  /** Subject and text of the newest message. */
  newestMessage(): Promise<string>;
  newestCode(): Promise<string>;
  close(): Promise<void>;
}

export async function openPlace(name: string, settings: Record<string, string> = {}): Promise<Place> {
  const own = await createTestDatabase(name);
  const database = openDatabase(own.logins, 4);
  const keys = { VAULT_KEYS, VAULT_HMAC_KEY };
  const config = loadConfig({ NODE_ENV: 'test', DATABASE_URL: own.url, ...keys, ...settings });
  const messenger = new Messenger(VAULT_KEYS);
  const identity = openCustomerIdentity(config, database, messenger);
  const sandbox = await seedSandbox(database.system, new CallbackSecrets(VAULT_KEYS));
  const seeded = await seedCustomers(database, { vaultKeys: VAULT_KEYS, hmacKey: VAULT_HMAC_KEY }, sandbox);
  const newestMessage = async () => {
    const row = await database.system('messages').orderBy('created_at', 'desc').first();
    const { subject, text } = messenger.open(row.id, row.sealed);
    return `${subject}\n${text}`;
  };
  return {
    database,
    identity,
    profiles: new ProfileSeal(VAULT_KEYS),
    seeded,
    newestMessage,
    newestCode: async () => /\b\d{6}\b/.exec(await newestMessage())![0],
    close: async () => {
      await database.close();
      await own.drop();
    },
  };
}
