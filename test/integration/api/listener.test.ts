import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer, request as tlsRequest } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { closeListener, limitConnections, waitingTimes } from '../../../src/api/server/listener';
import { loadConfig } from '../../../src/foundation/config/config';
import { type Shown, selfSigned } from '../../setup/certificates';

const opened: (Server | TlsServer)[] = [];
afterEach(() => Promise.all(opened.splice(0).map((server) => closeListener(server, 0))));

/** A listener with these settings. `shown`: its certificate, where it serves TLS as the entrance of third parties does. */
async function listener(env: Record<string, string>, shown?: Shown): Promise<number> {
  const config = loadConfig({ NODE_ENV: 'test', ...env });
  const times = waitingTimes(config.api.connections);
  const serve = (req: IncomingMessage, res: ServerResponse) => {
    req.resume().once('end', () => res.end('served'));
  };
  const server = shown
    ? createTlsServer({ ...times, ...shown, requestCert: true, rejectUnauthorized: false }, serve)
    : createServer(times, serve);
  limitConnections(server, config);
  opened.push(server);
  server.listen(0);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function socketTo(port: number, source = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: source });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** What the listener says before it closes; empty where it says nothing. */
async function untilClosed(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  await new Promise((closed) => socket.once('close', closed));
  return text;
}

function get(port: number, source: string, isTls = false): Promise<string> {
  return new Promise((resolve, reject) => {
    const ask = isTls ? tlsRequest : request;
    const options = { port, host: '127.0.0.1', localAddress: source, agent: false, rejectUnauthorized: false } as const;
    const sent = ask(options, (response) => {
      let body = '';
      response.on('data', (chunk) => {
        body += chunk;
      });
      response.once('end', () => resolve(body));
    });
    sent.once('error', reject).end();
  });
}

test('a source over its share is cut off, others are served, and a place that is free again is given again', async () => {
  const port = await listener({ API_CONNECTIONS_PER_SOURCE: '3' });
  const held = await Promise.all([1, 2, 3].map(() => socketTo(port)));
  await expect(untilClosed(await socketTo(port))).resolves.toBe('');
  await expect(get(port, '127.0.0.1')).rejects.toThrow();
  await expect(get(port, '127.0.0.2')).resolves.toBe('served');
  held[0]!.destroy();
  for (;;) if ((await get(port, '127.0.0.1').catch(() => 'not yet')) === 'served') break;
  for (const socket of held) socket.destroy();
});

test('a proxy of ours is not counted', async () => {
  const port = await listener({ API_CONNECTIONS_PER_SOURCE: '1', TRUSTED_PROXIES: '127.0.0.0/8' });
  const held = await Promise.all([1, 2, 3].map(() => socketTo(port)));
  await expect(get(port, '127.0.0.1')).resolves.toBe('served');
  for (const socket of held) socket.destroy();
});

test.each([
  ['headers', { API_HEADERS_TIMEOUT_MS: '200' }, 'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ', '408'],
  [
    'a body',
    { API_HEADERS_TIMEOUT_MS: '200', API_REQUEST_TIMEOUT_MS: '300' },
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nbegin',
    '408',
  ],
  [
    'anything',
    { API_IDLE_TIMEOUT_MS: '300', API_FIRST_ANSWER_MS: '100' },
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n',
    '',
  ],
])('who is too slow with %s is cut off', async (_what, env, begun, answer) => {
  const port = await listener(env as Record<string, string>);
  const socket = await socketTo(port);
  socket.write(begun);
  expect(await untilClosed(socket)).toContain(answer);
});

const SOCKETS = 5_000;
/** They are opened by another process, whose memory is not counted. */
const SLOW_CLIENT = `
const { connect } = require('node:net');
const [port, count] = process.argv.slice(2).map(Number);
const begun = process.argv[4];
let open = 0;
const next = (n) => {
  if (n >= count) return;
  const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.1.' + (1 + (n % 10)) });
  socket.on('error', () => undefined);
  socket.once('connect', () => {
    socket.write(begun);
    open += 1;
    if (open === count) process.send('open');
    next(n + 50);
  });
};
for (let n = 0; n < 50; n += 1) next(n);
`;

test('who opens a connection for TLS and says nothing is cut off', async () => {
  const port = await listener({ API_HEADERS_TIMEOUT_MS: '200' }, await selfSigned());
  expect(await untilClosed(await socketTo(port))).toBe('');
});

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** What the process holds once garbage is gone, that of other suites too, in MiB. */
function heldMiB(): number {
  collect();
  return process.memoryUsage().rss / 1_048_576;
}

test.each([
  ['over TCP', false],
  ['over TLS', true],
])(
  '5,000 slow sockets %s cost less than 100 MB, and another client is served',
  async (_, isTls) => {
    const port = await listener({ API_HEADERS_TIMEOUT_MS: '120000' }, isTls ? await selfSigned() : undefined);
    // The first bytes of a request, or of a TLS handshake.
    const begun = isTls ? '\x16\x03\x01' : 'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ';
    const folder = mkdtempSync(join(tmpdir(), 'slow-'));
    const script = join(folder, 'slow-client.cjs');
    writeFileSync(script, SLOW_CLIENT);
    await get(port, '127.0.0.2', isTls);
    const before = heldMiB();
    const client = fork(script, [`${port}`, `${SOCKETS}`, begun], { execArgv: [] });
    try {
      await once(client, 'message');
      await expect(get(port, '127.0.0.2', isTls)).resolves.toBe('served');
      const [server] = opened;
      const count = await new Promise<number>((resolve) => server!.getConnections((_error, n) => resolve(n)));
      // Over TLS a connection takes more: the oldest of those without a request are cut off.
      if (isTls) expect(count).toBeLessThan(1_100);
      else expect(count).toBeGreaterThanOrEqual(SOCKETS);
      expect(heldMiB() - before).toBeLessThan(100);
    } finally {
      client.kill();
      rmSync(folder, { recursive: true });
    }
  },
  60_000,
);
