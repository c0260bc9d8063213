import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ConfigError,
  describeSettings,
  environment,
  loadConfig,
  readConfig,
} from '../../../../src/foundation/config/config.js';
import { productionEnv } from '../../../setup/production.js';
import { projectRoot } from '../../../setup/project.js';

test('nothing needs to be set in the sandbox', () => {
  expect(loadConfig({})).toMatchObject({ sandbox: true, publicUrl: 'http://127.0.0.1:8080' });
});

test.each([
  ['PORT', '0'],
  ['PORT', '65536'],
  ['TEMPORAL_ADDRESS', 'localhost'],
  ['PUBLIC_URL', 'ftp://example.org'],
  ['LOG_LEVEL', 'loud'],
  ['PROCESSOR_TIMEOUT_MS', '-1'],
  ['PROCESSOR_TIMEOUT_MS', '3s'],
  ['TILLWAY_WORKERS', '0'],
  ['RECONCILIATION_EVERY_MS', '999'],
  ['API_EMBEDDED_WORKER', 'maybe'],
  ['PROCESSOR_URLS', '{"a":"localhost"}'],
  ['TRUSTED_PROXIES', '10.0.0.0/33'],
  ['VAULT_KEYS', 'k1:short'],
  ['CODEC_KEYS', 'k1'],
  ['CODEC_KEYS', `kms-1:${Buffer.alloc(32, 7).toString('base64')}`],
  ['KEY_SERVICE', 'azure'],
  ['KEY_SERVICE_ALSO', 'aws,azure'],
  ['FINGERPRINT_KEYS', 'hmac,f1:short'],
  ['VAULT_HMAC_KEY', 'any text'],
  ['VAULT_HMAC_KEY', Buffer.alloc(31, 7).toString('base64')],
  ['PROCESSOR_SECRETS', '{"a":1}'],
  ['ROTATION_OVERLAP_MS', String(8 * 86_400_000)],
  ['SANDBOX_PUBLIC', 'yes'],
  ['HOST', '0.0.0.0'],
])('%s=%s is refused in one line that names it', (name, value) => {
  expect(() => loadConfig({ [name]: value })).toThrow(ConfigError);
  expect(() => loadConfig({ [name]: value })).toThrow(new RegExp(`^${name} .+$`));
});

test('a key service needs to know which key, and where', () => {
  const namesIn = (env: NodeJS.ProcessEnv) => readConfig(env).faults.map((fault) => fault.split(/[ ,]/)[0]);
  expect(namesIn({ KEY_SERVICE: 'file' })).toEqual([]);
  expect(namesIn({ KEY_SERVICE: 'vault', KEY_SERVICE_ALSO: 'aws,gcp' })).toEqual([
    'AWS_KMS_KEY_ID',
    'GCP_KMS_KEY',
    'TRANSIT_URL',
    'TRANSIT_KEY',
    'TRANSIT_TOKEN_FILE',
  ]);
  expect(namesIn({ KEY_SERVICE: 'aws', AWS_KMS_KEY_ID: 'alias/cards' })).toEqual([]);
});

test('a sandbox listens where other machines reach it only when told so', () => {
  expect(loadConfig({ HOST: '0.0.0.0', SANDBOX_PUBLIC: '1' }).host).toBe('0.0.0.0');
  for (const HOST of ['127.0.0.1', '127.3.2.1', 'localhost', '::1']) expect(loadConfig({ HOST }).host).toBe(HOST);
});

test('everything that is wrong is said at once, a line each', () => {
  const env = { PORT: '0', LOG_LEVEL: 'loud', TILLWAY_PROT: '1', TLS_KEY: 'key.pem', HOST: '10.0.0.1' };
  const { faults } = readConfig(env);
  expect(faults.map((fault) => fault.split(' ')[0]).sort()).toEqual([
    'HOST',
    'LOG_LEVEL',
    'PORT',
    'TILLWAY_PROT',
    'TLS_CERT',
  ]);
  expect(() => loadConfig(env)).toThrow(faults.join('\n'));
});

test('Stripe is off, or has both its secrets', () => {
  expect(loadConfig({}).stripe).toBeUndefined();
  const env = { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' };
  expect(loadConfig(env).stripe).toEqual({ secretKey: 'sk_test_1', webhookSecret: 'whsec_1' });
  for (const name of Object.keys(env))
    expect(() => loadConfig({ ...env, [name]: undefined })).toThrow('belong together');
});

test('the logins of the database belong together, and beside DATABASE_URL', () => {
  const DATABASE_URL = 'postgres://tillway_app:x@pooler/tillway';
  const DATABASE_SYSTEM_URL = 'postgres://tillway_system:x@pooler/tillway';
  const DATABASE_OPS_URL = 'postgres://tillway_ops:x@pooler/tillway';
  expect(loadConfig({ DATABASE_URL, DATABASE_SYSTEM_URL, DATABASE_OPS_URL }).database).toMatchObject({
    systemUrl: DATABASE_SYSTEM_URL,
    opsUrl: DATABASE_OPS_URL,
    directUrl: DATABASE_URL,
  });
  expect(() => loadConfig({ DATABASE_URL, DATABASE_SYSTEM_URL })).toThrow('belong together');
  expect(() => loadConfig({ DATABASE_SYSTEM_URL, DATABASE_OPS_URL })).toThrow('need DATABASE_URL beside them');
  expect(() => loadConfig({ DATABASE_DIRECT_URL: DATABASE_URL })).toThrow('need DATABASE_URL beside them');
});

test('an unknown TILLWAY_ variable is refused, a foreign one is not ours to judge', () => {
  expect(() => loadConfig({ TILLWAY_PROT: '1' })).toThrow('TILLWAY_PROT is not a setting of Tillway');
  expect(() => loadConfig({ SOMETHING_ELSE: '1' })).not.toThrow();
});

test('what may be empty counts as not given', () => {
  const empty = [
    'TRUSTED_PROXIES',
    'VAULT_KEYS',
    'CODEC_KEYS',
    'DEVICE_WALLET_KEYS',
    'DEVICE_WALLET_ISSUER_KEYS',
    'SMTP_URL',
    'TWILIO_AUTH_TOKEN',
  ];
  expect(loadConfig(Object.fromEntries(empty.map((name) => [name, ''])))).toEqual(loadConfig({}));
  expect(loadConfig({ TRUSTED_PROXIES: '10.0.0.1, fd00::/8,' }).trustedProxies).toEqual(['10.0.0.1', 'fd00::/8']);
});

test('e-mails and SMS go to the simulator in the sandbox, and wait in production', () => {
  expect(loadConfig({ TWILIO_FROM: 'Us' }).messages).toMatchObject({
    smtpUrl: 'smtp://127.0.0.1:1025',
    twilio: { accountSid: 'ACsandbox', authToken: 'sandbox', from: 'Us', apiUrl: 'http://127.0.0.1:8090/twilio' },
  });
  expect(loadConfig(productionEnv()).messages).toMatchObject({ smtpUrl: undefined, twilio: undefined });
});

describe('a setting that was renamed', () => {
  const renamed = describeSettings().flatMap(({ name, formerly }) => (formerly ? [[formerly, name] as const] : []));
  const values = (name: string) => (name.endsWith('_MS') ? ['1234', '4321'] : ['{"first":{}}', '{"second":{}}']);
  let warn: jest.SpyInstance;
  beforeEach(() => {
    warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  });
  afterEach(() => warn.mockRestore());

  test('is one of seven', () => {
    expect(Object.fromEntries(renamed)).toEqual({
      PROVIDER_TIMEOUT_MS: 'PROCESSOR_TIMEOUT_MS',
      PROVIDER_IN_FLIGHT_MS: 'PROCESSOR_IN_FLIGHT_MS',
      PROVIDER_INQUIRY_FIRST_MS: 'PROCESSOR_INQUIRY_FIRST_MS',
      PROVIDER_INQUIRY_MAX_MS: 'PROCESSOR_INQUIRY_MAX_MS',
      WALLET_KEYS: 'DEVICE_WALLET_KEYS',
      WALLET_ISSUER_KEYS: 'DEVICE_WALLET_ISSUER_KEYS',
      WALLET_TOKEN_TTL_MS: 'DEVICE_WALLET_TOKEN_TTL_MS',
    });
  });

  test.each(renamed)('%s works for %s and warns once', (old, name) => {
    const [value] = values(name);
    const config = loadConfig({ [name]: value });
    expect(warn).not.toHaveBeenCalled();
    expect(config).not.toEqual(loadConfig({}));
    expect(loadConfig({ [old]: value })).toEqual(config);
    expect(loadConfig({ [old]: value, [name]: value })).toEqual(config);
    expect(warn.mock.calls).toEqual([[`${old} is now ${name}; the old name works until version 0.3`]]);
  });

  test.each(renamed)('%s that differs from %s is refused in one line that names both', (old, name) => {
    const [value, other] = values(name);
    expect(() => loadConfig({ [old]: value, [name]: other })).toThrow(ConfigError);
    expect(() => loadConfig({ [old]: value, [name]: other })).toThrow(new RegExp(`^${name} and ${old} differ.+$`));
  });

  test('may be passed on empty under the name that is not used', () => {
    const given = { DEVICE_WALLET_KEYS: '{"first":{}}', WALLET_KEYS: '' };
    expect(loadConfig(given).keys.deviceWallet).toBe('{"first":{}}');
    expect(loadConfig({ DEVICE_WALLET_KEYS: '', WALLET_KEYS: '{"first":{}}' }).keys.deviceWallet).toBe('{"first":{}}');
  });

  test('reaches the programs we start under the name of today', () => {
    process.env.WALLET_TOKEN_TTL_MS = '1234';
    try {
      expect(environment()).toMatchObject({ DEVICE_WALLET_TOKEN_TTL_MS: '1234' });
      expect(environment()).not.toHaveProperty('WALLET_TOKEN_TTL_MS');
    } finally {
      delete process.env.WALLET_TOKEN_TTL_MS;
    }
  });
});

describe('docs/settings.md', () => {
  const text = readFileSync(join(projectRoot, 'docs/settings.md'), 'utf8');
  const rows = [...text.matchAll(/^\| `([A-Z_]+)` *\| (.+?) *\| (.*?) *\| (.+?) *\|$/gm)].map(
    ([, name, form, shown, meaning]) => ({ name, form, default: shown, meaning }),
  );

  test('has each setting once, and no other', () => {
    expect(rows.map(({ name }) => name).sort()).toEqual(
      describeSettings()
        .map(({ name }) => name)
        .sort(),
    );
  });

  test('shows form, default and meaning of each', () => {
    expect(rows).toEqual(
      describeSettings().map(({ name, form, default: shown, meaning, formerly }) => ({
        name,
        form,
        default: shown,
        meaning: formerly ? `${meaning}. Old name: \`${formerly}\`` : meaning,
      })),
    );
  });

  test('shows the defaults that the program takes', () => {
    const shown = rows.flatMap(({ name, default: text }) => {
      const value = /^`([^`]+)`(?: \(.+\))?$/.exec(text!)?.[1];
      return value === undefined ? [] : [[name!, value]];
    });
    expect(shown.length).toBeGreaterThan(70);
    for (const [name, value] of shown) expect([name, loadConfig({ [name!]: value })]).toEqual([name, loadConfig({})]);
  });
});
