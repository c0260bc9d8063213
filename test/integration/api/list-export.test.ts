import Joi from 'joi';
import { listOf, numericCursor, type Paging, pageOf, paging } from '../../../src/api/server/conventions';
import { type Route, route } from '../../../src/api/server/route';
import { until } from '../../e2e/client';
import { type ApiServer, startApi } from './api-server';

/** More than any buffer on the way holds. */
const MANY = 200_000;

interface Query extends Paging {
  upTo: number;
  failAt?: number;
}

let api: ApiServer;
let token: string;
/** Sizes of the pages that were read since the last test. */
let pages: number[] = [];

/** A list of numbers from `upTo` down to 1. */
const numbers = route<unknown, Query>({
  method: 'GET',
  path: '/numbers',
  area: 'Test',
  summary: 'Numbers',
  roles: ['merchant'],
  query: Joi.object<Query>({ ...paging(), upTo: Joi.number().default(3), failAt: Joi.number() }),
  responses: {
    200: {
      description: 'A page',
      schema: listOf(
        Joi.object({
          number: Joi.number().required(),
          name: Joi.string().required(),
          even: Joi.boolean().required(),
          parts: Joi.object({ half: Joi.string() }),
          divisors: Joi.array().items(Joi.number()),
        }),
      ),
    },
  },
  handler: async ({ query: { limit, cursor, upTo, failAt } }) => {
    const first = cursor === undefined ? upTo : Number(numericCursor(cursor)) - 1;
    const rows = Array.from({ length: Math.min(first, limit + 1) }, (_, index) => first - index);
    pages.push(Math.min(rows.length, limit));
    if (failAt !== undefined && rows.includes(failAt)) throw new Error('the database is away');
    const page = pageOf(rows, limit, String);
    const shown = (number: number) => ({
      number,
      name: number === 1 ? '=1+1, "ein Stück" für ليلى' : `number ${number}`,
      even: number % 2 === 0,
      parts: number % 2 === 0 ? { half: `-${number / 2}.00` } : undefined,
      divisors: number === 2 ? [1, 2] : undefined,
    });
    return { status: 200, body: { ...page, data: page.data.map(shown) } };
  },
});

const env = { API_EXPORTS_PER_CLIENT: '2', ACCESS_TOKEN_CACHE_MS: '0' };

beforeAll(async () => {
  api = await startApi({ routes: [numbers as Route], env });
  token = await api.tokenOf(api.seeded.clients.merchant);
});
afterAll(() => api.close());
beforeEach(() => {
  pages = [];
});

const exported = (query = '', signal?: AbortSignal, by = token) =>
  fetch(`${api.baseUrl}/numbers${query}`, {
    headers: { authorization: `Bearer ${by}`, accept: 'text/csv' },
    ...(signal && { signal }),
  });

test('a list is a table for whom prefers one: marked as UTF-8, quoted, without formulas', async () => {
  const reply = await exported();
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
  expect(reply.headers.get('content-disposition')).toBe('attachment; filename="numbers.csv"');
  expect(Buffer.from(await reply.arrayBuffer()).toString()).toBe(
    [
      '\ufeffnumber,name,even,parts.half,divisors',
      '3,number 3,false,,',
      '2,number 2,true,-1.00,"[1,2]"',
      `1,"'=1+1, ""ein Stück"" für ليلى",false,,`,
      '',
    ].join('\r\n'),
  );
});

test.each([
  ['*/*', 'json'],
  ['application/json, text/csv', 'json'],
  ['text/csv;q=0.5, application/json', 'json'],
  ['text/csv, application/json;q=0.5', 'csv'],
])('of both, a caller who accepts %s gets %s', async (accept, form) => {
  const { headers } = await api.call('GET', '/numbers', { token, headers: { accept } });
  expect(headers.get('content-type')).toContain(form);
  expect(headers.get('vary')).toMatch(/accept/i);
});

test('it has every record once, whatever the limit says, read in few pages', async () => {
  const lines = (await (await exported('?upTo=1234&limit=7')).text()).trim().split('\r\n').slice(1);
  expect(lines.map((line) => Number.parseInt(line, 10))).toEqual(Array.from({ length: 1234 }, (_, at) => 1234 - at));
  expect(pages).toEqual([500, 500, 234]);
});

test('it begins at the cursor', async () => {
  const { json } = await api.call('GET', '/numbers?upTo=9&limit=4', { token });
  const text = await (await exported(`?upTo=9&cursor=${json.nextCursor}`)).text();
  expect(text.match(/number \d/g)).toEqual(['number 5', 'number 4', 'number 3', 'number 2']);
});

test('what cannot be begun is refused like a page', async () => {
  expect((await exported('?colour=red')).status).toBe(400);
  expect((await exported('?upTo=5&failAt=4')).status).toBe(500);
  expect((await exported('', undefined, 'x'.repeat(43))).status).toBe(401);
});

test('a failure on the way breaks the connection, so that half a table is not taken for a whole one', async () => {
  const reply = await exported('?upTo=5000&failAt=700');
  expect(reply.status).toBe(200);
  await expect(reply.text()).rejects.toThrow();
});

test('it stops when the token ends', async () => {
  const { clientId, clientSecret } = api.seeded.clients.merchant;
  const short = await api.tokenOf({ clientId, clientSecret });
  const reply = await exported(`?upTo=${MANY}`, undefined, short);
  const reader = reply.body!.getReader();
  await reader.read();
  await api.database.system('oidc_payloads').where({ model: 'ClientCredentials' }).delete();
  const rest = async () => {
    while (!(await reader.read()).done);
  };
  await expect(rest()).rejects.toThrow();
  token = await api.tokenOf(api.seeded.clients.merchant);
});

test('nobody waits for a reader: it reads no further than the buffers hold', async () => {
  const leaving = new AbortController();
  const reply = await exported(`?upTo=${MANY}`, leaving.signal);
  await reply.body!.getReader().read();
  let before = -1;
  await until('the export pauses', async () => {
    const paused = pages.length === before;
    before = pages.length;
    return paused;
  });
  expect(pages.length).toBeLessThan(MANY / 500);
  leaving.abort();
});

test('a client has so many exports at a time, others have their own', async () => {
  const leaving = new AbortController();
  const open = async () => {
    const reply = await exported(`?upTo=${MANY}`, leaving.signal);
    if (reply.status === 200) await reply.body!.getReader().read();
    else await reply.text();
    return reply;
  };
  await until('exports of tests before have ended', async () => {
    const reply = await exported();
    await reply.text();
    return reply.status === 200;
  });
  expect([(await open()).status, (await open()).status]).toEqual([200, 200]);
  const third = await open();
  expect(third.status).toBe(429);
  expect(third.headers.get('retry-after')).toBe('5');
  expect((await api.call('GET', '/numbers', { token })).status).toBe(200);
  const other = await api.tokenOf(api.seeded.other.clients.merchant);
  expect((await exported('', undefined, other)).status).toBe(200);
  leaving.abort();
  await until('there is room again', async () => {
    const reply = await exported();
    await reply.text();
    return reply.status === 200;
  });
});
