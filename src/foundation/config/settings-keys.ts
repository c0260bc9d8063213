import { ConfigError, DAY, HOUR, ms, oneOf, type Setting, text, textOr, url } from './setting';
import type { Group } from './values';

export const KEY_SERVICES = ['aws', 'gcp', 'vault'] as const;
const GCP_KMS_URL = 'https://cloudkms.googleapis.com';

/** A key management service that wraps data keys. */
export type KeyServiceKind = (typeof KEY_SERVICES)[number];

/** Where keys come from. */
export const keyService = {
  keyService: {
    seals: oneOf(
      'KEY_SERVICE',
      ['file', ...KEY_SERVICES],
      'file',
      'What keeps the keys of the vault and of the codec: `file` is `VAULT_KEYS` and `CODEC_KEYS`, for one machine. With ' +
        'AWS KMS, Google Cloud KMS or HashiCorp Vault (Transit) it wraps keys that the platform makes: [key ' +
        'services](operations.md#key-services)',
    ),
    alsoReads: kinds(
      'KEY_SERVICE_ALSO',
      'Services that unwrap keys and wrap none, while the platform moves from one to another',
    ),
    cacheMs: ms(
      'KEY_SERVICE_CACHE_MS',
      HOUR,
      'How long a process works with the keys that a service has unwrapped, while the service does not answer or refuses',
      { min: 10_000 },
    ),
    periodMs: ms('DATA_KEY_PERIOD_MS', DAY, 'How long a data key encrypts before a new one is made', { min: 600_000 }),
    timeoutMs: ms(
      'KEY_SERVICE_TIMEOUT_MS',
      2_000,
      'How long one call to the service may take. It is tried three times',
      {
        min: 1,
      },
    ),
    aws: {
      keyId: text('AWS_KMS_KEY_ID', 'The symmetric key at AWS KMS: its ARN or alias', { mayBeEmpty: true }),
      region: text('AWS_KMS_REGION', 'Its region. Without it, what the environment says, as for each AWS SDK', {
        mayBeEmpty: true,
      }),
      url: url('AWS_KMS_URL', ['https', 'http'], 'Another address of AWS KMS, such as a VPC endpoint', {
        mayBeEmpty: true,
      }),
    },
    gcp: {
      key: text('GCP_KMS_KEY', 'The symmetric key at Google Cloud KMS', {
        form: '`projects/…/locations/…/keyRings/…/cryptoKeys/…`',
        mayBeEmpty: true,
      }),
      url: url('GCP_KMS_URL', ['https', 'http'], 'Where Google Cloud KMS is reached')
        .as((address) => address ?? GCP_KMS_URL)
        .showing(`\`${GCP_KMS_URL}\``),
    },
    vault: {
      url: url('TRANSIT_URL', ['https', 'http'], 'The address of HashiCorp Vault', { mayBeEmpty: true }),
      key: text('TRANSIT_KEY', 'The key of its Transit engine, of type `aes256-gcm96`', { mayBeEmpty: true }),
      mount: textOr('TRANSIT_MOUNT', 'transit', 'Where that engine is mounted'),
      namespace: text('TRANSIT_NAMESPACE', 'The namespace of Vault Enterprise', { mayBeEmpty: true }),
      tokenFile: text(
        'TRANSIT_TOKEN_FILE',
        'A file with the token, as Vault Agent keeps it. It is read for each call',
        {
          form: 'file',
          mayBeEmpty: true,
        },
      ),
      roleId: text('TRANSIT_ROLE_ID', 'The AppRole to sign in with, where there is no token file', {
        mayBeEmpty: true,
      }),
      secretId: text('TRANSIT_SECRET_ID', 'The secret of that AppRole', { mayBeEmpty: true, secret: true }),
    },
  },
} satisfies Group;

function kinds(name: string, meaning: string): Setting<KeyServiceKind[]> {
  return text(name, meaning, { form: '`aws`, `gcp`, `vault`, comma separated', mayBeEmpty: true }).as((value) =>
    (value ?? '')
      .split(',')
      .map((word) => word.trim())
      .filter(Boolean)
      .map((word) => {
        const kind = KEY_SERVICES.find((one) => one === word);
        if (!kind) throw new ConfigError(`${name} takes aws, gcp and vault, comma separated`);
        return kind;
      }),
  );
}
