import { Client } from 'pg';

const CONNECT_TIMEOUT_MS = 1_500;
/** Postgres notices within half a minute that the machine of a holder is gone, not after hours. */
const KEEP_ALIVE = 'SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3';

/**
 * A name that one process at a time holds, by a session-level advisory lock on a connection of its own. Who has got it keeps
 * it until it is closed or the connection is cut; when a process dies, Postgres drops its lock with its connection.
 */
export class SessionLock {
  private client: Client | undefined;
  private isHeld = false;
  private pending: Promise<boolean> | undefined;

  /** `directUrl`: reaches Postgres without a pooler, which would share the session that holds the lock. */
  constructor(
    private readonly directUrl: string,
    private readonly name: string,
  ) {}

  /** Whether this process holds it, as far as it knows. */
  get held(): boolean {
    return this.isHeld;
  }

  /** Takes the lock where nobody else holds it; answers whether this process holds it now. Rejects if the database is away. */
  async tryHold(): Promise<boolean> {
    if (this.isHeld) return true;
    this.pending ??= this.take().finally(() => {
      this.pending = undefined;
    });
    return this.pending;
  }

  /** Gives the lock back. */
  async close(): Promise<void> {
    await this.pending?.catch(() => undefined);
    const client = this.client;
    this.lost(client);
    await client?.end();
  }

  private async take(): Promise<boolean> {
    const client = this.client ?? (await this.connect());
    const { rows } = await client.query('SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS held', [this.name]);
    this.isHeld = rows[0].held && this.client === client;
    return this.isHeld;
  }

  private async connect(): Promise<Client> {
    const client = new Client({
      connectionString: this.directUrl,
      application_name: 'tillway-lock',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    });
    client.on('error', () => this.lost(client));
    client.on('end', () => this.lost(client));
    await client.connect();
    await client.query(KEEP_ALIVE);
    this.client = client;
    return client;
  }

  private lost(client: Client | undefined): void {
    if (this.client !== client) return;
    this.client = undefined;
    this.isHeld = false;
  }
}
