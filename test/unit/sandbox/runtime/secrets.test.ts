import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writePrivateFile } from '../../../../src/foundation/files/private-file.js';
import { type Home, prepareHome } from '../../../../src/sandbox/runtime/home.js';
import { loadSecrets } from '../../../../src/sandbox/runtime/secrets.js';

let home: Home;
beforeEach(() => {
  home = prepareHome(mkdtempSync(join(tmpdir(), 'tillway-secrets-')));
});
afterEach(() => rmSync(home.path, { recursive: true, force: true }));

const keep = (secrets: object) => writePrivateFile(home.secretsFile, JSON.stringify(secrets));

test('secrets are made up once', () => {
  const secrets = loadSecrets(home);
  expect(loadSecrets(home)).toEqual(secrets);
});

test('where a key service keeps the keys, a new home makes none of its own, and an earlier one keeps those it has', () => {
  const names = () => Object.keys(loadSecrets(home, 'vault'));
  expect(names()).not.toContain('VAULT_KEYS');
  expect(names()).toEqual(expect.arrayContaining(['FINGERPRINT_KEYS', 'VAULT_HMAC_KEY']));
  const own = loadSecrets(home);
  expect(loadSecrets(home, 'vault')).toEqual(own);
  expect(own.VAULT_KEYS).toMatch(/^sandbox:/);
});

test('a home that keeps its device-wallet keys under their old names goes on with them', () => {
  const { DEVICE_WALLET_KEYS, DEVICE_WALLET_ISSUER_KEYS, ...others } = loadSecrets(home);
  keep({ ...others, WALLET_KEYS: DEVICE_WALLET_KEYS, WALLET_ISSUER_KEYS: DEVICE_WALLET_ISSUER_KEYS });

  const secrets = loadSecrets(home);

  expect(secrets).toEqual({ ...others, DEVICE_WALLET_KEYS, DEVICE_WALLET_ISSUER_KEYS });
  expect(JSON.parse(readFileSync(home.secretsFile, 'utf8'))).toEqual(secrets);
});

test('the names of today win in a home that an older version has run on since', () => {
  const secrets = loadSecrets(home);
  keep({ ...secrets, WALLET_KEYS: '{"first":{}}', WALLET_ISSUER_KEYS: '{}' });
  expect(loadSecrets(home)).toEqual(secrets);
});
