import { request as httpRequest } from 'node:http';
import { type ApiServer, startApi } from './api-server';
import { Behaviour, sampleRoutes } from './sample-routes';

let api: ApiServer;
let token: string;
let header: Record<string, string>;
const CARD = '4111111111111111';

beforeAll(async () => {
  api = await startApi({ routes: sampleRoutes(new Behaviour()) });
  token = await api.tokenOf(api.seeded.clients.merchant);
  header = { organizationId: api.seeded.organizationId };
});
afterAll(() => api.close());

const create = (body: unknown, headers = {}) =>
  api.call('POST', '/things', { token, headers: { ...header, ...headers }, body });
const fieldsOf = (reply: { json: { details: { field: string }[] } }) => reply.json.details.map(({ field }) => field);

test('the error object has every documented member', async () => {
  const reply = await create({ amount: '1.0', currency: 'EUR' }, { 'x-request-id': 'given-1' });
  expect(reply.status).toBe(400);
  expect(reply.headers.get('x-request-id')).toBe('given-1');
  expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(reply.json).toEqual({
    reason: 'Bad Request',
    path: '/things',
    method: 'POST',
    message: expect.stringContaining('amount'),
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    status: 400,
    code: 'invalid_request',
    docUrl: `${api.config.publicUrl}/docs/codes#invalid_request`,
    requestId: 'given-1',
    details: [{ field: 'amount', message: expect.any(String) }],
  });
});

test('every bad field is named at once, header included', async () => {
  const reply = await api.call('POST', '/things?colour=blue', {
    token,
    body: {
      amount: '1',
      currency: 'EUR',
      remark: 'longer than ten',
      at: 'yesterday',
      count: '5',
      card: {},
      lines: [{ sku: 'a' }, { sku: 1, size: 2 }],
      surprise: true,
    },
  });
  expect(fieldsOf(reply).sort()).toEqual(
    [
      'organizationId',
      'colour',
      'amount',
      'remark',
      'at',
      'count',
      'card.number',
      'lines[1].sku',
      'lines[1].size',
      'surprise',
    ].sort(),
  );
});

test('fields of an array body are indexed', async () => {
  const admin = await api.tokenOf(api.seeded.clients.tenantAdmin);
  const headers = { tenantId: api.seeded.tenantId };
  const reply = await api.call('POST', '/bulk', {
    token: admin,
    headers,
    body: [{ customerType: 'Person' }, { customerType: 'Robot' }],
  });
  expect(fieldsOf(reply)).toEqual(['[1].customerType']);
  expect((await api.call('POST', '/bulk', { token: admin, headers, body: {} })).status).toBe(400);
  expect((await api.call('POST', '/bulk', { token: admin, headers })).status).toBe(400);
});

test.each([
  ['10.00', 'EUR', 201],
  ['1000', 'JPY', 201],
  ['1.234', 'KWD', 201],
  ['92233720368547758.07', 'EUR', 201],
  ['10', 'EUR', 400],
  ['10.0', 'EUR', 400],
  ['10.000', 'EUR', 400],
  ['1000.00', 'JPY', 400],
  ['1.23', 'KWD', 400],
  ['-1.00', 'EUR', 400],
  ['+1.00', 'EUR', 400],
  ['01.00', 'EUR', 400],
  ['1e2', 'EUR', 400],
  ['0.00', 'EUR', 400],
  ['0', 'JPY', 400],
  ['', 'EUR', 400],
  [' 1.00', 'EUR', 400],
  ['1,00', 'EUR', 400],
  ['١.٠٠', 'EUR', 400],
  ['92233720368547758.08', 'EUR', 400],
  [10, 'EUR', 400],
  ['10.00', 'eur', 400],
  ['10.00', 'XXQ', 400],
])('amount %p %s answers %i', async (amount, currency, status) => {
  expect((await create({ amount, currency })).status).toBe(status);
});

test.each([
  ['2026-01-31T12:00:00.000Z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31T12:00:00+02:00', '2026-01-31T10:00:00.000Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  ['2026-02-29T00:00:00Z', undefined],
  ['2026-01-31', undefined],
  ['2026-01-31T25:00:00Z', undefined],
  ['2026-01-31T12:00:00', undefined],
])('instant %s is read as %s', async (given, read) => {
  const reply = await create({ amount: '1.00', currency: 'EUR', at: given });
  expect([reply.status, reply.json.body?.at]).toEqual(read ? [201, read] : [400, undefined]);
});

test('null counts as absent, except where a route keeps it', async () => {
  const absent = await create({ amount: '1.00', currency: 'EUR', remark: null, card: null, surprise: null });
  expect(absent.json.body).toEqual({ amount: '1.00', currency: 'EUR' });
  expect(fieldsOf(await create({ amount: null, currency: 'EUR' }))).toEqual(['amount']);
  const kept = await api.call('PUT', '/things/1', { token, body: { remark: null } });
  expect(kept.json).toEqual({ remark: null });
});

test('text may be empty where it is optional', async () => {
  expect((await create({ amount: '1.00', currency: 'EUR', remark: '' })).json.body.remark).toBe('');
});

test.each([
  '{',
  '',
  'null',
  '[]',
  '"x"',
  '5',
  '{"amount":"1.00",}',
  `{"remark":"\\u0000"}`,
  `{"remark":"\\ud800"}`,
  `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`,
])('body %# is refused with 400', async (body) => {
  const reply = await create(body);
  expect(reply.status).toBe(400);
  expect(['malformed_body', 'invalid_request']).toContain(reply.json.code);
});

test('bytes that are no UTF-8 are refused', async () => {
  const status = await new Promise((resolve, reject) => {
    const request = httpRequest(`${api.baseUrl}/things`, {
      method: 'POST',
      headers: { ...header, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    });
    request.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
    request.end(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]));
  });
  expect(status).toBe(400);
});

test.each([
  ['application/json', 201],
  ['application/json; charset=utf-8', 201],
  ['application/json;charset=UTF-8', 201],
  ['APPLICATION/JSON', 201],
  ['text/plain', 415],
  ['application/x-www-form-urlencoded', 415],
  ['application/json; charset=latin1', 415],
  ['application/jsonx', 415],
  ['', 415],
])('content type %p answers %i', async (type, status) => {
  const reply = await create('{"amount":"1.00","currency":"EUR"}', { 'content-type': type });
  expect(reply.status).toBe(status);
});

test('a compressed body is 415', async () => {
  expect((await create('{}', { 'content-encoding': 'gzip' })).status).toBe(415);
});

test('a body may be left out where the route says so, and has to fit where it is there', async () => {
  const call = (body?: unknown, headers = {}) => api.call('POST', '/things/a%2Cb/finish', { token, body, headers });
  expect((await call()).json).toEqual({ params: { thingId: 'a,b' }, body: {} });
  expect((await call({ amount: '1.00' })).json.body).toEqual({ amount: '1.00' });
  expect((await call({ amont: '1.00' })).status).toBe(400);
  expect((await call('x=1', { 'content-type': 'text/plain' })).status).toBe(415);
});

test('too large a body is 413, announced or not, and the connection survives for the client to read it', async () => {
  const big = JSON.stringify({ remark: 'x'.repeat(1_100_000) });
  const announced = await create(big);
  expect([announced.status, announced.json.code]).toEqual([413, 'payload_too_large']);
  const chunked = await fetch(`${api.baseUrl}/things`, {
    method: 'POST',
    headers: { ...header, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: new Blob([big]).stream(),
    duplex: 'half',
  } as RequestInit);
  expect(chunked.status).toBe(413);
});

test('unknown paths are 404, known paths with another method 405 with Allow', async () => {
  expect([(await api.call('GET', '/nowhere')).json.code, (await api.call('GET', '/')).status]).toEqual([
    'not_found',
    404,
  ]);
  expect((await api.call('GET', '/things/')).status).toBe(404);
  expect((await api.call('GET', '/things/%zz/finish')).status).toBe(404);
  expect((await api.call('GET', '/things/%00/finish')).status).toBe(404);
  const reply = await api.call('DELETE', '/things');
  expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'POST, GET']);
});

test('literal ranges win over the parameter, in both spellings', async () => {
  const pathOf = async (path: string) => (await api.call('POST', path)).json;
  expect(await pathOf('/payments/h2h/48-51,56-59')).toMatchObject({ path: '/payments/h2h/48-51,56-59' });
  expect(await pathOf('/payments/h2h/48-51%2C56-59')).toMatchObject({ path: '/payments/h2h/48-51,56-59' });
  expect(await pathOf('/payments/h2h/27%2c43')).toMatchObject({ params: { id: '27,43' } });
});

test('query parameters are converted, defaulted, and refused when unknown, doubled or malformed', async () => {
  const list = (query: string) => api.call('GET', `/things${query}`, { token });
  expect((await list('')).json.query).toEqual({ limit: 50 });
  expect((await list('?limit=200&status=open')).json.query).toEqual({ limit: 200, status: 'open' });
  for (const bad of [
    '?limit=0',
    '?limit=201',
    '?limit=x',
    '?limit=1.5',
    '?status=',
    '?colour=blue',
    '?cursor=abc',
    '?cursor=',
    '?status=open&status=open',
    '?status=%00',
  ])
    expect([bad, (await list(bad)).status]).toEqual([bad, 400]);
});

test('what the caller sent never comes back in an error or reaches the log', async () => {
  const body = {
    amount: CARD,
    currency: CARD,
    remark: CARD,
    at: CARD,
    count: CARD,
    card: { number: '4111111111111112', cvv: '4111111111111112' },
    lines: [{ sku: [CARD] }],
    [CARD]: CARD,
    'a4111 1111 1111 1111': 1,
  };
  const reply = await api.call('POST', `/things?${CARD}=1`, { token, headers: header, body });
  expect(reply.status).toBe(400);
  // Eight digits of it: four stand in many a timestamp.
  expect(reply.text).not.toMatch(/4111 ?1111/);
  await api.call('POST', `/things/${CARD}/finish`, { token, body: { amount: CARD } });
  await api.call('GET', '/failing/unexpected');
  expect(api.log.join('')).not.toMatch(/4111 ?1111/);
  expect(api.log.join('')).not.toContain(token);
});

test('failures have their status: domain, outage with Retry-After, unexpected without a word', async () => {
  expect((await api.call('GET', '/failing/domain')).json).toMatchObject({ status: 422, code: 'insufficient_funds' });
  for (const how of ['database', 'engine']) {
    const away = await api.call('GET', `/failing/${how}`);
    expect([away.status, away.json.code, away.headers.get('retry-after')]).toEqual([503, 'unavailable', '1']);
  }
  const unexpected = await api.call('GET', '/failing/x', { headers: { 'x-request-id': 'find-me' } });
  expect(unexpected.json).toMatchObject({ status: 500, code: 'internal_error', requestId: 'find-me' });
  expect(unexpected.text).not.toContain('buyer');
  expect(api.log.some((line) => line.includes('find-me') && line.includes('request failed'))).toBe(true);
});

test('every request has an id and a log line with path, status and time, without query', async () => {
  const reply = await api.call('GET', '/nowhere?secret=1', { headers: { 'x-request-id': 'not/well formed' } });
  const id = reply.headers.get('x-request-id')!;
  expect(id).toMatch(/^req_/);
  const line = JSON.parse(api.log.find((entry) => entry.includes(id))!);
  expect(line).toMatchObject({ method: 'GET', path: '/nowhere', status: 404, durationMs: expect.any(Number) });
  expect(JSON.stringify(line)).not.toContain('secret');
});

test('answers carry the security headers', async () => {
  const { headers } = await api.call('GET', '/things', { token });
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(headers.get('cache-control')).toBe('no-store');
});

test('a client beyond its rate is 429 with Retry-After, others go on', async () => {
  const slow = await startApi({
    routes: sampleRoutes(new Behaviour()),
    seeded: api.seeded,
    // Half of it for each: the other API on this database counts too.
    env: { API_RATE_LIMIT_PER_SECOND: '10' },
  });
  try {
    const replies = await Promise.all(Array.from({ length: 20 }, () => slow.call('GET', '/things', { token })));
    const refused = replies.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(10);
    expect(replies.length - refused.length).toBeGreaterThanOrEqual(5);
    expect(refused[0]!.headers.get('retry-after')).toBe('1');
    const other = await slow.tokenOf(api.seeded.clients.ops);
    expect((await slow.call('GET', '/things', { token: other })).status).toBe(200);
  } finally {
    await slow.close();
  }
});

test('X-Forwarded-For counts only from a trusted proxy', async () => {
  const source = async (server: ApiServer, forwarded: string) =>
    (await server.call('POST', '/payments/h2h/1', { headers: { 'x-forwarded-for': forwarded } })).json.source;
  expect(await source(api, '203.0.113.9')).toBe('127.0.0.1');
  const behind = await startApi({
    routes: sampleRoutes(new Behaviour()),
    seeded: api.seeded,
    env: { TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8' },
  });
  try {
    expect(await source(behind, '198.51.100.1, 203.0.113.9')).toBe('203.0.113.9');
    expect(await source(behind, '203.0.113.9, 10.1.2.3')).toBe('203.0.113.9');
    expect(await source(behind, 'nonsense')).toBe('127.0.0.1');
  } finally {
    await behind.close();
  }
});

test.each([
  ['{"amount":"1.00","currency":"EUR","__proto__":{"remark":"x"}}', '__proto__'],
  ['{"amount":"1.00","currency":"EUR","__proto__":null}', '__proto__'],
  ['{"amount":"1.00","currency":"EUR","card":{"number":"4111111111111111","\\u005f_proto__":{}}}', 'card.__proto__'],
  ['{"amount":"1.00","currency":"EUR","constructor":{"prototype":{}}}', 'constructor'],
  ['{"amount":"1.00","currency":"EUR","lines":[{"sku":"a"},{"sku":"b","prototype":1}]}', 'lines[1].prototype'],
  ['{"amount":"1.00","amount":"1.00","currency":"EUR"}', 'amount'],
  ['{"amount":"1.00","currency":"EUR","remark":"a","remark":null}', 'remark'],
  ['{"amount":"1.00","currency":"EUR","lines":[{"sku":"a"},{"sku":"b","\\u0073ku":"c"}]}', 'lines[1].sku'],
  ['{"amount":"1.00","currency":"EUR","remark":"\\u0000"}', 'remark'],
  ['{"amount":"1.00","currency":"EUR","lines":[{"sku":"\\ud800"}]}', 'lines[0].sku'],
])('%s is refused, naming %s', async (body, field) => {
  const reply = await create(body);
  expect([reply.status, reply.json.code]).toEqual([400, 'malformed_body']);
  expect(fieldsOf(reply)).toEqual([field]);
});

test('a name may stand in several objects', async () => {
  const reply = await create({ amount: '1.00', currency: 'EUR', lines: [{ sku: 'a' }, { sku: 'sku' }] });
  expect(reply.status).toBe(201);
});

test.each(['?=1', '?limit=5&=', '?__proto__=1', '?constructor=1', '?__proto__[limit]=1'])(
  'the query %s is refused',
  async (query) => {
    const reply = await api.call('GET', `/things${query}`, { token });
    expect([reply.status, reply.json.code]).toEqual([400, 'invalid_request']);
  },
);

test('a query parameter without a name is refused for that', async () => {
  const reply = await api.call('GET', '/things?=1', { token });
  expect(reply.json.details).toEqual([{ field: 'query', message: 'has a parameter without a name' }]);
});
