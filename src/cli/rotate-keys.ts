import { BeneficiaryKeys } from '../beneficiaries/beneficiary';
import { loadConfig } from '../config';
import { ProfileSeal } from '../customers/customer';
import { Identifiers } from '../customers/identifiers';
import { openDatabase } from '../db/database';
import { EvidenceSeal } from '../disputes/evidence';
import { Authenticators, OF_USERS } from '../identity/authenticators';
import { CallbackSecrets } from '../identity/callback-secrets';
import { Users } from '../identity/users/user';
import { IntegrationParameters } from '../onboarding/parameters';
import { AliasKeys } from '../p2p/alias-keys';
import { DocumentKeys } from '../vault/document-keys';
import { type Rotation, rotateKeys } from '../vault/rotation';
import { Vault } from '../vault/vault';
import { findDatabaseUrl, findVaultKeys } from './sandbox';

const NAMES: Record<keyof Rotation, string> = {
  cards: 'cards',
  ibans: 'account numbers',
  callbackSecrets: 'callback secrets',
  evidence: 'pieces of evidence',
  profiles: 'customers',
  documents: 'documents and files',
  authenticators: 'authenticators',
  users: 'users',
  unreadSecrets: 'secrets that nobody has read yet',
  aliases: 'aliases',
  beneficiaries: 'beneficiaries',
};

/** `npm run rotate-keys`: brings all that lasts under the first of VAULT_KEYS. */
async function main(): Promise<void> {
  const config = loadConfig();
  const { keys, hmacKey } = findVaultKeys(config);
  const database = openDatabase(findDatabaseUrl(config), 4, 'tillway-rotate-keys');
  try {
    const vault = new Vault({ keys, hmacKey, cvvTtlMs: config.timers.cvvTtlMs });
    const callbackSecrets = new CallbackSecrets(keys);
    const done = await rotateKeys(
      database,
      vault,
      callbackSecrets,
      new EvidenceSeal(keys),
      new ProfileSeal(keys),
      new DocumentKeys(keys),
      [new Authenticators(database, keys, hmacKey), new Authenticators(database, keys, hmacKey, OF_USERS)],
      new Users(database, keys, hmacKey),
      new IntegrationParameters(database, callbackSecrets, keys, config.onboarding.unreadSecretTtlMs),
      new AliasKeys(new Identifiers(hmacKey), { vaultKeys: keys, hmacKey }),
      new BeneficiaryKeys({ vaultKeys: keys, hmacKey }),
    );
    const counts = Object.entries(done).map(([what, count]) => `${count} ${NAMES[what as keyof Rotation]}`);
    console.log(`now under key ${keys.split(':')[0]}: ${counts.join(', ')}`);
    const days = Math.max(config.api.idempotencyRetentionMs, config.messages.schedule.ttlMs) / 86_400_000;
    console.log(
      `The other keys may go ${days} days from now, when the last answer and message sealed under them are gone.`,
    );
  } finally {
    await database.close();
  }
}

main().catch((error: Error) => {
  console.error(`rotate-keys: ${error.message}`);
  process.exitCode = 1;
});
