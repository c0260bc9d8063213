import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { generate } from 'otplib';
import { Pool } from 'undici';
import { encodeCursor } from '../../src/api/server/conventions';
import type { BenchPlatform } from '../platform';
import { type Case, casesOf, type Known, type Reader } from './cases';
import { withFilledPlatform } from './platform';

const TIMES = 40;
/** What takes longer than this at p95 is too slow. */
const LIMIT_MS = 300;
/** After so long a quiet connection of Postgres reports what it has read. */
const REPORTED_MS = 11_000;
/** So long an export is watched. */
const EXPORT_MS = 20_000;

/**
 * `npm run bench -- console 1000000`: starts a platform of its own, fills it with so many payments of one merchant (see
 * `fill`), signs in as the console does, and asks the API over HTTP what the pages ask: each list without and with its
 * filters, from its beginning and from anywhere, statistics, exports. One question at a time. With BENCH_HOME the platform
 * lives in that folder and stays there: the next run measures the same data. With words, only the lines that have one of them.
 */
export async function measureConsole([number, ...words]: string[]): Promise<void> {
  await withFilledPlatform(Number(number ?? 1_000_000), async ({ platform, owner, until }) => {
    const api = new Pool(platform.credentials.apiUrl, { connections: 4, headersTimeout: 0, bodyTimeout: 0 });
    try {
      const known = await whatIsThere(owner, platform, until);
      const sessions = await signIn(api, platform);
      const wanted = (name: string) => words.length === 0 || words.some((word) => name.includes(word));
      await measure(
        { api, owner, sessions },
        casesOf(known).filter(({ name }) => wanted(name)),
      );
      if (wanted('export')) await measureExport(api, sessions);
    } finally {
      await api.close();
    }
  });
}

async function whatIsThere(owner: Knex, { credentials }: BenchPlatform, until: Date): Promise<Known> {
  const { tenantId, organizationId } = credentials;
  const any = (table: string) => owner(table).where({ tenant_id: tenantId }).orderByRaw('md5(id::text)').limit(TIMES);
  const counted = async (rows: Knex.QueryBuilder) => Number((await rows.count({ count: '*' }))[0].count);
  const payments = await counted(owner('payments').where({ organization_id: organizationId }));
  const customers = await counted(owner('bench.people'));
  const lines: { at: Date; id: bigint }[] = await any('audit_log').select('at', 'id');
  const waiting: { created_at: Date; id: string }[] = await any('interventions').where({ status: 'proposed' });
  console.log(`\n${payments} payments of one organization, ${customers} customers; ${TIMES} questions each\n`);
  return {
    until,
    tenantId,
    payments,
    customers,
    some: await any('payments').where({ organization_id: organizationId }),
    people: await any('customers').whereIn('id', owner('bench.people').select('id')).pluck('id'),
    topups: await any('topups').pluck('id'),
    transfers: await any('p2p_transfers').pluck('id'),
    lines: lines.map(({ at, id }) => `${at.toISOString()}/${id}`),
    waiting: waiting.map(({ created_at, id }) => `${created_at.toISOString()} intervention ${id}`),
  };
}

type Sessions = Record<Reader, Record<string, string>>;

/** The headers of each reader: its cookie, and whom it has chosen to look at. */
async function signIn(api: Pool, { credentials }: BenchPlatform): Promise<Sessions> {
  const { tenantId, organizationId, users } = credentials;
  const enter = async (reader: Reader, scope: Record<string, string>) => {
    const { email, password, totpSecret } = users[reader];
    // A code is good once, and the run before may have used this one.
    for (let tries = 0; tries < 3; tries += 1) {
      const body = JSON.stringify({ email, password, code: await generate({ secret: totpSecret }) });
      const headers = { 'content-type': 'application/json', 'x-requested-with': 'tillway-console' };
      const answer = await api.request({ method: 'POST', path: '/auth/1.0.0/users/session', headers, body });
      const said = await answer.body.text();
      if (answer.statusCode === 201) {
        const cookie = `${answer.headers['set-cookie']}`.split(';')[0]!;
        return { cookie, 'x-requested-with': 'tillway-console', accept: 'application/json', ...scope };
      }
      if (!said.includes('code_refused')) throw new Error(`${reader} cannot sign in: ${said}`);
      await sleep(31_000);
    }
    throw new Error(`${reader} cannot sign in: no code is taken`);
  };
  return {
    merchant: await enter('merchant', { tenantid: tenantId, organizationid: organizationId }),
    tenantAdmin: await enter('tenantAdmin', { tenantid: tenantId }),
    ops: await enter('ops', {}),
  };
}

interface Asking {
  api: Pool;
  owner: Knex;
  sessions: Sessions;
}

async function measure(asking: Asking, cases: Case[]): Promise<void> {
  console.log('| what | p50 ms | p95 ms | p50 anywhere | p95 anywhere | rows read |');
  console.log('|---|---|---|---|---|---|');
  const slow: string[] = [];
  for (const one of cases) {
    const first = await timesOf((n) => ask(asking, one, n));
    const deep = one.cursors?.length ? await timesOf((n) => ask(asking, one, n, one.cursors)) : undefined;
    const isSlow = [first, deep].some((times) => times && at(times, 0.95) > LIMIT_MS);
    const rows = isSlow ? `${await rowsRead(asking, one)}` : '';
    if (isSlow) slow.push(one.name);
    const figures = [first, deep].flatMap((times) => [0.5, 0.95].map((share) => times && at(times, share).toFixed(1)));
    console.log(`| ${one.name} | ${figures.map((figure) => figure ?? '').join(' | ')} | ${rows} |`);
  }
  console.log(`\n${cases.length} questions, ${slow.length} above ${LIMIT_MS} ms at p95\n`);
}

async function ask({ api, sessions }: Asking, { as, path, query, name }: Case, n: number, cursors?: string[]) {
  const asked = new URLSearchParams({
    ...query?.(n),
    ...(cursors && { cursor: encodeCursor(cursors[n % cursors.length]!) }),
  });
  const answer = await api.request({ method: 'GET', path: `${path}?${asked}`, headers: sessions[as] });
  const said = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${name}: ${answer.statusCode} ${said.slice(0, 300)}`);
}

/** How many rows and index entries Postgres reads for one question. */
async function rowsRead(asking: Asking, one: Case): Promise<number> {
  const READ = `SELECT sum(tup_returned + tup_fetched)::float8 AS rows FROM pg_stat_database WHERE datname = current_database()`;
  const read = async () => {
    await sleep(REPORTED_MS);
    return (await asking.owner.raw(READ)).rows[0].rows as number;
  };
  const before = await read();
  for (let n = 0; n < 10; n += 1) await ask(asking, one, n);
  return Math.round(((await read()) - before) / 10);
}

/** The payments of the organization as CSV, as many as come in a while: until the first byte, and how fast the rest comes. */
async function measureExport(api: Pool, { merchant }: Sessions): Promise<void> {
  const beganAt = performance.now();
  const path = '/ipg/1.0.0/payment/payments';
  const answer = await api.request({ method: 'GET', path, headers: { ...merchant, accept: 'text/csv' } });
  let firstAt = 0;
  let rows = -1;
  for await (const piece of answer.body as AsyncIterable<Buffer>) {
    firstAt ||= performance.now();
    for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) rows += 1;
    if (performance.now() - firstAt > EXPORT_MS) break;
  }
  const seconds = (performance.now() - firstAt) / 1000;
  console.log(
    `export as CSV, ${rows} payments of it: first byte after ${(firstAt - beganAt).toFixed(0)} ms, ${(rows / seconds).toFixed(0)} rows/s`,
  );
}

/** How long each question took, in milliseconds, the shortest first. The first one does not count. */
async function timesOf(read: (n: number) => Promise<unknown>): Promise<number[]> {
  const took: number[] = [];
  await read(0);
  for (let n = 1; n <= TIMES; n += 1) {
    const beganAt = performance.now();
    await read(n);
    took.push(performance.now() - beganAt);
  }
  return took.sort((a, b) => a - b);
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}
