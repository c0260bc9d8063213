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
  networks?: string[];
  secrets?: string[];
  profiles?: string[];
}

const text = readFileSync(join(projectRoot, 'docker-compose.yml'), 'utf8');
const compose = parse(text, { merge: true }) as {
  services: Record<string, Service>;
  networks: Record<string, { internal?: boolean } | null>;
  secrets: Record<string, { file: string }>;
};
const OURS = ['prepare', 'api', 'worker'] as const;
const settings = describeSettings();
const secretSettings = settings.filter(({ form }) => form.endsWith('; secret')).map(({ name }) => name);
const dockerfile = readFileSync(join(projectRoot, 'Dockerfile'), 'utf8');
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
  const known = [...settings.map(({ name }) => name), ...secretSettings.map((name) => `${name}_FILE`)];
  for (const name of OURS)
    expect(Object.keys(compose.services[name]!.environment!).filter((setting) => !known.includes(setting))).toEqual([]);
});

test('every secret is a file, and only what is mounted is named', () => {
  expect(secretSettings).toContain('VAULT_KEYS');
  for (const name of OURS) {
    const { environment = {}, secrets = [] } = compose.services[name]!;
    expect(Object.keys(environment).filter((setting) => secretSettings.includes(setting))).toEqual([]);
    const named = Object.values(environment).flatMap((value) => /^\/run\/secrets\/(\w+)$/.exec(value)?.[1] ?? []);
    expect(named.sort()).toEqual([...secrets].sort());
  }
  const mounted = new Set(Object.values(compose.services).flatMap(({ secrets = [] }) => secrets));
  expect([...mounted].sort()).toEqual(Object.keys(compose.secrets).sort());
  expect(text).not.toMatch(/PASSWORD[^_\n]*: (?!\/run\/secrets)/);
});

test('only the one-shot preparation is given the owner of the schema', () => {
  const holders = Object.entries(compose.services).filter(([, { secrets }]) => secrets?.includes('database_admin_url'));
  expect(holders.map(([name]) => name)).toEqual(['prepare']);
});

test('who need not meet does not: database and engine are on networks that lead nowhere else', () => {
  const on = (network: string) =>
    Object.entries(compose.services).flatMap(([name, { networks }]) => (networks?.includes(network) ? [name] : []));
  expect(compose.networks).toEqual({ front: null, back: { internal: true }, engine: { internal: true } });
  expect(on('front').sort()).toEqual(['api', 'temporal-ui', 'worker']);
  expect(on('back').sort()).toEqual(['api', 'postgres', 'prepare', 'temporal', 'worker']);
  expect(on('engine').sort()).toEqual(['api', 'prepare', 'temporal', 'temporal-ui', 'worker']);
});

test('the engine takes nobody without a certificate', () => {
  expect(compose.services.temporal!.environment).toMatchObject({
    TEMPORAL_TLS_REQUIRE_CLIENT_AUTH: 'true',
    TEMPORAL_TLS_CLIENT1_CA_CERT: '/run/secrets/engine_ca',
  });
});

test('images of others are of one version, and are what they were: each has its digest', () => {
  const images = Object.values(compose.services).flatMap(({ image }) => (image === 'tillway:local' ? [] : [image]));
  expect(images).toHaveLength(3);
  for (const image of images) expect(image).toMatch(/:\d+\.\d+\.?\d*(-\w+)?@sha256:[0-9a-f]{64}$/);
  const stages = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
  expect(new Set(stages).size).toBe(1);
  for (const image of stages) expect(image).toMatch(/:\d+\.\d+\.\d+-[\w-]+@sha256:[0-9a-f]{64}$/);
});

test('a key service is named in the environment, and every setting that it needs can be given', () => {
  const { environment } = compose.services.api!;
  expect(environment).toMatchObject({ KEY_SERVICE: `\${KEY_SERVICE:-file}` });
  for (const name of ['AWS_KMS_KEY_ID', 'GCP_KMS_KEY', 'TRANSIT_URL', 'TRANSIT_KEY', 'TRANSIT_ROLE_ID'])
    expect(environment![name]).toBe(`\${${name}:-}`);
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
