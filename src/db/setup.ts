import { type Config, ConfigError } from '../config';
import { CallbackSecrets } from '../identity/callback-secrets';
import { Users } from '../identity/users/user';
import { IntegrationParameters } from '../onboarding/parameters';
import { openDatabase } from './database';
import { writeSandboxFeeTerms } from './fee-terms';
import { writeCatalogue } from './method-catalogue';
import { migrate } from './migrate';
import { type SeededTenant, seedSandbox } from './seed';
import { seedCustomers } from './seed-customers';
import { seedUsers } from './seed-users';

export { migrate } from './migrate';

/**
 * Brings the schema and the method catalogue up to date and, in the sandbox, seeds its two tenants. `earlier`: the
 * credentials of an earlier start; where they still hold, nothing changes.
 */
export async function setup(
  config: Config,
  earlier?: Record<string, unknown>,
): Promise<{ credentials: Record<string, unknown> }> {
  const { url, adminUrl } = config.database;
  if (!url) throw new ConfigError('DATABASE_URL is required');
  if (!adminUrl)
    process.emitWarning(
      'DATABASE_ADMIN_URL is not set: migrations run as the user of DATABASE_URL, which then owns the schema',
    );
  await migrate(adminUrl ?? url, decodeURIComponent(new URL(url).username));
  const database = openDatabase(url, 2, 'tillway-setup');
  try {
    await writeCatalogue(database.system);
    if (!config.sandbox) return { credentials: {} };
    const { vault: vaultKeys, vaultHmac: hmacKey } = config.keys;
    if (!vaultKeys || !hmacKey) throw new ConfigError('VAULT_KEYS and VAULT_HMAC_KEY are required');
    await writeSandboxFeeTerms(database.system);
    const secrets = new CallbackSecrets(vaultKeys);
    const seeded = await seedSandbox(
      database.system,
      secrets,
      earlier as Partial<SeededTenant & { other: SeededTenant }> | undefined,
    );
    const withCustomers = await seedCustomers(database, { vaultKeys, hmacKey }, seeded, earlier);
    const users = new Users(database, vaultKeys, hmacKey);
    const parameters = new IntegrationParameters(database, secrets, vaultKeys, config.onboarding.unreadSecretTtlMs);
    return { credentials: { ...(await seedUsers(users, parameters, withCustomers, earlier)) } };
  } finally {
    await database.close();
  }
}
