import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request that the receiver got. */
export interface Received {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
  at: number;
}

type Behaviour = (request: Received, response: ServerResponse, count: number) => void;

/** A merchant's server: remembers what it gets, and answers as told (204 unless told otherwise). */
export class Receiver {
  readonly received: Received[] = [];
  behave: Behaviour = (_, response) => response.writeHead(204).end();
  private readonly server: Server;
  private port = 0;

  constructor() {
    this.server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const got: Received = {
          method: request.method ?? '',
          path: request.url ?? '',
          headers: request.headers,
          body: Buffer.concat(chunks).toString(),
          at: Date.now(),
        };
        this.received.push(got);
        this.behave(got, response, this.received.length);
      });
    });
  }

  async listen(port = 0): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(port, '0.0.0.0', resolve));
    this.port = (this.server.address() as AddressInfo).port;
    return this;
  }

  /** Of a path of its own, so that tests tell their requests apart. */
  url(path: string, host = '127.0.0.1'): string {
    return `http://${host}:${this.port}${path}`;
  }

  /** The bodies that came to one path, oldest first. */
  // biome-ignore lint/suspicious/noExplicitAny: what came is what is under test
  at(path: string): any[] {
    return this.received.filter((request) => request.path === path).map(({ body }) => JSON.parse(body));
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** Checks a notification as docs/notifications.md tells a merchant to. */
export function isGenuine({ headers, body }: Received, secret: string): boolean {
  const [, seconds, rest] = /^t=(\d+)((?:,v1=[0-9a-f]{64})+)$/.exec(String(headers['webhook-signature'])) ?? [];
  const signature = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return (rest ?? '').split(',v1=').includes(signature);
}
