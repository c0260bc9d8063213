import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePorts } from './ports';

const READY_WITHIN_MS = 10_000;

/** Debian's, or undefined where it is not installed. */
export const pgbouncer = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer'].find(existsSync);

export interface PgBouncer {
  /** The same login at the same database, through the pooler. */
  through(url: string): string;
  /** What its admin console answers, such as `SHOW POOLS`. */
  // biome-ignore lint/suspicious/noExplicitAny: rows of another program
  show(what: string): Promise<any[]>;
  stop(): Promise<void>;
}

/**
 * PgBouncer in transaction mode before the server of these logins, with fewer connections to it than its clients have.
 * It ignores no startup parameter and resets nothing between two transactions: both are what it does by default.
 */
export async function startPgBouncer(program: string, logins: string[], connections: number): Promise<PgBouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'tillway-pgbouncer-'));
  const [port] = (await freePorts(1)) as [number];
  const users = logins.map((login) => new URL(login)).map(({ username, password }) => `"${username}" "${password}"`);
  const server = new URL(logins[0]!);
  const settings = [
    '[databases]',
    `* = host=${server.hostname} port=${server.port}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = scram-sha-256',
    `auth_file = ${join(folder, 'users.txt')}`,
    `stats_users = ${server.username}`,
    'pool_mode = transaction',
    'max_client_conn = 500',
    `default_pool_size = ${connections}`,
  ];
  const files = { 'pgbouncer.ini': settings.join('\n'), 'users.txt': users.join('\n') };
  // Like Postgres, it refuses to run as root.
  const owner = process.getuid?.() === 0 ? { uid: idOfNobody('-u'), gid: idOfNobody('-g') } : undefined;
  chmodSync(folder, 0o700);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), `${text}\n`, { mode: 0o600 });
  if (owner)
    for (const path of [folder, ...Object.keys(files).map((name) => join(folder, name))])
      chownSync(path, owner.uid, owner.gid);

  const child = spawn(program, [join(folder, 'pgbouncer.ini')], { ...owner, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr!.on('data', (chunk) => (said += chunk));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const through = (url: string) => {
    const address = new URL(url);
    address.port = String(port);
    return address.toString();
  };
  const stop = async () => {
    // At once: whoever is still connected is no concern of it.
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await answers(through(logins[0]!), child);
  } catch (error) {
    await stop();
    throw new Error(`PgBouncer does not answer: ${(error as Error).message}\n${said}`);
  }
  const console = new URL(through(logins[0]!));
  console.pathname = '/pgbouncer';
  return { through, show: (what) => ask(console.toString(), `SHOW ${what}`), stop };
}

function idOfNobody(flag: '-u' | '-g'): number {
  return Number(spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' }).stdout);
}

async function ask(url: string, statement: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

async function answers(url: string, child: ChildProcess): Promise<void> {
  for (const giveUpAt = Date.now() + READY_WITHIN_MS; ; ) {
    try {
      await ask(url, 'SELECT 1');
      return;
    } catch (error) {
      if (child.exitCode !== null || Date.now() > giveUpAt) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
