import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import { describeSettings } from '../../../../src/foundation/config/config.js';
import { DYNAMIC_CONFIG } from '../../../../src/sandbox/runtime/temporal.js';
import { projectRoot } from '../../../setup/project.js';

interface Service {
  image?: string;
  environment?: Record<string, string>;
  command?: string[];
  volumes?: string[];
}

const text = readFileSync(join(projectRoot, 'docker-compose.yml'), 'utf8');
const compose = parse(text, { merge: true }) as { services: Record<string, Service> };
const specification = join(projectRoot, '../shared/data/compose-spec.json');

(existsSync(specification) ? test : test.skip)('is a valid Compose file', () => {
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats(ajv);
  const schema = JSON.parse(readFileSync(specification, 'utf8')) as { $schema?: string };
  delete schema.$schema;
  const validate = ajv.compile(schema);
  validate(compose);
  expect(validate.errors ?? []).toEqual([]);
});

test('its parts are given settings that exist', () => {
  const known = new Set(describeSettings().flatMap(({ name, formerly }) => [name, formerly]));
  for (const name of ['prepare', 'api', 'worker', 'simulator'])
    expect(Object.keys(compose.services[name]!.environment!).filter((setting) => !known.has(setting))).toEqual([]);
});

test('only the one-shot preparation is given the owner of the schema', () => {
  const holders = Object.entries(compose.services).filter(([, { environment }]) => environment?.DATABASE_ADMIN_URL);
  expect(holders.map(([name]) => name)).toEqual(['prepare']);
});

test('no secret has a default', () => {
  const secrets = [...text.matchAll(/\$\{(\w*(?:PASSWORD|KEYS?|SECRETS))([^}]*)\}/g)];
  expect(secrets.length).toBeGreaterThan(8);
  // Without these, device-wallet tokens are refused; each has an old name too.
  const optional = ['DEVICE_WALLET_KEYS', 'DEVICE_WALLET_ISSUER_KEYS', 'WALLET_KEYS', 'WALLET_ISSUER_KEYS'];
  for (const [, name, rest] of secrets)
    expect(`${name}${rest}`).toBe(`${name}${optional.includes(name!) ? ':-' : ':?'}`);
});

test('the engine is tuned as the embedded one is', () => {
  const file = parse(readFileSync(join(projectRoot, 'docker/dynamicconfig.yaml'), 'utf8')) as Record<
    string,
    [{ value: unknown }]
  >;
  expect(Object.fromEntries(Object.entries(file).map(([key, [{ value }]]) => [key, String(value)]))).toEqual(
    DYNAMIC_CONFIG,
  );
});
