import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig, readConfig } from '../../../../src/foundation/config/config.js';
import { productionEnv } from '../../../setup/production.js';

/** What a production start refuses in its settings. What it asks the database is in test/integration. */

const good = productionEnv();
const faultsWith = (changes: NodeJS.ProcessEnv) => readConfig({ ...good, ...changes }).faults;
const urls = (changes: object) => ({
  PROCESSOR_URLS: JSON.stringify({ ...JSON.parse(good.PROCESSOR_URLS), ...changes }),
});
const secrets = (changes: object) => ({
  PROCESSOR_SECRETS: JSON.stringify({ ...JSON.parse(good.PROCESSOR_SECRETS), ...changes }),
});
const [vaultKey, hmacKey] = [good.VAULT_KEYS.slice('k1:'.length), good.VAULT_HMAC_KEY];
const secretOfA: string = JSON.parse(good.PROCESSOR_SECRETS).a;
const zeros = Buffer.alloc(32).toString('base64');

test('production starts with good settings', () => {
  expect(readConfig(good).faults).toEqual([]);
  expect(loadConfig(good).sandbox).toBe(false);
});

test.each<[string, NodeJS.ProcessEnv, RegExp]>([
  ['no database', { DATABASE_URL: undefined }, /^DATABASE_URL is required/],
  ['no engine', { TEMPORAL_ADDRESS: undefined }, /^TEMPORAL_ADDRESS is required/],
  ['no vault key', { VAULT_KEYS: undefined }, /^VAULT_KEYS is required/],
  ['no fingerprint key', { FINGERPRINT_KEYS: undefined }, /^FINGERPRINT_KEYS is required/],
  [
    'the HMAC key for fingerprints',
    { FINGERPRINT_KEYS: `f1:${hmacKey}` },
    /^VAULT_HMAC_KEY is the same key as FINGERPRINT_KEYS \(f1\)/,
  ],
  ['no HMAC key', { VAULT_HMAC_KEY: undefined }, /^VAULT_HMAC_KEY is required/],
  ['no codec key', { CODEC_KEYS: undefined }, /^CODEC_KEYS is required/],
  ['plain HTTP', { TRUSTED_PROXIES: undefined }, /^TLS_CERT and TLS_KEY, or TRUSTED_PROXIES, are required/],
  ['half of a certificate', { TLS_CERT: 'a.pem', TRUSTED_PROXIES: '' }, /^TLS_CERT and TLS_KEY belong together/],
  [
    'an engine that does not know us',
    { TEMPORAL_TLS_CERT: undefined, TEMPORAL_TLS_KEY: undefined },
    /^TEMPORAL_ADDRESS is another machine/,
  ],
  [
    'an engine that we know, but that does not know us',
    { TEMPORAL_TLS_CERT: '', TEMPORAL_TLS_KEY: '', TEMPORAL_TLS_CA: 'ca.pem' },
    /^TEMPORAL_ADDRESS is another machine/,
  ],
  ['half of a client certificate', { TEMPORAL_TLS_KEY: '' }, /^TEMPORAL_TLS_CERT and TEMPORAL_TLS_KEY belong together/],
  ['tokens that outlive their end', { ACCESS_TOKEN_CACHE_MS: '1001' }, /^ACCESS_TOKEN_CACHE_MS is more than a second/],
  ['a short key', { VAULT_KEYS: 'k1:c2hvcnQ=' }, /^VAULT_KEYS must be id:base64 of 32 bytes/],
  ['a short HMAC key', { VAULT_HMAC_KEY: 'c2hvcnQ=' }, /^VAULT_HMAC_KEY must be base64 of at least 32 bytes/],
  ['a typed key', { CODEC_KEYS: `k1:${zeros}` }, /^CODEC_KEYS \(k1\) can be guessed/],
  ['an old key that was typed', { VAULT_KEYS: `k2:${vaultKey},k1:${zeros}` }, /^VAULT_KEYS \(k1\) can be guessed/],
  ['one key for two uses', { CODEC_KEYS: `c:${vaultKey}` }, /^CODEC_KEYS \(c\) is the same key as VAULT_KEYS \(k1\)/],
  ['the HMAC key in the vault', { VAULT_KEYS: `v:${hmacKey}` }, /^VAULT_HMAC_KEY is the same key as VAULT_KEYS \(v\)/],
  ["a sandbox's key", { VAULT_KEYS: `sandbox:${vaultKey}` }, /^VAULT_KEYS \(sandbox\) is a key of a sandbox/],
  ['a key service in clear', { TRANSIT_URL: 'http://vault.example' }, /^TRANSIT_URL must be an https: address/],
  ['an address without a secret', urls({ b: 'https://b.example' }), /^PROCESSOR_SECRETS has no secret of processor b/],
  ['a secret without an address', secrets({ b: hmacKey }), /^PROCESSOR_URLS has no address of processor b/],
  ['an address in clear', urls({ a: 'http://a.example' }), /^PROCESSOR_URLS must give processor a an https: address/],
  ['one address for two', urls({ c: 'https://a.example/v1' }), /^PROCESSOR_URLS gives processor c the address of .* a/],
  ['one secret for two', secrets({ c: secretOfA }), /^PROCESSOR_SECRETS gives processor c a secret of processor a/],
  ['a short secret', secrets({ a: 'hunter2' }), /^PROCESSOR_SECRETS gives processor a a secret that can be guessed/],
  ['a typed secret', secrets({ a: 'x'.repeat(64) }), /^PROCESSOR_SECRETS gives processor a a secret that can be guess/],
  [
    'a processor that does not exist',
    { ...urls({ z: 'https://z.example' }), ...secrets({ z: hmacKey }) },
    /^PROCESSOR_URLS and PROCESSOR_SECRETS have no processor "z"/,
  ],
  [
    'Stripe in clear',
    { STRIPE_SECRET_KEY: 'sk_1', STRIPE_WEBHOOK_SECRET: 'whsec_1', STRIPE_API_URL: 'http://stripe.example' },
    /^STRIPE_API_URL must be an https: address/,
  ],
  [
    'a copy of the audit log in clear',
    {
      AUDIT_EXPORT_BUCKET_URL: 'http://store.example/b',
      AUDIT_EXPORT_ACCESS_KEY_ID: 'AK1',
      AUDIT_EXPORT_SECRET_ACCESS_KEY: 'hunter2',
    },
    /^AUDIT_EXPORT_BUCKET_URL must be an https: address/,
  ],
  [
    'a copy of the audit log without a key',
    { AUDIT_EXPORT_BUCKET_URL: 'https://store.example/b' },
    /^AUDIT_EXPORT_BUCKET_URL, AUDIT_EXPORT_ACCESS_KEY_ID and AUDIT_EXPORT_SECRET_ACCESS_KEY belong together/,
  ],
  ['a secret that is no JSON', { PROCESSOR_SECRETS: 'a=b' }, /^PROCESSOR_SECRETS must be a JSON object/],
])('%s is refused in one line that quotes no secret', (_, changes, line) => {
  const faults = faultsWith(changes);
  expect(faults).toEqual([expect.stringMatching(line)]);
  expect(faults[0]).not.toMatch(/\n/);
  for (const secret of [vaultKey, hmacKey, secretOfA, 'hunter2', 'a=b', zeros]) expect(faults[0]).not.toContain(secret);
});

test.each<[string, NodeJS.ProcessEnv]>([
  ['an engine on this machine', { TEMPORAL_ADDRESS: '127.0.0.1:7233', TEMPORAL_TLS_CERT: '', TEMPORAL_TLS_KEY: '' }],
  ['an API key', { TEMPORAL_API_KEY: 'key', TEMPORAL_TLS_CERT: '', TEMPORAL_TLS_KEY: '' }],
  ['a certificate of its own', { TLS_CERT: 'a.pem', TLS_KEY: 'b.pem', TRUSTED_PROXIES: '' }],
  ['no processor at all', { PROCESSOR_URLS: undefined, PROCESSOR_SECRETS: undefined }],
])('%s is fine', (_, changes) => {
  expect(faultsWith(changes)).toEqual([]);
});

test('an API key is sent over TLS, without certificates of our own', () => {
  const { tls, apiKey } = loadConfig({ TEMPORAL_API_KEY: 'key' }).temporal;
  expect([apiKey, tls !== undefined]).toEqual(['key', true]);
  expect(loadConfig({}).temporal.tls).toBeUndefined();
});

test('all faults come at once, each once', () => {
  const faults = faultsWith({
    DATABASE_URL: 'mysql://db/x',
    VAULT_KEYS: undefined,
    VAULT_HMAC_KEY: 'short',
    TRUSTED_PROXIES: '',
    TEMPORAL_TLS_CERT: '',
    TEMPORAL_TLS_KEY: '',
    ...urls({ a: 'http://a.example', b: 'https://b.example' }),
  });
  const named = faults.map((fault) => fault.split(' ')[0]);
  expect(named.sort()).toEqual([
    'DATABASE_URL',
    'PROCESSOR_SECRETS',
    'PROCESSOR_URLS',
    'TEMPORAL_ADDRESS',
    'TLS_CERT',
    'VAULT_HMAC_KEY',
    'VAULT_KEYS',
  ]);
});

describe('in a folder', () => {
  let folder: string;
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tillway-config-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('what a sandbox has made up for itself is refused, whatever its name', () => {
    file('secrets.json', JSON.stringify({ ...good, CODEC_KEYS: `k1:${hmacKey}` }));
    expect(faultsWith({ TILLWAY_HOME: folder })).toEqual([
      expect.stringMatching(/^VAULT_KEYS \(k1\) is a key of a sandbox/),
      expect.stringMatching(/^FINGERPRINT_KEYS \(f1\) is a key of a sandbox/),
      expect.stringMatching(/^VAULT_HMAC_KEY is a key of a sandbox/),
      expect.stringMatching(/^PROCESSOR_SECRETS gives processor a a secret of the sandbox/),
    ]);
  });

  test('a secret may be given as a file, whose last line break does not count', () => {
    const env = { ...good, VAULT_HMAC_KEY: undefined, VAULT_HMAC_KEY_FILE: file('hmac', `${hmacKey}\n`) };
    expect(loadConfig(env).keys.vaultHmac).toBe(hmacKey);
    expect(loadConfig({ ...env, VAULT_HMAC_KEY: '' }).keys.vaultHmac).toBe(hmacKey);
    expect(loadConfig({ ...good, VAULT_HMAC_KEY_FILE: '' })).toEqual(loadConfig(good));
  });

  test.each<[string, () => NodeJS.ProcessEnv, RegExp]>([
    ['twice', () => ({ VAULT_HMAC_KEY_FILE: file('h', hmacKey) }), /^VAULT_HMAC_KEY and VAULT_HMAC_KEY_FILE are both/],
    ['empty', () => ({ VAULT_KEYS: '', VAULT_KEYS_FILE: file('e', '\n') }), /^VAULT_KEYS is required/],
    [
      'needed and empty',
      () => ({ VAULT_HMAC_KEY: '', VAULT_HMAC_KEY_FILE: file('h', '\n') }),
      /^VAULT_HMAC_KEY is not allowed to be empty/,
    ],
    [
      'away',
      () => ({ CODEC_KEYS: undefined, CODEC_KEYS_FILE: join(folder, 'away') }),
      /^CODEC_KEYS_FILE names a file that cannot be read \(ENOENT\)/,
    ],
    ['malformed', () => ({ CODEC_KEYS: '', CODEC_KEYS_FILE: file('m', 'hunter2') }), /^CODEC_KEYS must be id:base64/],
    ['not secret', () => ({ PORT_FILE: file('p', '8080') }), /^PORT_FILE is not a setting/],
  ])('a file of a secret that is %s is refused', (_, changes, line) => {
    const faults = faultsWith(changes());
    expect(faults).toEqual([expect.stringMatching(line)]);
    expect(faults[0]).not.toContain('hunter2');
  });
});
