import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { DomainError } from '../../../domain/errors';

const RETRY_FIRST_MS = 250;
const RETRY_MAX_MS = 2_000;
const CONNECT_TIMEOUT_MS = 1_500;
const COUNT_EVERY_MS = 5_000;
const NAME = 'tillway-api-instance';

/**
 * The identity of this process among the API's processes: a random number. The process holds a session-level advisory
 * lock on it as long as it lives. Other processes see in pg_locks whether the owner of a row still lives. When a process
 * dies, Postgres drops its lock with its connection. After a database outage the process takes the same number again.
 */
export class Instance {
  readonly number = randomBytes(8).readBigUInt64BE() >> 1n;
  /** How many processes of the API lived a few seconds ago, this one included. */
  processes = 1;
  private client: Client | undefined;
  private pending: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private counting: NodeJS.Timeout | undefined;
  private closed = false;

  /** `directUrl`: reaches Postgres without a pooler, which would share the session that holds the lock. */
  constructor(private readonly directUrl: string) {}

  /** Resolves when this process holds the lock. Rejects if the database is away; a later call tries again. */
  async hold(): Promise<void> {
    if (this.client) return;
    this.pending ??= this.connect().finally(() => {
      this.pending = undefined;
    });
    await this.pending;
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    clearInterval(this.counting);
    await this.pending?.catch(() => undefined);
    const client = this.client;
    this.client = undefined;
    await client?.end();
  }

  private async connect(): Promise<void> {
    const client = new Client({
      connectionString: this.directUrl,
      application_name: NAME,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    });
    client.on('error', () => this.lost(client));
    client.on('end', () => this.lost(client));
    try {
      await client.connect();
      const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS held', [this.number]);
      // Postgres may not have noticed yet that the old connection is cut.
      if (!rows[0].held)
        throw new DomainError('unavailable', 'The service is reconnecting to its database. Try again shortly', {
          retryAfterSeconds: 1,
        });
    } catch (error) {
      client.end().catch(() => undefined);
      throw error;
    }
    this.client = client;
    await this.count();
    this.counting ??= setInterval(() => this.count(), COUNT_EVERY_MS).unref();
  }

  /** Keeps the last count while the database is away. */
  private async count(): Promise<void> {
    const asked = 'SELECT count(*)::integer AS n FROM pg_stat_activity WHERE datname = current_database()';
    const answer = await this.client?.query(`${asked} AND application_name = $1`, [NAME]).catch(() => undefined);
    if (answer) this.processes = Math.max(1, answer.rows[0].n);
  }

  private lost(client: Client): void {
    if (this.client !== client) return;
    this.client = undefined;
    this.reconnect(RETRY_FIRST_MS);
  }

  private reconnect(delayMs: number): void {
    if (this.closed) return;
    this.timer = setTimeout(() => {
      this.hold().catch(() => this.reconnect(Math.min(delayMs * 2, RETRY_MAX_MS)));
    }, delayMs);
    this.timer.unref();
  }
}

/** SQL that says whether the process with the number in `column` lives. */
export function isAlive(column: string): string {
  return `EXISTS (
    SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database
    WHERE d.datname = current_database() AND l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
      AND l.classid::bigint = ${column} >> 32 AND l.objid::bigint = ${column} & 4294967295)`;
}
