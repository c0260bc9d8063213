import { Endpoints, MethodNotAllowed } from '../../../../src/api/server/middleware/routing';

const PATHS = [
  ['GET', '/things'],
  ['POST', '/things'],
  ['GET', '/things/newest'],
  ['GET', '/things/{thingId}'],
  ['DELETE', '/things/{thingId}'],
  ['GET', '/things/{thingId}/parts/{partId}'],
  ['POST', '/things/newest/parts'],
  ['GET', '/{area}/48-51,56-59'],
] as const;

const endpoints = new Endpoints(PATHS.map(([method, path]) => ({ route: { method, path } })));
const found = (method: string, path: string) => {
  const match = endpoints.match(method, path);
  return match && { path: match.value.route.path, params: match.params };
};

test.each([
  ['/things', '/things', {}],
  ['/things/newest', '/things/newest', {}],
  ['/things/newer', '/things/{thingId}', { thingId: 'newer' }],
  ['/things/a%20b', '/things/{thingId}', { thingId: 'a b' }],
  ['/things/a%2Fb', '/things/{thingId}', { thingId: 'a/b' }],
  ['/things/%2525', '/things/{thingId}', { thingId: '%25' }],
  ['/thing%73/newest', '/things/newest', {}],
  // A literal that leads nowhere gives way to the parameter.
  ['/things/newest/parts/7', '/things/{thingId}/parts/{partId}', { thingId: 'newest', partId: '7' }],
  ['/a/48-51,56-59', '/{area}/48-51,56-59', { area: 'a' }],
  ['/a/48-51%2C56-59', '/{area}/48-51,56-59', { area: 'a' }],
  ['/things/48-51,56-59', '/things/{thingId}', { thingId: '48-51,56-59' }],
])('%s is served by %s', (path, route, params) => {
  expect(found('GET', path)).toEqual({ path: route, params });
  expect(found('HEAD', path)).toEqual({ path: route, params });
});

test.each([
  '/',
  '',
  '/things/',
  '/Things',
  '/things/a/b',
  '//things',
  '/things//parts/1',
  '/things/a/parts/',
  '/a/__proto__',
])('%j is no path', (path) => expect(endpoints.match('GET', path)).toBeUndefined());

test('the path of a match is decoded', () => {
  expect(endpoints.match('GET', '/a/48-51%2C56-59')?.path).toBe('/a/48-51,56-59');
});

test('another method is refused with those that there are', () => {
  expect(() => endpoints.match('PUT', '/things/7')).toThrow(MethodNotAllowed);
  expect(() => endpoints.match('PUT', '/things/7')).toThrow('Use GET or DELETE on this path');
});

test.each(['/things/%', '/things/%ff', '/things/%00'])('%s is not found', (path) => {
  expect(() => endpoints.match('GET', path)).toThrow(expect.objectContaining({ code: 'not_found' }));
});

test.each([
  ['/things/{thingId}', '/things/{thingId}'],
  ['/things/{thingId}', '/things/{id}'],
])('%s and %s are one path', (first, second) => {
  const declared = [first, second].map((path) => ({ route: { method: 'GET' as const, path } }));
  expect(() => new Endpoints(declared)).toThrow('is declared twice');
});
