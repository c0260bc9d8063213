import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OutboundGuard } from '../../../../src/foundation/outbound/guard';
import { JwksSource } from '../../../../src/open-banking/tpps/jwks-source';
import { signingKey } from '../../../setup/certificates';

/** Key sets at addresses of providers, who may mean ill. */

const { jwk, privateKey } = signingKey('signing-1');
const good = JSON.stringify({ keys: [jwk] });
/** Longer than anybody's keys are. */
const HUGE = 10 * 1_024 * 1_024;

const ANSWERS: Record<string, RequestListener> = {
  '/good': (_, response) => response.end(good),
  '/moved': (_, response) => response.writeHead(302, { location: '/good' }).end(),
  '/moved-with-keys': (_, response) => response.writeHead(301, { location: '/good' }).end(good),
  '/missing': (_, response) => response.writeHead(404).end(good),
  '/huge': (_, response) => response.end(good.padEnd(HUGE)),
  '/endless': (_, response) => {
    const more = () => response.destroyed || (response.write(' '.repeat(65_536)) ? setImmediate(more) : undefined);
    response.on('drain', more);
    response.write(good);
    more();
  },
  '/drip': (_, response) => {
    response.write(good);
    const drip = setInterval(() => response.write(' '), 50);
    response.on('close', () => clearInterval(drip));
  },
  '/silent': () => undefined,
  '/text': (_, response) => response.end('these are my keys'),
  '/list': (_, response) => response.end(JSON.stringify([jwk])),
  '/nothing': (_, response) => response.end('null'),
  '/private': (_, response) =>
    response.end(JSON.stringify({ keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'signing-1' }] })),
  '/secret': (_, response) => response.end(JSON.stringify({ keys: [{ kty: 'oct', k: 'AAAA', kid: 'signing-1' }] })),
};

let server: Server;
let base: string;
let asked: string[];
const opened: JwksSource[] = [];
beforeAll(async () => {
  asked = [];
  server = createServer((request, response) => {
    asked.push(request.url!);
    ANSWERS[request.url!]!(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await Promise.all(opened.map((source) => source.close()));
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function source(guard = new OutboundGuard({ sandbox: true })): JwksSource {
  const made = new JwksSource(guard);
  opened.push(made);
  return made;
}

test('keys are read, and kept for a while', async () => {
  const keys = source();
  expect(await keys.keysAt(`${base}/good`)).toEqual([jwk]);
  const before = asked.length;
  expect(await keys.keysAt(`${base}/good`, 'signing-1')).toEqual([jwk]);
  expect(asked).toHaveLength(before);
});

test.each(Object.keys(ANSWERS).filter((path) => path !== '/good'))('%s gives no key, and ends', async (path) => {
  expect(await source().keysAt(base + path)).toEqual([]);
});

test('an address that is dead is not asked by every request', async () => {
  const keys = source();
  for (let n = 0; n < 3; n += 1) expect(await keys.keysAt(`${base}/missing`, 'signing-1')).toEqual([]);
  expect(asked.filter((path) => path === '/missing').length).toBeLessThanOrEqual(2);
});

test.each([
  ['the machine itself', 'https://127.0.0.1/keys'],
  ['a private network', 'https://10.0.0.1/keys'],
  ['the metadata of a cloud', 'https://169.254.169.254/keys'],
  ['the machine itself, as a number', 'https://2130706433/keys'],
  ['the machine itself, in IPv6', 'https://[::ffff:127.0.0.1]/keys'],
])('outside a sandbox, %s is not asked', async (_, url) => {
  expect(await source(new OutboundGuard({ sandbox: false })).keysAt(url)).toEqual([]);
});

test('outside a sandbox, a name that leads to a private address is not connected to', async () => {
  let resolved = 0;
  const guard = new OutboundGuard({
    sandbox: false,
    resolve: (_hostname, _options, done) => {
      resolved += 1;
      done(null, [{ address: '127.0.0.1', family: 4 }]);
    },
  });
  const before = asked.length;
  const { port } = server.address() as AddressInfo;
  expect(await source(guard).keysAt(`https://keys.example:${port}/good`)).toEqual([]);
  expect([resolved, asked.length]).toEqual([1, before]);
});
