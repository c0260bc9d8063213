import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, describeSettings, loadConfig } from '../../../../src/foundation/config/config.js';
import { projectRoot } from '../../../setup/project.js';

const key = `k1:${Buffer.alloc(32).toString('base64')}`;
const production = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://tillway:x@db/tillway',
  TEMPORAL_ADDRESS: 'temporal:7233',
  VAULT_KEYS: key,
  VAULT_HMAC_KEY: key,
  CODEC_KEYS: key,
  PROCESSOR_SECRETS: '{}',
  TRUSTED_PROXIES: '10.0.0.1',
};

test('nothing needs to be set in the sandbox', () => {
  expect(loadConfig({})).toMatchObject({ sandbox: true, publicUrl: 'http://127.0.0.1:8080' });
});

test('production takes no default secret, and no plain HTTP unless a proxy ends TLS', () => {
  expect(loadConfig(production).sandbox).toBe(false);
  for (const name of Object.keys(production).filter((setting) => setting !== 'NODE_ENV'))
    expect(() => loadConfig({ ...production, [name]: undefined })).toThrow(
      expect.objectContaining({ name: 'ConfigError', message: expect.stringContaining(name) }),
    );
});

test.each([
  ['PORT', '0'],
  ['PORT', '65536'],
  ['TEMPORAL_ADDRESS', 'localhost'],
  ['PUBLIC_URL', 'ftp://example.org'],
  ['LOG_LEVEL', 'loud'],
  ['PROVIDER_TIMEOUT_MS', '-1'],
  ['PROVIDER_TIMEOUT_MS', '3s'],
  ['TILLWAY_WORKERS', '0'],
])('%s=%s is refused in one line that names it', (name, value) => {
  expect(() => loadConfig({ [name]: value })).toThrow(ConfigError);
  expect(() => loadConfig({ [name]: value })).toThrow(new RegExp(`^${name} .+$`));
});

test('Stripe is off, or has both its secrets', () => {
  expect(loadConfig({}).stripe).toBeUndefined();
  const env = { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' };
  expect(loadConfig(env).stripe).toEqual({ secretKey: 'sk_test_1', webhookSecret: 'whsec_1' });
  for (const name of Object.keys(env))
    expect(() => loadConfig({ ...env, [name]: undefined })).toThrow('belong together');
});

test('an unknown TILLWAY_ variable is refused, a foreign one is not ours to judge', () => {
  expect(() => loadConfig({ TILLWAY_PROT: '1' })).toThrow('TILLWAY_PROT is not a setting of Tillway');
  expect(() => loadConfig({ SOMETHING_ELSE: '1' })).not.toThrow();
});

describe('docs/settings.md', () => {
  const text = readFileSync(join(projectRoot, 'docs/settings.md'), 'utf8');
  const rows = [...text.matchAll(/^\| `([A-Z_]+)` *\| (.*?) *\| (.+) \|$/gm)].map(([, name, shown, meaning]) => ({
    name,
    shown,
    meaning,
  }));
  // Defaults that depend on the machine are described there in words.
  const inWords = ['TILLWAY_HOME', 'TILLWAY_CACHE'];

  test('has each setting once, and no other', () => {
    expect(rows.map(({ name }) => name).sort()).toEqual(
      describeSettings()
        .map(({ name }) => name)
        .sort(),
    );
  });

  test('shows the default of each', () => {
    const shown = Object.fromEntries(rows.map(({ name, shown }) => [name, shown]));
    for (const { name, default: value } of describeSettings())
      if (!inWords.includes(name))
        expect(`${name} ${shown[name]}`.trimEnd()).toBe(
          `${name} ${value === undefined ? '' : `\`${value}\``}`.trimEnd(),
        );
  });
});
