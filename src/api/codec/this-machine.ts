import type { IncomingMessage } from 'node:http';
import type { Config } from '../../foundation/config/config';
import { isLoopback } from '../../foundation/config/loopback';

const LOOPBACK_ADDRESS = /^(::1|(::ffff:)?127(\.\d{1,3}){3})$/;
/** A proxy sets these headers: then the connection does not come from the caller itself. */
const OF_PROXIES = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'];

/**
 * Recognizes the engine's UI in a browser on this machine. Only a sandbox that listens on loopback alone accepts it. The
 * Origin header gives away a page of another site, because a browser does not let the page choose it. The Host header
 * gives away a name of another site that leads to 127.0.0.1 (DNS rebinding). The address gives away a caller elsewhere.
 */
export function uiOfThisMachine(
  config: Pick<Config, 'sandbox' | 'host' | 'publicUrl' | 'trustedProxies'>,
  uiOrigins: readonly string[],
): (request: IncomingMessage) => boolean {
  const isOnLoopback =
    isLoopback(config.host) && isLoopback(new URL(config.publicUrl).hostname) && config.trustedProxies.length === 0;
  if (!config.sandbox || !isOnLoopback) return () => false;
  return ({ headers, socket }) => {
    const { origin = '', host = '' } = headers;
    const names = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${socket.localPort}`);
    return (
      uiOrigins.includes(origin) &&
      names.includes(host) &&
      LOOPBACK_ADDRESS.test(socket.remoteAddress ?? '') &&
      LOOPBACK_ADDRESS.test(socket.localAddress ?? '') &&
      !OF_PROXIES.some((name) => name in headers)
    );
  };
}
