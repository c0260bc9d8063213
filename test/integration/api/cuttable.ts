import { connect, createServer, type Server, type Socket } from 'node:net';

/** How a server that was cut off behaves towards who comes anew. */
export type Away = 'nobody listens' | 'hangs up';

/** A TCP connection to a server that can be cut for a while, as a network or a restart does. */
export class Cuttable {
  private readonly sockets = new Set<Socket>();
  private away: Away | undefined;

  private constructor(
    private readonly server: Server,
    private readonly upstream: { host: string; port: number },
    readonly port: number,
  ) {
    server.on('connection', (client) => this.carry(client));
  }

  /** Listens between clients and the server of this URL; answers the proxy and the URL through it. */
  static async before(serverUrl: string): Promise<{ line: Cuttable; url: string }> {
    const url = new URL(serverUrl);
    const server = createServer();
    await listen(server, 0);
    const { port } = server.address() as { port: number };
    const line = new Cuttable(server, { host: url.hostname, port: Number(url.port) }, port);
    url.port = String(port);
    return { line, url: url.toString() };
  }

  /** Ends every connection and lets nobody through until `restore`. */
  async cut(away: Away): Promise<void> {
    this.away = away;
    const closed = away === 'nobody listens' ? new Promise((resolve) => this.server.close(resolve)) : undefined;
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  async restore(): Promise<void> {
    if (this.away === 'nobody listens') await listen(this.server, this.port);
    this.away = undefined;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    if (this.server.listening) await new Promise((resolve) => this.server.close(resolve));
  }

  private carry(client: Socket): void {
    if (this.away) {
      client.destroy();
      return;
    }
    const upstream = connect(this.upstream);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.sockets.delete(one);
        other.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve());
  });
}
