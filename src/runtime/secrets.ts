import { randomBytes } from 'node:crypto';
import { type Home, readJsonFile, writePrivateFile } from './home.js';
import { makeWalletKeys } from './wallet-authority.js';

/** What the sandbox makes up for itself once, by the name of the variable each stands for. */
export interface Secrets {
  VAULT_KEYS: string;
  VAULT_HMAC_KEY: string;
  CODEC_KEYS: string;
  PROCESSOR_SECRETS: string;
  WALLET_KEYS: string;
  WALLET_ISSUER_KEYS: string;
  /** Password of the embedded Postgres' superuser. */
  postgresAdminPassword: string;
  /** Password of the runtime role `tillway`. */
  postgresRuntimePassword: string;
  /** Tells this home from others where its data must lie elsewhere. */
  homeId: string;
}

const PROCESSORS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

function generate(): Secrets {
  const key = () => randomBytes(32).toString('base64');
  return {
    VAULT_KEYS: `k1:${key()}`,
    VAULT_HMAC_KEY: key(),
    CODEC_KEYS: `k1:${key()}`,
    PROCESSOR_SECRETS: JSON.stringify(
      Object.fromEntries(PROCESSORS.map((letter) => [letter, randomBytes(32).toString('hex')])),
    ),
    ...makeWalletKeys(),
    postgresAdminPassword: randomBytes(24).toString('hex'),
    postgresRuntimePassword: randomBytes(24).toString('hex'),
    homeId: randomBytes(8).toString('hex'),
  };
}

/** The secrets of this home, made up at the first start; file mode 0600. */
export function loadSecrets(home: Home): Secrets {
  const kept = readJsonFile(home.secretsFile);
  const secrets = { ...generate(), ...kept } as Secrets;
  if (!kept || Object.keys(kept).length < Object.keys(secrets).length)
    writePrivateFile(home.secretsFile, `${JSON.stringify(secrets, null, 2)}\n`);
  return secrets;
}
