import { LinkTokens, linksOfEarlierKeys } from '../../../commerce/payment-links/payment-link';
import { LinkShares } from '../../../commerce/payment-links/share';
import { Tickets } from '../../../commerce/tickets/tickets';
import { loadConfig } from '../../../foundation/config/config';
import { createLog } from '../../../foundation/log/log';
import { Messenger } from '../../../foundation/messages/messenger';
import { DocumentKeys } from '../../../foundation/vault/document-keys';
import { Keyring } from '../../../foundation/vault/keyring';
import { type OpenKeys, openKeys } from '../../../foundation/vault/open-keys';
import { Vault } from '../../../foundation/vault/vault';
import { BeneficiaryKeys } from '../../../money/beneficiaries/beneficiary';
import { EvidenceSeal } from '../../../money/disputes/evidence';
import { AliasKeys } from '../../../money/p2p/alias-keys';
import { SigningKeys } from '../../../open-banking/keys/signing-keys';
import { ProfileSeal } from '../../../people/customers/customer';
import { Identifiers } from '../../../people/customers/identifiers';
import { Authenticators, OF_USERS } from '../../../people/identity/authenticators';
import { CallbackSecrets } from '../../../people/identity/callback-secrets';
import { Users } from '../../../people/identity/users/user';
import { IntegrationParameters } from '../../../people/onboarding/parameters';
import { openRunningDatabase, withOwnKeys } from '../sandbox';
import { type Rotation, rotateKeys } from './rotation';

const NAMES: Record<keyof Rotation, string> = {
  dataKeys: 'data keys',
  cards: 'cards',
  fingerprints: 'fingerprints of cards',
  ibans: 'account numbers',
  callbackSecrets: 'callback secrets',
  evidence: 'pieces of evidence',
  profiles: 'customers',
  documents: 'documents and files',
  authenticators: 'authenticators',
  users: 'users',
  unreadSecrets: 'secrets that nobody has read yet',
  aliases: 'aliases',
  linkRecipients: 'recipients of payment links',
  tickets: 'tickets',
  beneficiaries: 'beneficiaries',
  signingKeys: 'signing keys of open banking',
  hashes: 'hashes of addresses and names',
};

/**
 * `npm run rotate-keys`: brings all that lasts under the first of VAULT_KEYS, FINGERPRINT_KEYS and VAULT_HMAC_KEY. With
 * `--signing`, it makes the next key of open banking and nothing else.
 */
async function main(): Promise<void> {
  const settings = withOwnKeys(loadConfig());
  const database = await openRunningDatabase(settings, 'tillway-rotate-keys');
  let opened: OpenKeys | undefined;
  try {
    opened = await openKeys(settings, database.system, createLog('tillway-rotate-keys', settings.logLevel));
    const { config } = opened;
    const { vault: keys, fingerprint: fingerprintKeys, vaultHmac: hmacKey } = config.keys;
    if (!keys || !hmacKey) throw new Error('VAULT_KEYS and VAULT_HMAC_KEY are required');
    const vault = new Vault({ keys, hmacKey, fingerprintKeys, cvvTtlMs: config.timers.cvvTtlMs });
    const signingKeys = new SigningKeys(database, keys);
    if (process.argv.includes('--signing')) {
      const { kid, signsFrom } = await signingKeys.rotate();
      console.log(`the key ${kid} is there: restart all processes now, and again after ${signsFrom.toISOString()}`);
      return;
    }
    const callbackSecrets = new CallbackSecrets(keys);
    const messenger = new Messenger(keys);
    const identifiers = new Identifiers(hmacKey);
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
      new AliasKeys(identifiers, { vaultKeys: keys, hmacKey }),
      new BeneficiaryKeys({ vaultKeys: keys, hmacKey }),
      new LinkShares(messenger, keys),
      new Tickets(database, messenger, keys),
      signingKeys,
      opened,
      identifiers,
    );
    const counts = Object.entries(done).map(([what, count]) => `${count} ${NAMES[what as keyof Rotation]}`);
    console.log(`now under key ${new Keyring(keys, 'name').currentId}: ${counts.join(', ')}`);
    const days = Math.max(config.api.idempotencyRetentionMs, config.messages.schedule.ttlMs) / 86_400_000;
    console.log(
      `The other keys may go ${days} days from now, when the last answer and message sealed under them are gone.`,
    );
    if (hmacKey.includes(','))
      console.log(whenHashKeysMayGo(await linksOfEarlierKeys(database.system, new LinkTokens(hmacKey, ''))));
  } finally {
    opened?.close();
    await database.close();
  }
}

/** What an earlier key of VAULT_HMAC_KEY is still needed for. */
function whenHashKeysMayGo({ count, until }: { count: number; until: Date | undefined }): string {
  const links = until
    ? `, and not before ${until.toISOString()}: ${count} payment links have their addresses of them`
    : '';
  return `The other keys of VAULT_HMAC_KEY may go 90 days from now${links}.`;
}

main().catch((error: Error) => {
  console.error(`rotate-keys: ${error.message}`);
  process.exitCode = 1;
});
