import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeListener, limitConnections, waitingTimes } from '../../../src/api/server/listener';
import { loadConfig } from '../../../src/foundation/config/config';

const opened: Server[] = [];
afterEach(() => Promise.all(opened.splice(0).map((server) => closeListener(server, 0))));

/** A listener with these settings. `answer`: what it does with a request that has come whole. */
async function listener(env: Record<string, string>): Promise<number> {
  const config = loadConfig({ NODE_ENV: 'test', ...env });
  const server = createServer(waitingTimes(config.api.connections), (req, res) => {
    req.resume().once('end', () => res.end('served'));
  });
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

function get(port: number, source: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', localAddress: source, agent: false }, (response) => {
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
let open = 0;
const next = (n) => {
  if (n >= count) return;
  const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.1.' + (1 + (n % 10)) });
  socket.on('error', () => undefined);
  socket.once('connect', () => {
    socket.write('GET / HTTP/1.1\\r\\nHost: x\\r\\nX-Slow: ');
    open += 1;
    if (open === count) process.send('open');
    next(n + 50);
  });
};
for (let n = 0; n < 50; n += 1) next(n);
`;

test('5,000 slow sockets cost less than 100 MB, and another client is served', async () => {
  const port = await listener({ API_HEADERS_TIMEOUT_MS: '120000' });
  const folder = mkdtempSync(join(tmpdir(), 'slow-'));
  const script = join(folder, 'slow-client.cjs');
  writeFileSync(script, SLOW_CLIENT);
  await get(port, '127.0.0.2');
  const before = process.memoryUsage().rss;
  const client = fork(script, [`${port}`, `${SOCKETS}`], { execArgv: [] });
  try {
    await once(client, 'message');
    await expect(get(port, '127.0.0.2')).resolves.toBe('served');
    const [server] = opened;
    const count = await new Promise<number>((resolve) => server!.getConnections((_error, n) => resolve(n)));
    expect(count).toBeGreaterThanOrEqual(SOCKETS);
    expect((process.memoryUsage().rss - before) / 1_048_576).toBeLessThan(100);
  } finally {
    client.kill();
    rmSync(folder, { recursive: true });
  }
}, 60_000);
