import { bringUpToDate } from '../../../workers/schema';
import { type Config, ConfigError } from '../../foundation/config/config';
import { createLog } from '../../foundation/log/log';
import { type OpenKeys, openKeys } from '../../foundation/vault/open-keys';
import { Vault } from '../../foundation/vault/vault';
import { Authenticators, OF_USERS } from '../../people/identity/authenticators';
import { CallbackSecrets } from '../../people/identity/callback-secrets';
import { Users } from '../../people/identity/users/user';
import { IntegrationParameters } from '../../people/onboarding/parameters';
import { CertificateFolder } from '../certificates/folder';
import { seedBankAccounts } from '../seed/bank-accounts';
import { seedCustomers } from '../seed/customers';
import { seedGoods } from '../seed/goods';
import { seedPayoutAccounts } from '../seed/payout-accounts';
import { writeSandboxFeeTerms } from '../seed/processor-fee-terms';
import { seedSavedCards } from '../seed/saved-cards';
import { type EarlierSandbox, seedSandbox } from '../seed/tenants';
import { seedTpps } from '../seed/tpps';
import { seedUsers } from '../seed/users';

export { migrate } from '../../foundation/db/migrate';

/**
 * Brings the schema and the method catalogue up to date and, in the sandbox, seeds its two tenants. `earlier`: the
 * credentials of an earlier start; where they still hold, nothing changes.
 */
export async function setup(
  settings: Config,
  earlier?: Record<string, unknown>,
): Promise<{ credentials: Record<string, unknown> }> {
  const database = await bringUpToDate(settings);
  let opened: OpenKeys | undefined;
  try {
    if (!settings.sandbox) return { credentials: {} };
    opened = await openKeys(settings, database.system, createLog('tillway-setup', settings.logLevel));
    const { config } = opened;
    const { vault: vaultKeys, vaultHmac: hmacKey } = config.keys;
    if (!vaultKeys || !hmacKey) throw new ConfigError('VAULT_KEYS and VAULT_HMAC_KEY are required');
    await writeSandboxFeeTerms(database.system);
    const secrets = new CallbackSecrets(vaultKeys);
    const seeded = await seedSandbox(database.system, secrets, earlier as EarlierSandbox | undefined);
    await seedGoods(database, seeded);
    const vault = new Vault({
      keys: vaultKeys,
      hmacKey,
      fingerprintKeys: config.keys.fingerprint,
      cvvTtlMs: config.timers.cvvTtlMs,
    });
    await seedPayoutAccounts(database.system, vault, seeded);
    await seedBankAccounts(database.system, seeded);
    const withCustomers = await seedCustomers(database, { vaultKeys, hmacKey }, seeded, earlier);
    await seedSavedCards(database, vault, withCustomers);
    const users = new Users(database, vaultKeys, hmacKey);
    const authenticators = new Authenticators(database, vaultKeys, hmacKey, OF_USERS);
    const parameters = new IntegrationParameters(database, secrets, vaultKeys, config.onboarding.unreadSecretTtlMs);
    const withUsers = await seedUsers(users, authenticators, parameters, withCustomers, earlier);
    const certificates = await CertificateFolder.open(config.home, hostsOf(config));
    const { trustAnchor } = config.openBanking;
    const withTpps = await seedTpps(
      database,
      certificates,
      { trustAnchor, simulatorUrl: config.simulatorUrl },
      withUsers,
    );
    return { credentials: { ...withTpps } };
  } finally {
    opened?.close();
    await database.close();
  }
}

/** The names by which a sandbox's entrance can be reached. */
function hostsOf({ host, authUrl }: Config): string[] {
  const reachable = ['127.0.0.1', 'localhost', host, new URL(authUrl).hostname];
  return [...new Set(reachable)].filter((name) => name !== '0.0.0.0' && name !== '::');
}
