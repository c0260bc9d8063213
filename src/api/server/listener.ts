import type { Server } from 'node:http';
import { Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Config } from '../../foundation/config/config';
import { networkOf } from '../../people/identity/source-network';
import { plain, trustedIn } from './middleware/source-address';

/** Longer than clients and proxies keep an idle connection, so that no request arrives on a closing connection. */
const KEEP_ALIVE_MS = 65_000;
/** How often Node looks for headers and bodies that are late. */
const LOOK_EVERY_MS = 2_000;

/** TLS connections without a request: each takes some 50 KB, before its handshake as well. */
const MOST_UNHEARD = 1_000;

/** Options that a server takes when it is made: how long it waits for headers, for a whole request, for a TLS handshake. */
export function waitingTimes({ headersTimeoutMs, requestTimeoutMs }: Config['api']['connections']) {
  return {
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    handshakeTimeout: headersTimeoutMs,
    connectionsCheckingInterval: Math.min(LOOK_EVERY_MS, headersTimeoutMs),
    keepAliveTimeout: KEEP_ALIVE_MS,
  };
}

/**
 * Keeps one source from taking all connections, and idle ones from staying: a socket costs memory before its first byte is
 * read. A source over its share is cut off at once; proxies of ours have none. An IPv6 network counts as one source.
 */
export function limitConnections(server: Server | TlsServer, { api, trustedProxies }: Config): void {
  const { perSource, most, idleTimeoutMs } = api.connections;
  const isProxy = trustedIn(trustedProxies);
  const open = new Map<string, number>();
  server.maxConnections = most;
  // A request that has come whole, and whose answer takes long, is no idle connection: `firstAnswerMs` bounds that.
  server.setTimeout(Math.max(idleTimeoutMs, 2 * api.firstAnswerMs));
  if (server instanceof TlsServer) limitUnheard(server);
  // Ahead of the parser and of TLS.
  server.prependListener('connection', (socket: Socket) => {
    const address = plain(socket.remoteAddress);
    if (isProxy(address)) return;
    const source = networkOf(address);
    const count = (open.get(source) ?? 0) + 1;
    if (count > perSource) {
      socket.destroy();
      return;
    }
    open.set(source, count);
    socket.once('close', () => {
      const left = open.get(source)! - 1;
      if (left > 0) open.set(source, left);
      else open.delete(source);
    });
  });
}

/** Beyond so many connections that have sent no request yet, the oldest is cut off: one that means it sends soon. */
function limitUnheard(server: TlsServer): void {
  const unheard = new Map<string, Socket>();
  // The socket of a request is the one inside TLS, of the same peer.
  const peerOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket);
    unheard.set(peer, socket);
    socket.once('close', () => {
      if (unheard.get(peer) === socket) unheard.delete(peer);
    });
    if (unheard.size <= MOST_UNHEARD) return;
    const oldest = unheard.keys().next().value!;
    unheard.get(oldest)!.destroy();
    unheard.delete(oldest);
  });
  server.on('request', ({ socket }) => unheard.delete(peerOf(socket)));
}

/** Accepts no new connection. Waits at most `graceMs` for running requests to finish. */
export function closeListener(server: Server | TlsServer, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), graceMs).unref();
  });
}
