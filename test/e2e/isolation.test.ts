import { plainPicture } from '../setup/pictures';
import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, CARDS, Caller, type Json, PAYMENTS, send } from './client';
import { Goods, ITEMS, ORDERS } from './goods';

const { credentials, apiUrl } = sharedStack();
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

interface Operation {
  method: string;
  path: string;
  roles: string[];
  /** Names of its path, query and header parameters. */
  parameters: { name: string; in: string; required?: boolean; schema?: Json }[];
  // biome-ignore lint/suspicious/noExplicitAny: a JSON Schema
  bodySchema?: any;
}

let document: Json;
let operations: Operation[];
/** Whose things are looked for, and who looks for them. */
let owner: Actors;
let stranger: Actors;
/** Something of the owner's for each path parameter. */
let own: Record<string, string>;

beforeAll(async () => {
  [owner, stranger] = await Promise.all([actorsOf(credentials), actorsOf(credentials, credentials.other)]);
  const { paymentId } = await owner.merchant.paid(CARDS.visa, { capture: 'manual' }, ['authorized']);
  own = {
    paymentId,
    id: '1',
    tenantId: credentials.tenantId,
    organizationId: credentials.organizationId,
    terminalId: credentials.terminalId,
    documentId: 'doc_00000000000000000000000000',
    documentNumber: '1',
    activationId: 'act_00000000000000000000000000',
    beneficiaryId: 'bnf_00000000000000000000000000',
    ...(await friends()),
    ...(await goods()),
    endpointId: await endpoint(),
  };
  document = (await send(`${apiUrl}/openapi.json`)).body;
  operations = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    // What has a server of its own is served elsewhere.
    METHODS.filter((method) => item[method] && !item[method].servers).map((method) => ({
      method: method.toUpperCase(),
      path,
      roles: item[method]['x-roles'] ?? [],
      parameters: [...(item.parameters ?? []), ...(item[method].parameters ?? [])].map(resolved),
      bodySchema: resolved(item[method].requestBody)?.content?.['application/json']?.schema,
    })),
  );
});

/** Two customers of the owner's, of whom one asks the other for money. */
async function friends(): Promise<Record<string, string>> {
  const { tenantAdmin } = owner;
  const join = async (name: string): Promise<Json> => {
    const person = { firstName: { name }, lastName: { name: 'M' }, email: `${name}@example.com` };
    const record = { customerType: 'Person', customerName: name, customerStatus: 'verified', person };
    const { customerId } = (await tenantAdmin.post('/customer/1.0.0/create', record)).body;
    const alias = `@${name}${Date.now()}`;
    const member = await tenantAdmin.post(`/p2p/1.0.0/customers/${customerId}/enroll`, { alias });
    return { customerId, aliasId: member.body.aliases[0].aliasId };
  };
  const [ann, bob] = [await join('ann'), await join('bob')];
  const order = { requesterId: ann.customerId, payer: bob.customerId, amount: '1.00', currency: 'EUR' };
  const asked = await tenantAdmin.post('/p2p/1.0.0/requests', order);
  return { customerId: ann.customerId, aliasId: ann.aliasId, requestId: asked.body.requestId };
}

/** An item of the owner's with a picture, and an order of it. */
async function goods(): Promise<Record<string, string>> {
  const shop = new Goods(owner);
  const { imageId } = (await shop.upload(await plainPicture(10, 10, '#cc0000'), 'image/png')).body;
  const { itemId } = await shop.approved({ images: [imageId] });
  return { itemId, imageId, orderId: (await shop.ordered([{ itemId, quantity: 1 }])).orderId };
}

/** An endpoint of the owner's, which is told of nothing. */
async function endpoint(): Promise<string> {
  const order = { url: 'http://127.0.0.1:9/', events: ['payout.returned'] };
  return (await owner.merchant.post('/notifications/1.0.0/endpoints', order)).body.endpointId;
}

/** Follows a reference within the document. */
function resolved(node: Json): Json {
  if (!node?.$ref) return node;
  return node.$ref
    .slice(2)
    .split('/')
    .reduce((at: Json, name: string) => at?.[name], document);
}

/** The smallest body that the schema takes; what identifies something is the owner's. */
function sample(schema: Json, name = ''): Json {
  const node = resolved(schema);
  if (own[name] && name !== 'id') return own[name];
  if (node === undefined) return undefined;
  if (node.example !== undefined) return node.example;
  if (node.examples?.length) return node.examples[0];
  if (node.const !== undefined) return node.const;
  if (node.enum) return node.enum[0];
  if (node.default !== undefined) return node.default;
  const choice = node.oneOf ?? node.anyOf;
  if (choice && !node.properties) return sample(choice[0], name);
  if (node.type === 'object' || node.properties)
    return Object.fromEntries(
      [...(node.required ?? []), ...(choice?.[0].required ?? [])].map((member: string) => [
        member,
        sample(node.properties?.[member], member),
      ]),
    );
  if (node.type === 'array') return Array.from({ length: node.minItems ?? 0 }, () => sample(node.items));
  if (node.type === 'integer' || node.type === 'number') return node.minimum ?? 1;
  if (node.type === 'boolean') return true;
  return 'x'.repeat(Math.max(1, node.minLength ?? 1));
}

const addresses = ({ path, parameters }: Operation) => {
  const query = parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
  const asked = new URLSearchParams(query.map(({ name, schema }): [string, string] => [name, sample(schema, name)]));
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(own[name] ?? 'x'));
  return query.length > 0 ? `${address}?${asked}` : address;
};

/** Calls an operation as somebody, with a body that would be right. */
function call(who: Caller, operation: Operation, headers: Record<string, string> = {}) {
  const body = operation.bodySchema ? sample(operation.bodySchema) : undefined;
  return send(apiUrl + addresses(operation), {
    method: operation.method,
    headers: { ...who.headers, ...headers },
    body: operation.method === 'GET' ? undefined : body,
  });
}

const clientsFor = ({ roles }: Operation, actors: Actors): Caller[] => [
  ...(roles.includes('merchant') ? [actors.merchant] : []),
  ...(roles.includes('tenant_admin') ? [actors.tenantAdmin] : []),
];

const identified = ({ parameters }: Operation) =>
  parameters.some(({ in: place, name }) => place === 'header' && /^(organizationId|tenantId)$/i.test(name));

/** Everything of the owner's that a stranger could have changed or must not read. */
async function fingerprint(): Promise<string> {
  const seen = await Promise.all([
    owner.merchant.status(own.paymentId!),
    owner.merchant.events(own.paymentId!),
    owner.merchant.refunds(own.paymentId!),
    owner.tenantAdmin.get(`/ledger/1.0.0/transfers?cause=${own.paymentId}`).then(({ body }) => body),
    owner.tenantAdmin.get(`/p2p/1.0.0/requests/${own.requestId}`).then(({ body }) => body),
    owner.tenantAdmin.get(`/customer/1.0.0/fetch/${own.customerId}`).then(({ body }) => body),
    owner.merchant.get(`${ITEMS}/${own.itemId}`).then(({ body }) => body),
    owner.merchant.get(`${ORDERS}/${own.orderId}`).then(({ body }) => body),
  ]);
  return JSON.stringify(seen);
}

test('the document lists what there is to walk over', () => {
  expect(operations.filter(identified).length).toBeGreaterThan(8);
  expect(operations.map(({ path }) => path)).toContain(`${PAYMENTS}/{paymentId}/refund`);
});

test('another tenant’s headers: 403 on every route that takes them', async () => {
  const before = await fingerprint();
  const organizationid: string = credentials.organizationId;
  const tenantid: string = credentials.tenantId;
  const headerSets: Record<string, string>[] = [{ organizationid, tenantid }, { organizationid }, { tenantid }];
  const wrong: string[] = [];
  let asked = 0;
  for (const operation of operations.filter(identified))
    for (const who of clientsFor(operation, stranger))
      for (const headers of headerSets) {
        const { status } = await call(who, operation, headers);
        asked += 1;
        if (status !== 403) wrong.push(`${operation.method} ${operation.path} ${Object.keys(headers)}: ${status}`);
      }
  expect(asked).toBeGreaterThan(20);
  expect(wrong).toEqual([]);
  expect(await fingerprint()).toBe(before);
});

test('another tenant’s ids under one’s own headers: 404 on every route that takes them', async () => {
  const before = await fingerprint();
  const headers = { organizationid: credentials.other.organizationId, tenantid: credentials.other.tenantId };
  const wrong: string[] = [];
  let asked = 0;
  const withIds = operations.filter(({ path }) => /\{\w+Id\}/.test(path));
  for (const operation of withIds)
    for (const who of clientsFor(operation, stranger)) {
      const { status, body } = await call(who, operation, headers);
      asked += 1;
      if (status !== 404 && status !== 403)
        wrong.push(`${operation.method} ${operation.path}: ${status} ${JSON.stringify(body.details ?? body.code)}`);
    }
  expect(asked).toBeGreaterThan(6);
  expect(wrong).toEqual([]);
  expect(await fingerprint()).toBe(before);
});

test('no read without an id shows another tenant’s things', async () => {
  const headers = { organizationid: credentials.other.organizationId, tenantid: credentials.other.tenantId };
  const telltales = [own.paymentId!, credentials.organizationId, credentials.tenantId, credentials.terminalId];
  const leaks: string[] = [];
  let read = 0;
  for (const operation of operations.filter(({ method, path }) => method === 'GET' && !path.includes('{')))
    for (const who of clientsFor(operation, stranger)) {
      const { status, body } = await call(who, operation, headers);
      if (status === 200) read += 1;
      const text = JSON.stringify(body);
      if (telltales.some((telltale) => text.includes(telltale))) leaks.push(`${operation.path}: ${text.slice(0, 200)}`);
    }
  expect(read).toBeGreaterThan(3);
  expect(leaks).toEqual([]);
});

test('no token, a made-up one, one of the wrong role: 401, 401, 403', async () => {
  const before = await fingerprint();
  const wrong: string[] = [];
  const guarded = operations.filter(({ roles }) => roles.length > 0 && !roles.includes('public'));
  expect(guarded.length).toBeGreaterThan(10);
  const unsecured = { organizationid: credentials.organizationId, tenantid: credentials.tenantId };
  for (const operation of guarded) {
    const none = await call(new Caller(apiUrl, unsecured), operation);
    const madeUp = await call(new Caller(apiUrl, { ...unsecured, authorization: 'Bearer made-up' }), operation);
    if (none.status !== 401 || madeUp.status !== 401)
      wrong.push(`${operation.method} ${operation.path}: ${none.status}, ${madeUp.status}`);
    for (const [role, who] of [
      ['merchant', owner.merchant],
      ['tenant_admin', owner.tenantAdmin],
      ['ops', owner.ops],
    ] as const)
      if (!operation.roles.includes(role)) {
        const { status } = await call(who, operation);
        if (status !== 403) wrong.push(`${operation.method} ${operation.path} as ${role}: ${status}`);
      }
  }
  expect(wrong).toEqual([]);
  expect(await fingerprint()).toBe(before);
});
