import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { SIMULATED_PROCESSORS } from '../../domain/connector.js';
import { SANDBOX_KEY_ID } from '../../foundation/config/config.js';
import { writePrivateFile } from '../../foundation/files/private-file.js';
import { type Home, readJsonFile } from './home.js';
import { makeWalletKeys } from './wallet-authority.js';

/** What the sandbox makes up for itself once, by the name of the variable each stands for. */
export interface Secrets {
  /** Absent where a key service keeps the keys. */
  VAULT_KEYS?: string;
  FINGERPRINT_KEYS: string;
  VAULT_HMAC_KEY: string;
  CODEC_KEYS?: string;
  PROCESSOR_SECRETS: string;
  DEVICE_WALLET_KEYS: string;
  DEVICE_WALLET_ISSUER_KEYS: string;
  /** Password of the embedded Postgres' superuser. */
  postgresAdminPassword: string;
  /** Passwords of its logins `tillway_app`, `tillway_system` and `tillway_ops`. */
  postgresRuntimePassword: string;
  postgresSystemPassword: string;
  postgresOpsPassword: string;
  /** Tells this home from others where its data must lie elsewhere. */
  homeId: string;
}

/** Processors D and F sign with a key pair (RSA and P-256); the simulator needs the private half, PEM. */
function processorSecret(letter: string): string {
  if (letter === 'd') return pemOf(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey);
  if (letter === 'f') return pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
  return randomBytes(32).toString('hex');
}

function pemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** A home from before D and F had key pairs gets them now. */
function complete(kept: string | undefined): string {
  const secrets: Record<string, string> = kept ? JSON.parse(kept) : {};
  for (const letter of SIMULATED_PROCESSORS) {
    const isPair = letter === 'd' || letter === 'f';
    if (!secrets[letter] || (isPair && !secrets[letter].startsWith('-----BEGIN')))
      secrets[letter] = processorSecret(letter);
  }
  return JSON.stringify(secrets);
}

function generate(): Secrets {
  const key = () => randomBytes(32).toString('base64');
  const password = () => randomBytes(24).toString('hex');
  return {
    // The id says where they come from: a production start refuses them.
    VAULT_KEYS: `${SANDBOX_KEY_ID}:${key()}`,
    FINGERPRINT_KEYS: `${SANDBOX_KEY_ID}:${key()}`,
    VAULT_HMAC_KEY: key(),
    CODEC_KEYS: `${SANDBOX_KEY_ID}:${key()}`,
    PROCESSOR_SECRETS: complete(undefined),
    ...makeWalletKeys(),
    postgresAdminPassword: password(),
    postgresRuntimePassword: password(),
    postgresSystemPassword: password(),
    postgresOpsPassword: password(),
    homeId: randomBytes(8).toString('hex'),
  };
}

/** A home from before version 0.2 keeps its device-wallet keys under the names that the settings had then. */
function underTodaysNames({ WALLET_KEYS, WALLET_ISSUER_KEYS, ...kept }: Record<string, unknown>) {
  return {
    ...(WALLET_KEYS && WALLET_ISSUER_KEYS
      ? { DEVICE_WALLET_KEYS: WALLET_KEYS, DEVICE_WALLET_ISSUER_KEYS: WALLET_ISSUER_KEYS }
      : {}),
    ...kept,
  };
}

/** The secrets of this home, made up at the first start; file mode 0600. `keyService`: which one keeps the keys. */
export function loadSecrets(home: Home, keyService = 'file'): Secrets {
  const kept = readJsonFile(home.secretsFile);
  const { VAULT_KEYS, CODEC_KEYS, ...others } = generate();
  const made = { ...(keyService === 'file' && { VAULT_KEYS, CODEC_KEYS }), ...others };
  // A home from before there were fingerprint keys goes on recognizing its cards.
  if (kept) made.FINGERPRINT_KEYS += ',hmac';
  const secrets = { ...made, ...(kept && underTodaysNames(kept)) } as Secrets;
  secrets.PROCESSOR_SECRETS = complete(secrets.PROCESSOR_SECRETS);
  if (!kept || JSON.stringify(kept) !== JSON.stringify(secrets))
    writePrivateFile(home.secretsFile, `${JSON.stringify(secrets, null, 2)}\n`);
  return secrets;
}
