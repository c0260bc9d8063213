import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import knexFactory, { type Knex } from 'knex';
import { Client, escapeIdentifier } from 'pg';
import { type DatabaseUrls, openDatabase } from '../../src/foundation/db/database';
import { migrate } from '../../src/foundation/db/migrate';
import { startPostgres } from '../../test/setup/services';
import { serveBooks } from './books-server';
import { missed, plant } from './faults';
import { fill } from './fill';

const USAGE = 'Usage: npm run bench -- growth [number of payments]...';
const DATABASE = 'tillway_growth';
const AUDIT = join(__dirname, '../../src/sandbox/cli/audit.js');

/**
 * `npm run bench -- growth 100000 1000000`: for each number, fills a new database with that many payments, runs the audit as
 * its command does, and shows how long it took and how much memory it had. Then it spoils a row for each check, and the
 * audit has to find every one. The server is that of DATABASE_ADMIN_URL, where the four DATABASE URLs are set, or one of its own.
 */
export async function growth(args: string[]): Promise<void> {
  const counts = args.length > 0 ? args.map(Number) : [100_000];
  if (!counts.every((count) => Number.isInteger(count) && count >= 2_000))
    throw new Error(`${USAGE} (2,000 or more each)`);
  const server = await findServer();
  try {
    for (const count of counts) await grow(server, count);
  } finally {
    await server.stop();
  }
}

export interface Server {
  adminUrl: string;
  logins: Required<DatabaseUrls>;
  stop(): Promise<void>;
}

/** The server of the DATABASE URLs, or one of its own, which ends with `stop`. */
export async function findServer(): Promise<Server> {
  const { DATABASE_ADMIN_URL, DATABASE_URL, DATABASE_SYSTEM_URL, DATABASE_OPS_URL } = process.env;
  if (DATABASE_ADMIN_URL && DATABASE_URL && DATABASE_SYSTEM_URL && DATABASE_OPS_URL)
    return {
      adminUrl: DATABASE_ADMIN_URL,
      logins: { url: DATABASE_URL, systemUrl: DATABASE_SYSTEM_URL, opsUrl: DATABASE_OPS_URL },
      async stop() {},
    };
  const { env, stop } = await startPostgres(0);
  const logins = {
    url: env.TEST_DATABASE_APP_URL!,
    systemUrl: env.TEST_DATABASE_SYSTEM_URL!,
    opsUrl: env.TEST_DATABASE_OPS_URL!,
  };
  return { adminUrl: env.TEST_DATABASE_ADMIN_URL!, logins, stop };
}

/** The address of the database that is filled. */
export const within = (url: string) => Object.assign(new URL(url), { pathname: `/${DATABASE}` }).toString();

async function grow({ adminUrl, logins }: Server, count: number): Promise<void> {
  await renewDatabase(adminUrl);
  const urls = { url: within(logins.url), systemUrl: within(logins.systemUrl), opsUrl: within(logins.opsUrl) };
  await migrate(within(adminUrl), urls);
  const owner = knexFactory({ client: 'pg', connection: within(adminUrl), pool: { min: 0, max: 12 } });
  const database = openDatabase(urls, 2, 'bench-growth');
  const books = await serveBooks(owner);
  try {
    const { seconds } = await timed(() => fill({ owner, database, say: (line) => console.log(line) }, count));
    console.log(`${count} payments, ${await sizeOf(owner)}: filled in ${seconds.toFixed(0)} s`);
    const clean = await audit(urls, books.url);
    if (clean.exitCode !== 0) throw new Error(`the books that were filled in are not in order:\n${clean.output}`);
    console.log(`audit of ${count} payments: ${clean.seconds.toFixed(1)} s, at most ${clean.peakMiB} MiB`);
    await plant(owner);
    const spoilt = await audit(urls, books.url);
    const lines = spoilt.output.split('\n').map((line) => line.replace('NOT TRUE: ', ''));
    const notFound = missed(lines);
    if (notFound.length > 0) throw new Error(`not found among ${count} payments: ${notFound.join('; ')}`);
    console.log(
      `every fault planted among them is found: ${spoilt.seconds.toFixed(1)} s, at most ${spoilt.peakMiB} MiB`,
    );
  } finally {
    books.close();
    await Promise.all([owner.destroy(), database.close()]);
  }
}

export async function renewDatabase(adminUrl: string): Promise<void> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(`DROP DATABASE IF EXISTS ${escapeIdentifier(DATABASE)} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${escapeIdentifier(DATABASE)}`);
  } finally {
    await client.end();
  }
}

async function sizeOf(owner: Knex): Promise<string> {
  const { rows } = await owner.raw('SELECT pg_size_pretty(pg_database_size(current_database())) AS size');
  return rows[0].size;
}

/** Runs the command itself, in a process of its own. `peakMiB`: the most memory that the process had at once. */
async function audit(
  { url, systemUrl, opsUrl }: Required<DatabaseUrls>,
  simulatorUrl: string,
): Promise<{ seconds: number; peakMiB: number; exitCode: number | null; output: string }> {
  let output = '';
  let peakMiB = 0;
  const { seconds, result: exitCode } = await timed(
    () =>
      new Promise<number | null>((resolve) => {
        const child = spawn(process.execPath, [AUDIT], {
          env: {
            ...process.env,
            DATABASE_URL: url,
            DATABASE_SYSTEM_URL: systemUrl,
            DATABASE_OPS_URL: opsUrl,
            SIMULATOR_URL: simulatorUrl,
          },
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        const timer = setInterval(() => {
          peakMiB = Math.max(peakMiB, peakOf(child.pid));
        }, 100);
        child.stdout.on('data', (chunk: Buffer) => {
          output += chunk;
        });
        child.once('close', (code) => {
          clearInterval(timer);
          resolve(code);
        });
      }),
  );
  return { seconds, peakMiB, exitCode, output };
}

/** The high-water mark that Linux keeps of a process; 0 elsewhere. */
function peakOf(pid: number | undefined): number {
  try {
    return Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024);
  } catch {
    return 0;
  }
}

async function timed<T>(work: () => Promise<T>): Promise<{ seconds: number; result: T }> {
  const beganAt = performance.now();
  const result = await work();
  return { seconds: (performance.now() - beganAt) / 1000, result };
}
