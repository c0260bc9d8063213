import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SIMULATED_PROCESSORS } from '../../domain/connector';
import type { Config } from './complete';
import type { Keys } from './key-source';
import { isLoopback } from './loopback';

/** The id of the keys that a sandbox makes for itself. */
export const SANDBOX_KEY_ID = 'sandbox';

const MAKE_KEY = 'make a new one with `openssl rand -base64 32`';
/** The shortest secret that we share with a processor, in characters. */
const SHORTEST_SECRET = 16;
/** Of 32 random bytes about 30 differ. Fewer than these mean that somebody typed them. */
const FEWEST_DIFFERENT = 16;

/**
 * What a production start refuses in its settings: one sentence for each fault, which names the setting and says what to
 * do. No sentence quotes a secret.
 */
export function productionFaults(config: Config): string[] {
  const known = keysOfSandbox(config.home);
  return [
    ...missing(config),
    ...unsafeListener(config),
    ...unsafeEngine(config),
    ...weakKeys(config, known),
    ...unsafeProcessors(config, known),
    ...unsafeAuditExport(config),
    ...unsafeKeyServices(config),
    ...slowRevocation(config),
  ];
}

function missing({ database, temporal, keys, keyService }: Config): string[] {
  const required = {
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: temporal.address,
    VAULT_KEYS: keys.vault ?? keyService.seals !== 'file',
    FINGERPRINT_KEYS: keys.fingerprint,
    VAULT_HMAC_KEY: keys.vaultHmac,
    CODEC_KEYS: keys.codec ?? keyService.seals !== 'file',
  };
  return Object.entries(required)
    .filter(([, value]) => !value)
    .map(([name]) => `${name} is required when NODE_ENV=production`);
}

function unsafeListener({ tls, trustedProxies }: Config): string[] {
  return tls || trustedProxies.length > 0
    ? []
    : [
        'TLS_CERT and TLS_KEY, or TRUSTED_PROXIES, are required when NODE_ENV=production: serve TLS, or name the proxies that end it',
      ];
}

/** What is disabled or revoked stops within a second. */
function slowRevocation({ api }: Config): string[] {
  return api.accessTokenCacheMs <= 1_000
    ? []
    : ['ACCESS_TOKEN_CACHE_MS is more than a second, and a revoked token would work as long: set 1000 or less'];
}

/** Who reaches the engine may start and signal every flow, so it must know who we are. */
function unsafeEngine({ temporal: { address, tls, apiKey } }: Config): string[] {
  if (!address || isLoopback(address.replace(/:\d+$/, '')) || tls?.certPath || apiKey) return [];
  return [
    'TEMPORAL_ADDRESS is another machine, and the engine there does not know who we are: set TEMPORAL_TLS_CERT and TEMPORAL_TLS_KEY (mutual TLS), or TEMPORAL_API_KEY',
  ];
}

interface NamedKey {
  /** The setting, and which of its keys. */
  name: string;
  id?: string;
  bytes: string;
}

function weakKeys(config: Config, known: Set<string>): string[] {
  const { vault, fingerprint, vaultHmac, codec } = config.keys;
  const keys = [
    ...keysIn('VAULT_KEYS', vault),
    ...keysIn('FINGERPRINT_KEYS', fingerprint),
    ...keysIn('VAULT_HMAC_KEY', vaultHmac),
    ...keysIn('CODEC_KEYS', codec),
  ];
  return keys.flatMap(({ name, id, bytes }, i) => {
    const faults: string[] = [];
    if (id === SANDBOX_KEY_ID || known.has(bytes)) faults.push(`${name} is a key of a sandbox: ${MAKE_KEY}`);
    if (new Set(Buffer.from(bytes, 'base64')).size < FEWEST_DIFFERENT)
      faults.push(`${name} can be guessed: ${MAKE_KEY}`);
    const twin = keys.slice(0, i).find((other) => other.bytes === bytes);
    if (twin) faults.push(`${name} is the same key as ${twin.name}: ${MAKE_KEY}`);
    return faults;
  });
}

/** The keys of a setting, `id:key` or a key alone. */
function keysIn(name: string, setting: Keys = ''): NamedKey[] {
  if (typeof setting !== 'string') return [];
  return setting
    .split(',')
    .filter((entry) => entry && entry.trim() !== 'hmac')
    .map((entry) => {
      const [key = '', id] = entry.trim().split(':').reverse();
      return { name: id ? `${name} (${id})` : name, id, bytes: Buffer.from(key, 'base64').toString('base64') };
    });
}

/** The keys and processors' secrets that a sandbox in this TILLWAY_HOME has made for itself. */
function keysOfSandbox(home: string): Set<string> {
  const path = join(home, 'secrets.json');
  if (!existsSync(path)) return new Set();
  const { VAULT_KEYS, FINGERPRINT_KEYS, VAULT_HMAC_KEY, CODEC_KEYS, PROCESSOR_SECRETS } = JSON.parse(
    readFileSync(path, 'utf8'),
  );
  const keys = [VAULT_KEYS, FINGERPRINT_KEYS, VAULT_HMAC_KEY, CODEC_KEYS].flatMap((setting) => keysIn('', setting));
  return new Set([...keys.map(({ bytes }) => bytes), ...Object.values<string>(JSON.parse(PROCESSOR_SECRETS ?? '{}'))]);
}

type Shared = string | { callbackKey: string; apiKey: string };

/** In use is what an address or a secret is given for: then both are needed. */
function unsafeProcessors({ processorUrls, keys, stripe }: Config, known: Set<string>): string[] {
  const secrets: Record<string, Shared> = JSON.parse(keys.processorSecrets ?? '{}');
  const used = [...new Set([...Object.keys(processorUrls), ...Object.keys(secrets)])].sort();
  const faults = used.flatMap((letter, i) => {
    if (!(SIMULATED_PROCESSORS as readonly string[]).includes(letter))
      return [`PROCESSOR_URLS and PROCESSOR_SECRETS have no processor "${letter}": remove it`];
    const earlier = used.slice(0, i);
    return [
      ...addressFaults(
        letter,
        processorUrls[letter],
        earlier.find((other) => processorUrls[other] === processorUrls[letter]),
      ),
      ...secretFaults(
        letter,
        secrets[letter],
        earlier.find((other) => parts(secrets[other]).some((part) => parts(secrets[letter]).includes(part))),
        known,
      ),
    ];
  });
  if (stripe?.apiUrl && !isHttps(stripe.apiUrl)) faults.push('STRIPE_API_URL must be an https: address in production');
  return faults;
}

function addressFaults(letter: string, url: string | undefined, twin: string | undefined): string[] {
  if (!url) return [`PROCESSOR_URLS has no address of processor ${letter}, which has a secret: add it`];
  if (!isHttps(url)) return [`PROCESSOR_URLS must give processor ${letter} an https: address in production`];
  return twin ? [`PROCESSOR_URLS gives processor ${letter} the address of processor ${twin}: give it its own`] : [];
}

function secretFaults(
  letter: string,
  secret: Shared | undefined,
  twin: string | undefined,
  sandbox: Set<string>,
): string[] {
  if (!secret) return [`PROCESSOR_SECRETS has no secret of processor ${letter}, which has an address: add it`];
  if (twin) return [`PROCESSOR_SECRETS gives processor ${letter} a secret of processor ${twin}: agree on its own`];
  if (parts(secret).some((part) => sandbox.has(part)))
    return [`PROCESSOR_SECRETS gives processor ${letter} a secret of the sandbox: agree on a new one`];
  if (parts(secret).some((part) => part.length < SHORTEST_SECRET || new Set(part).size < SHORTEST_SECRET / 2))
    return [
      `PROCESSOR_SECRETS gives processor ${letter} a secret that can be guessed: agree on one of ${SHORTEST_SECRET} random characters or more`,
    ];
  return [];
}

function unsafeAuditExport({ auditExport }: Config): string[] {
  if (!auditExport || isHttps(auditExport.bucketUrl)) return [];
  return ['AUDIT_EXPORT_BUCKET_URL must be an https: address in production'];
}

/** Data keys travel there and back. */
function unsafeKeyServices({ keyService: { aws, gcp, vault } }: Config): string[] {
  return Object.entries({ AWS_KMS_URL: aws.url, GCP_KMS_URL: gcp.url, TRANSIT_URL: vault.url })
    .filter(([, address]) => address && !isHttps(address))
    .map(([name]) => `${name} must be an https: address in production`);
}

const parts = (secret: Shared | undefined): string[] =>
  secret === undefined ? [] : typeof secret === 'string' ? [secret] : [secret.callbackKey, secret.apiKey];

const isHttps = (url: string) => new URL(url).protocol === 'https:';
