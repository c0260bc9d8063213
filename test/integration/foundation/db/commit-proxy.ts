import { connect, createServer, type Server, type Socket } from 'node:net';

/** Where the connection is cut: before the server sees the COMMIT, or after it has carried it out. */
export type Cut = 'before COMMIT' | 'after COMMIT';

/** A connection to Postgres that is cut at a COMMIT, as a network does at the worst moment. */
export class CommitProxy {
  private readonly sockets = new Set<Socket>();
  private order: { cut: Cut; commit: number; word: string } | undefined;
  private commits = 0;
  /** Connections cut so far. */
  cuts = 0;

  private constructor(
    private readonly server: Server,
    private readonly upstream: { host: string; port: number },
  ) {
    server.on('connection', (client) => this.carry(client));
  }

  /** Listens between a client and the server of this URL; answers the proxy and the URL through it. */
  static async before(databaseUrl: string): Promise<{ proxy: CommitProxy; url: string }> {
    const url = new URL(databaseUrl);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    const proxy = new CommitProxy(server, { host: url.hostname, port: Number(url.port) });
    url.port = String((server.address() as { port: number }).port);
    return { proxy, url: url.toString() };
  }

  /**
   * Cuts the connection once, at the `commit`th COMMIT from now on; or at a statement that is a transaction of its own,
   * known by `word`.
   */
  cutAt(cut: Cut, commit = 1, word = 'COMMIT'): void {
    this.order = { cut, commit, word };
    this.commits = 0;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private carry(client: Socket): void {
    const server = connect(this.upstream);
    let deaf = false;
    const cut = () => {
      this.cuts += 1;
      client.destroy();
      server.destroy();
    };
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.sockets.delete(one);
        other.destroy();
      });
    }
    client.on('data', (bytes) => {
      const now = this.due(bytes);
      if (now === 'before COMMIT') return cut();
      if (now === 'after COMMIT') deaf = true;
      server.write(bytes);
    });
    // The first word of the server after the COMMIT is its reply: it has been carried out, and nobody hears of it.
    server.on('data', (bytes) => (deaf ? cut() : client.write(bytes)));
  }

  private due(bytes: Buffer): Cut | undefined {
    if (!this.order || !bytes.includes(this.order.word)) return undefined;
    this.commits += 1;
    if (this.commits < this.order.commit) return undefined;
    const { cut } = this.order;
    this.order = undefined;
    return cut;
  }
}
