import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { withReference } from '../../../src/api/reference/reference';
import { type ApiDependencies, apiRoutes } from '../../../src/api/routes';
import type { Json } from '../../../src/api/server/json-schema';
import { type ApiServer, startApi } from './api-server';
import { Behaviour, sampleRoutes } from './sample-routes';

const { routes, document } = withReference(apiRoutes({} as ApiDependencies));
const operations: { id: string; operation: Json }[] = Object.entries(document.paths as Json).flatMap(([path, item]) =>
  Object.entries(item as Json).map(([method, operation]) => ({ id: `${method.toUpperCase()} ${path}`, operation })),
);

test('every route is in the document, with its roles', () => {
  for (const route of routes) {
    const operation = document.paths[route.path][route.method.toLowerCase()];
    expect(operation['x-roles']).toEqual(route.roles === 'public' ? [] : [...route.roles]);
    if (route.idempotent)
      expect(operation.parameters).toContainEqual({ $ref: '#/components/parameters/idempotencyKey' });
  }
});

test('operation ids are unique, references resolve, path parameters are declared', () => {
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const [, reference] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g))
    expect(reference!.split('/').reduce((value: Json, step) => value?.[step], document)).toBeDefined();
  for (const { id, operation } of operations)
    for (const [, name] of id.matchAll(/\{(\w+)\}/g))
      expect(operation.parameters).toContainEqual(expect.objectContaining({ in: 'path', name, required: true }));
});

test('all schemas are valid JSON Schema 2020-12', () => {
  const ajv = new Ajv2020({ strict: false });
  addFormats(ajv);
  ajv.addSchema(document, 'document');
  const schemas: Json[] = [];
  const collect = (value: Json): void => {
    if (typeof value !== 'object' || value === null) return;
    if (value.schema) schemas.push(value.schema);
    Object.values(value).forEach(collect);
  };
  collect({ paths: document.paths, components: document.components });
  expect(schemas.length).toBeGreaterThan(30);
  // A reference means the document, not the schema it stands in. Many schemas stand in more than one place.
  const texts = new Set(schemas.map((schema) => JSON.stringify(schema).replaceAll('"#/', '"document#/')));
  for (const text of texts) ajv.compile(JSON.parse(text));
});

test('the committed document is up to date', () => {
  const root = join(__dirname, '../../..');
  const { status, stderr } = spawnSync(process.execPath, ['scripts/openapi.mjs', '--check'], {
    cwd: root,
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
});

test('refusals and media types are documented where they are answered', () => {
  const answersOf = (method: string, path: string) => document.paths[path][method].responses;
  for (const path of ['/auth/1.0.0/customers/token', '/auth/1.0.0/users/token', '/auth/1.0.0/token'])
    expect(Object.keys(answersOf('post', path))).toEqual(expect.arrayContaining(['400', '401', '413', '429']));
  expect(Object.keys(answersOf('get', '/sandbox/mailbox')['200'].content)).toEqual(['application/json', 'text/html']);
  expect(Object.keys(answersOf('get', '/docs')['200'].content)).toEqual(['text/html']);
});

test('the receiver of a processor that is switched off is not documented', () => {
  expect(document.paths['/callbacks/stripe']).toBeUndefined();
  const { document: withStripe } = withReference(apiRoutes({} as ApiDependencies), {
    hasReceiver: (name) => name === 'stripe',
  });
  expect(withStripe.paths['/callbacks/stripe'].post.responses['401']).toBeDefined();
  expect(Object.keys(withStripe.paths).filter((path) => path.startsWith('/callbacks/'))).toEqual(['/callbacks/stripe']);
});

describe('served', () => {
  let api: ApiServer;
  beforeAll(async () => {
    api = await startApi({ routes: sampleRoutes(new Behaviour()) });
  });
  afterAll(() => api.close());

  test('the document, and real errors fit its Error schema', async () => {
    const served = await api.call('GET', '/openapi.json');
    expect(served.json.paths['/things'].post.operationId).toBe('postThings');
    const ajv = new Ajv2020({ strict: false });
    addFormats(ajv);
    const fits = ajv.compile(served.json.components.schemas.Error);
    for (const reply of [
      await api.call('GET', '/nowhere'),
      await api.call('GET', '/things?x=1'),
      await api.call('GET', '/failing/x'),
    ])
      expect([reply.status, fits(reply.json)]).toEqual([reply.status, true]);
  });

  test('every error links to the page that explains its code', async () => {
    const page = await api.call('GET', '/docs/codes');
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
    for (const reply of [await api.call('GET', '/nowhere'), await api.call('GET', '/failing/x')]) {
      const { docUrl, code } = reply.json;
      expect(docUrl).toBe(`${api.config.publicUrl}/docs/codes#${code}`);
      expect(page.text).toContain(`id="${code}"`);
    }
  });

  test('the page names every operation, runs no script and asks no other host', async () => {
    const page = await api.call('GET', '/docs');
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(page.text).not.toMatch(/<script|src=|https?:\/\//);
    for (const { path } of sampleRoutes(new Behaviour())) expect(page.text).toContain(path);
  });
});
