import { SessionCookie } from '../../../src/api/server/session-cookie';

const HEADER = { 'x-requested-with': 'tillway-console' };
const refused = { code: 'cross_site_request' };

describe('the cookie', () => {
  test.each([
    ['http://127.0.0.1:8080', false],
    ['http://localhost:8080', false],
    ['http://192.0.2.7:8080', true],
    ['https://pay.example', true],
  ])('of %s: over TLS only, and for this host only: %s', (publicUrl, isSecure) => {
    const value = new SessionCookie(publicUrl).holding('secret');
    expect(value).toMatch(isSecure ? /^__Host-tillway_session=secret; Path=\/;/ : /^tillway_session=secret; Path=\/;/);
    expect(value.split('; ')).toEqual(expect.arrayContaining(['HttpOnly', 'SameSite=Strict']));
    expect(value.endsWith('; Secure')).toBe(isSecure);
    expect(value).not.toContain('Domain');
  });
});

describe('requests with a cookie', () => {
  const loopback = new SessionCookie('http://127.0.0.1:8080');
  const behindProxy = new SessionCookie('https://pay.example');

  test.each([
    ['curl', loopback, {}],
    ['our page', loopback, { origin: 'http://127.0.0.1:8080', 'sec-fetch-site': 'same-origin' }],
    ['our page under another name', loopback, { origin: 'http://localhost:8080' }],
    ['the host that was asked', loopback, { origin: 'http://box.example', host: 'box.example' }],
    ['our page behind a proxy', behindProxy, { origin: 'https://pay.example', host: '10.0.0.1:8080' }],
  ])('%s may change something', (_who, cookie, headers) => {
    expect(() => cookie.requireOwnPage('POST', { ...HEADER, ...headers })).not.toThrow();
  });

  test.each([
    ['another site', { origin: 'https://evil.example' }],
    ['another port', { origin: 'http://127.0.0.1:9999' }],
    ['another scheme', { origin: 'https://127.0.0.1:8080' }],
    ['a neighbour', { 'sec-fetch-site': 'same-site' }],
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }],
    ['the address bar', { 'sec-fetch-site': 'none' }],
    ['a page in a sandbox', { origin: 'null' }],
  ])('%s may not', (_who, headers) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect(() => loopback.requireOwnPage(method, { ...HEADER, ...headers })).toThrow(
        expect.objectContaining(refused),
      );
    expect(() => loopback.requireOwnOrigin(headers)).toThrow(expect.objectContaining(refused));
  });

  test('without our header nothing changes', () => {
    expect(() => loopback.requireOwnPage('POST', {})).toThrow(expect.objectContaining(refused));
    expect(() => loopback.requireOwnPage('POST', { 'x-requested-with': 'XMLHttpRequest' })).toThrow();
  });

  test('another site does not read, a link from nowhere does', () => {
    expect(() => loopback.requireOwnPage('GET', { 'sec-fetch-site': 'cross-site' })).toThrow();
    for (const site of ['same-origin', 'none'])
      expect(() => loopback.requireOwnPage('GET', { 'sec-fetch-site': site })).not.toThrow();
  });
});
