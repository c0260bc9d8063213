import { type Credentials, sharedStack } from '../setup/stack';
import { type Actors, actorsOf, CARDS, type Json, send } from './client';
import { type Operation, type Request, Requests, sendRequest } from './operations';
import { ownTenant } from './tenants';
import { newCustomer } from './topups';

/**
 * Values that fit JSON, and break what takes them for what they look like: no operation answers 500 to any of them.
 * Everything beside the hostile value is right, so fees, limits and rules are really set: in a tenant of its own.
 */

const { credentials: shared, apiUrl } = sharedStack();

let own: Credentials;
let actors: Actors;
let requests: Requests;

beforeAll(async () => {
  own = await ownTenant();
  actors = await actorsOf(shared, own);
  const customerId = await newCustomer(actors);
  const { paymentId } = await actors.merchant.paid(CARDS.visa, { capture: 'manual' }, ['authorized']);
  requests = new Requests((await send(`${apiUrl}/openapi.json`)).body, {
    ...own,
    ...shared.customer,
    customerId,
    paymentId,
    id: '61',
    documentNumber: '1',
    from: '2026-01-01T00:00:00Z',
    to: '2026-02-01T00:00:00Z',
    requesterId: customerId,
    senderId: customerId,
    person: { firstName: { name: 'Ada' }, lastName: { name: 'L' }, email: 'ada@example.com' },
  });
});

const INSTANTS = ['0000-01-01T00:00:00Z', '0001-01-01T00:00:00+23:59', '9999-12-31T23:59:59-23:59'];

/** What breaks a value of this schema, and what may stand where anything may. */
function hostile(schema: Json): Json[] {
  const types = [schema.type].flat();
  if (schema.format === 'date-time') return INSTANTS;
  if (types.includes('integer')) return [2_147_483_648, -2_147_483_649, 9_007_199_254_740_991, 1e30];
  if (types.includes('number')) return [1e308, -1e308];
  if (types.includes('array')) return [[null], [[]], ['\0']];
  if (schema.examples?.[0] === '10.00') return ['92233720368547758.07', '9223372036854775807'];
  if (schema.examples?.[0] === '2026-12-01') return ['0000-01-01', '9999-12-31'];
  if (types.includes('object')) return [[], { __proto__: null, constructor: { prototype: 1 } }];
  if (types.includes('string')) return ['\0', '\ud800'];
  return [];
}

/** Requests of an operation, each with one hostile value, and where it stands. */
function* attacks(operation: Operation): Generator<[at: string, request: Request]> {
  for (const { name, schema, in: place } of operation.parameters) {
    if (place === 'query')
      for (const value of hostile(schema).filter((one) => !String(one).includes('\ud800'))) {
        const request = requests.of(operation);
        yield [`?${name}=${value}`, { ...request, query: { ...request.query, [name]: String(value) } }];
      }
    if (place === 'path')
      for (const value of ['9223372036854775808', '-1', '0000-01-01', '%00', '%ED%A0%80', 'a'.repeat(100)]) {
        const path = operation.path.replace(`{${name}}`, value);
        yield [`${name} ${value}`, { ...requests.of({ ...operation, path }) }];
      }
  }
  if (operation.contentType !== 'application/json') return;
  for (const [steps, value] of within(operation.bodySchema)) {
    const request = requests.of(operation);
    yield [`${steps.join('.')} ${JSON.stringify(value)}`, { ...request, body: placed(request.body, steps, value) }];
  }
}

/** Every place in a body, with what to put there. */
function* within(schema: Json, steps: (string | number)[] = []): Generator<[(string | number)[], Json]> {
  const node = requests.resolved(schema);
  if (steps.length > 0) for (const value of hostile(node)) yield [steps, value];
  // Any value holds any value, without end.
  if (schema.$ref?.endsWith('/JsonValue')) return;
  for (const [name, child] of Object.entries<Json>(node.properties ?? {})) yield* within(child, [...steps, name]);
  for (const child of node.anyOf ?? []) if (child.properties || child.items) yield* within(child, steps);
  if (node.items) yield* within(node.items, [...steps, 0]);
}

function placed(body: Json, [step, ...rest]: (string | number)[], value: Json): Json {
  if (step === undefined) return value;
  const copy = typeof step === 'number' ? [...(Array.isArray(body) ? body : [])] : { ...body };
  copy[step] = placed(copy[step], rest, value);
  return copy;
}

test('no operation answers 500, or breaks off', async () => {
  const headersOf = ({ roles }: Operation): Record<string, string> => {
    const role = ['merchant', 'tenant_admin', 'ops'].find((one) => roles.includes(one));
    const who = { merchant: actors.merchant, tenant_admin: actors.tenantAdmin, ops: actors.ops }[role ?? ''];
    return who ? { authorization: who.headers.authorization! } : {};
  };
  // What ends the session or the customer that the others need.
  const spared = /^DELETE \/(?:customer\/1.0.0\/(?:delete|\{)|auth)|password|invitations|rotate/;
  const all = requests.operations
    .filter(({ id }) => !spared.test(id))
    .flatMap((operation) => [...attacks(operation)].map(([at, request]) => ({ operation, at, request })));
  const broken: string[] = [];
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let next = all.pop(); next; next = all.pop()) {
        const { operation, at, request } = next;
        const headers = { ...request.headers, ...headersOf(operation) };
        const status = await sendRequest(apiUrl, { ...request, headers }).then(
          (reply) => reply.status,
          (error: Error) => `${error.cause ?? error}`,
        );
        if (typeof status === 'string' || status === 500) broken.push(`${status} ${operation.id} ${at}`);
      }
    }),
  );
  expect(broken.sort()).toEqual([]);
}, 300_000);

test('nothing of this was done in a tenant that other suites use', async () => {
  const done = async (client: string, tenantid: string): Promise<Json[]> => {
    const { status, body } = await actors.ops.get(`/identity/1.0.0/audit?actor=${client}&limit=1`, { tenantid });
    expect(status).toBe(200);
    return body.data;
  };
  const { merchant, tenantAdmin, ops } = own.clients;
  for (const { clientId } of [merchant, tenantAdmin, ops])
    for (const { tenantId } of [shared, shared.other]) expect(await done(clientId, tenantId)).toEqual([]);
  expect(await done(tenantAdmin.clientId, own.tenantId)).toHaveLength(1);
});

const HINT = { state: 'paid', order: 'pay_x', total: '10.00 EUR', id: 'g-1', reason: 'r' };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const JSON_TYPE = { 'content-type': 'application/json' };

test.each<[method: string, path: string, headers: Record<string, string>, body: string | undefined]>([
  ['POST', '/callbacks/test/json', JSON_TYPE, '{"a":"\\u0000"}'],
  ['POST', '/callbacks/test/json', JSON_TYPE, '{"a":"\\ud800"}'],
  ['POST', '/callbacks/test/json', JSON_TYPE, '{"a":"\\\\u0000"}'],
  ['POST', '/callbacks/test/json', JSON_TYPE, `${'['.repeat(20_000)}${']'.repeat(20_000)}`],
  ['POST', '/callbacks/test/form', FORM, 'a=%00&b=%ED%A0%80'],
  ['GET', '/callbacks/test/text?a=%00&b=%ED%A0%80', {}, undefined],
  ...['state', 'order', 'id', 'reason', 'case', 'refund'].map(
    (name) =>
      ['POST', '/callbacks/processor_g', FORM, unsigned({ [name]: '\0' })] as [string, string, typeof FORM, string],
  ),
  ['POST', '/callbacks/processor_g', FORM, unsigned({ total: `${'1'.repeat(30)} EUR` })],
  ['POST', '/auth/1.0.0/token', FORM, 'grant_type=client_credentials&client_id=%00&client_secret=%00'],
  ['POST', '/auth/1.0.0/revoke', FORM, 'token=%00&token_type_hint=%00&client_id=a&client_secret=%00'],
  ['POST', '/auth/1.0.0/token', FORM, 'grant_type=client_credentials&client_id=a&client_secret=%00&scope=%00'],
  ['POST', '/password-reset', FORM, `token=%00&password=${'p%00'.repeat(12)}&again=${'p%00'.repeat(12)}`],
  ['POST', '/onboarding/password', FORM, `token=%00&password=${'p%00'.repeat(12)}&again=${'p%00'.repeat(12)}`],
  ['GET', '/sandbox/mailbox?to=%00', {}, undefined],
])('%s %s with %j and %j answers no 500', async (method, path, headers, body) => {
  expect((await send(apiUrl + path, { method, headers, body })).status).toBeLessThan(500);
});

/** A hint of processor G as it would be, but for one member. */
function unsigned(members: Record<string, string>): string {
  return new URLSearchParams({ ...HINT, ...members }).toString();
}
