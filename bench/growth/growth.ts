import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import knexFactory, { type Knex } from 'knex';
import { type DatabaseUrls, openDatabase } from '../../src/foundation/db/database';
import { type BenchPlatform, startPlatform } from '../platform';
import { type BooksServer, serveBooks } from './books-server';
import { missed, plant } from './faults';
import { fill } from './fill';
import { askAll, type Took, tableOf } from './questions';

const USAGE = 'Usage: npm run bench -- growth [number of payments]...';
const AUDIT = join(__dirname, '../../src/sandbox/cli/audit.js');
const DECADE_MS = '315360000000';

/** Nothing starts flows for rows that never had one, or goes looking for settlement. */
const QUIET = { LOST_FLOW_MS: DECADE_MS, RECONCILIATION_EVERY_MS: DECADE_MS };

/**
 * `npm run bench -- growth 100000 1000000`: for each number, starts a platform and asks it what must not grow slower (see
 * `askAll`); fills another with so many payments; runs the audit as its command does, and shows how long it took and how much
 * memory it had; asks, and prints both beside each other; audits what is new since the audit before. Then it spoils a row for
 * each check, and the audit has to find every one. With BENCH_HOME the filled platform lives in that folder and stays there:
 * the next run takes the data as it is, and nothing is spoilt. With GROWTH_ASK_ONLY nothing is audited.
 */
export async function growth(args: string[]): Promise<void> {
  const counts = args.length > 0 ? args.map(Number) : [100_000];
  if (!counts.every((count) => Number.isInteger(count) && count >= 2_000))
    throw new Error(`${USAGE} (2,000 or more each)`);
  for (const count of counts) {
    const empty = await onPlatform(undefined, async (platform, owner) => {
      // The first time everything is cold.
      await askAll(platform, owner);
      return askAll(platform, owner);
    });
    await onPlatform(process.env.BENCH_HOME, async (platform, owner) => {
      const books = await serveBooks(owner);
      try {
        await grow({ platform, owner, books }, count, empty);
      } finally {
        books.close();
      }
    });
  }
}

async function onPlatform<T>(
  home: string | undefined,
  work: (platform: BenchPlatform, owner: Knex) => Promise<T>,
): Promise<T> {
  const platform = await startPlatform(QUIET, home);
  const owner = knexFactory({ client: 'pg', connection: platform.adminUrl, pool: { min: 0, max: 12 } });
  try {
    return await work(platform, owner);
  } finally {
    await owner.destroy();
    await platform.stop();
  }
}

interface Grown {
  platform: BenchPlatform;
  owner: Knex;
  books: BooksServer;
}

async function grow(grown: Grown, count: number, empty: Map<string, Took>): Promise<void> {
  const { platform, owner, books } = grown;
  const { rows } = await owner.raw(`SELECT to_regclass('bench.charges') IS NOT NULL AS is_filled`);
  if (rows[0].is_filled) console.log(`what is there: ${await sizeOf(owner)}`);
  else {
    const { seconds } = await timed(() => fillPlatform(platform, owner, count));
    console.log(`${count} payments, ${await sizeOf(owner)}: filled in ${seconds.toFixed(0)} s`);
  }
  await sumsCatchUp(owner);
  await noteCharges(owner, new Date());
  const isAudited = !process.env.GROWTH_ASK_ONLY;
  if (isAudited) {
    const clean = await audit(platform.databaseUrls, books.url);
    if (clean.exitCode !== 0) throw new Error(`the books that were filled in are not in order:\n${clean.output}`);
    console.log(`audit of ${count} payments: ${clean.seconds.toFixed(1)} s, at most ${clean.peakMiB} MiB`);
  }
  await askAll(platform, owner);
  console.log(tableOf(empty, await askAll(platform, owner), count));
  if (isAudited) await auditAgain(grown, count);
}

/** Waits until workers have counted what was filled in: until then it is read row by row. */
async function sumsCatchUp(owner: Knex): Promise<void> {
  const behind = async (): Promise<number> => {
    const { rows } = await owner.raw(
      `SELECT greatest((SELECT last_value FROM payment_events_id_seq) - c.through_id,
         (SELECT last_value FROM ledger_transfers_id_seq) - s.through_id) AS behind
       FROM payment_counting c, ledger_summed s`,
    );
    return Number(rows[0].behind);
  };
  const { seconds } = await timed(async () => {
    while ((await behind()) > 0) await sleep(1_000);
  });
  console.log(`sums have caught up after ${seconds.toFixed(0)} s`);
}

/** What is new since the audit before, and then with a fault for each check. */
async function auditAgain({ platform, owner, books }: Grown, count: number): Promise<void> {
  await noteCharges(owner, new Date());
  const rest = await audit(platform.databaseUrls, books.url, '--since-last');
  if (rest.exitCode !== 0) throw new Error(`the books are not in order:\n${rest.output}`);
  console.log(`audit since that: ${rest.seconds.toFixed(1)} s, at most ${rest.peakMiB} MiB`);
  if (process.env.BENCH_HOME) return;
  await plant(owner);
  const spoilt = await audit(platform.databaseUrls, books.url);
  const lines = spoilt.output.split('\n').map((line) => line.replace('NOT TRUE: ', ''));
  const notFound = missed(lines);
  if (notFound.length > 0) throw new Error(`not found among ${count} payments: ${notFound.join('; ')}`);
  console.log(`every fault planted among them is found: ${spoilt.seconds.toFixed(1)} s, at most ${spoilt.peakMiB} MiB`);
}

async function fillPlatform({ credentials, home, databaseUrls }: BenchPlatform, owner: Knex, count: number) {
  const keys: string = JSON.parse(readFileSync(join(home, 'secrets.json'), 'utf8')).VAULT_KEYS;
  const database = openDatabase(databaseUrls, 2, 'bench-growth');
  try {
    await fill({ owner, database, sandbox: credentials, keys, say: (line) => console.log(line) }, count);
  } finally {
    await database.close();
  }
}

/** What was asked for before the fill stands in the books of the simulator; the audit reads them in the bench's. */
async function noteCharges(owner: Knex, before: Date): Promise<void> {
  await owner.raw(
    `INSERT INTO bench.charges SELECT p.processor, p.id, p.currency, 'captured', p.captured_minor, p.refunded_minor
     FROM payments p WHERE p.created_at <= ? AND p.captured_minor > 0
       AND NOT EXISTS (SELECT 1 FROM bench.charges c WHERE c.reference = p.id)`,
    [before],
  );
}

async function sizeOf(owner: Knex): Promise<string> {
  const { rows } = await owner.raw('SELECT pg_size_pretty(pg_database_size(current_database())) AS size');
  return rows[0].size;
}

/** Runs the command itself, in a process of its own. `peakMiB`: the most memory that the process had at once. */
async function audit(
  { url, systemUrl, opsUrl }: DatabaseUrls,
  simulatorUrl: string,
  ...options: string[]
): Promise<{ seconds: number; peakMiB: number; exitCode: number | null; output: string }> {
  let output = '';
  let peakMiB = 0;
  const { seconds, result: exitCode } = await timed(
    () =>
      new Promise<number | null>((resolve) => {
        const child = spawn(process.execPath, [AUDIT, ...options], {
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
