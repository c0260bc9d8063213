import Joi from 'joi';
import { type ApiDependencies, apiRoutes } from '../../../src/api/routes';
import { listOf, paging } from '../../../src/api/server/conventions';
import { listOfRoute } from '../../../src/api/server/list';
import { openApiDocument } from '../../../src/api/server/openapi';
import { type Route, route } from '../../../src/api/server/route';

const routes = apiRoutes({} as ApiDependencies);
const lists = routes.flatMap((one) => {
  const list = listOfRoute(one);
  return list ? [{ route: one, list }] : [];
});

const listing = (record: Joi.Schema, more: Partial<Route> = {}): Route =>
  route({
    method: 'GET',
    path: '/things',
    area: 'Test',
    summary: 'List',
    roles: ['ops'],
    responses: { 200: { description: 'A page', schema: listOf(record) } },
    handler: async () => ({ status: 200 }),
    ...more,
  });

const headings = (record: Joi.Schema) => listOfRoute(listing(record))!.columns.map(([heading]) => heading);

test('a member of a member has a column of its own, and what has no fixed members is one column', () => {
  const record = Joi.object({
    id: Joi.string(),
    amounts: Joi.object({ captured: Joi.string(), refunded: Joi.string() }),
    lines: Joi.array().items(Joi.object({ sku: Joi.string() })),
    labels: Joi.object({ one: Joi.string() }).unknown(),
  });
  expect(headings(record)).toEqual(['id', 'amounts.captured', 'amounts.refunded', 'lines', 'labels']);
});

test('a record of several forms has the columns of all of them, each once', () => {
  const subject = Joi.alternatives(
    Joi.object({ kind: Joi.string().valid('a'), price: Joi.string() }),
    Joi.object({ kind: Joi.string().valid('b'), name: Joi.string() }),
  );
  expect(headings(Joi.object({ id: Joi.string(), subject }))).toEqual([
    'id',
    'subject.kind',
    'subject.price',
    'subject.name',
  ]);
});

test('a list goes on by the parameter that it has', () => {
  const record = Joi.object({ id: Joi.string() });
  expect(listOfRoute(listing(record, { query: Joi.object(paging()) }))!.next).toBe('cursor');
  expect(listOfRoute(listing(record))!.next).toBeUndefined();
});

test('what answers no list, or anybody, has no CSV', () => {
  const record = Joi.object({ id: Joi.string() });
  expect(listOfRoute(listing(record, { roles: 'public' }))).toBeUndefined();
  expect(listOfRoute(listing(record, { method: 'POST' }))).toBeUndefined();
  const one = { 200: { description: 'One', schema: record } };
  expect(listOfRoute(listing(record, { responses: one }))).toBeUndefined();
  const more = { 200: { description: 'More', schema: listOf(record).keys({ total: Joi.number() }) } };
  expect(listOfRoute(listing(record, { responses: more }))).toBeUndefined();
});

test('every route whose answer has a next page is a list', () => {
  // The lists of third-party providers are those of their standard.
  const paged = routes.filter(
    ({ roles, query, entrance }) =>
      roles !== 'public' && !entrance && /"(cursor|after)"/.test(JSON.stringify(query?.describe() ?? {})),
  );
  expect(paged.length).toBeGreaterThan(40);
  // A statement has balances around its entries, and a CSV of its own.
  const others = paged.filter((one) => !lists.some((list) => list.route === one)).map(({ path }) => path);
  expect(others).toEqual(['/wallet/1.0.0/customers/{customerId}/statement']);
});

test.each(lists)('$route.path has a table: columns with names, each once', ({ list }) => {
  const names = list.columns.map(([heading]) => heading);
  expect(names.length).toBeGreaterThan(1);
  expect(names.filter((name) => !/^[\w.]+$/.test(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});

test('the document says of every list, and of lists alone, that it is there as CSV', () => {
  const { paths } = openApiDocument(routes);
  const saying = Object.keys(paths).filter((path) => paths[path].get?.responses['200']?.content?.['text/csv']);
  const own = ['/export', '/statement'];
  expect(saying.filter((path) => !own.some((end) => path.endsWith(end))).sort()).toEqual(
    lists.map(({ route: { path } }) => path).sort(),
  );
});
