import { Client } from 'pg';

const RECONNECT_MS = 500;

/** Hears one channel of Postgres NOTIFY on a connection of its own, and reconnects by itself. */
export class Listener {
  private client: Client | undefined;
  private closed = false;

  /** `resumed` is called when the connection is back: what was said meanwhile was not heard. */
  constructor(
    private readonly channel: string,
    private readonly heard: (payload: string) => void,
    private readonly resumed: () => void = () => undefined,
  ) {}

  /** Starts hearing, at Postgres itself: a pooler would not pass on what is said. Rejects when the database cannot be reached; it is tried again all the same. */
  async start(directUrl: string): Promise<void> {
    const client = new Client({ connectionString: directUrl, application_name: 'tillway-listen', keepAlive: true });
    const again = () => {
      if (this.closed || this.client !== client) return;
      this.client = undefined;
      setTimeout(() => this.start(directUrl).then(this.resumed, () => undefined), RECONNECT_MS).unref();
    };
    this.client = client;
    client.on('notification', (message) => this.heard(message.payload ?? ''));
    client.on('error', again);
    client.on('end', again);
    try {
      await client.connect();
      await client.query(`LISTEN ${this.channel}`);
    } catch (error) {
      again();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.client?.end().catch(() => undefined);
  }
}
