import knexFactory from 'knex';
import { type Database, openDatabase } from '../src/foundation/db/database';
import { migrate } from '../src/foundation/db/migrate';
import { listPayments, type PaymentFilter } from '../src/money/payments/payment-list';
import { presentPayment } from '../src/money/payments/present';
import type { PaymentScope } from '../src/money/payments/service';
import { paymentStatistics, type StatisticsQuery } from '../src/money/payments/statistics';
import { fill } from './growth/fill';
import { findServer, renewDatabase, type Server, within } from './growth/growth';

const LAG_MS = 72 * 3_600_000;
const DAY_MS = 86_400_000;
const TIMES = 60;
const PAGE = { limit: 50 };

/**
 * `npm run bench -- console 1000000`: fills a new database with so many payments of one merchant, and shows how long each
 * filter of the list takes on its first page, and on pages anywhere in it, and how long statistics take. Each answer is made
 * as the API makes it, down to its JSON. The server is that of `growth`.
 */
export async function lists(args: string[]): Promise<void> {
  const count = Number(args[0] ?? 1_000_000);
  if (!Number.isInteger(count) || count < 2_000)
    throw new Error('Usage: npm run bench -- console [number of payments]');
  const server = await findServer();
  try {
    await measure(server, count);
  } finally {
    await server.stop();
  }
}

async function measure({ adminUrl, logins }: Server, count: number): Promise<void> {
  await renewDatabase(adminUrl);
  const urls = { url: within(logins.url), systemUrl: within(logins.systemUrl), opsUrl: within(logins.opsUrl) };
  await migrate(within(adminUrl), urls);
  const owner = knexFactory({ client: 'pg', connection: within(adminUrl), pool: { min: 0, max: 12 } });
  const database = openDatabase(urls, 2, 'bench-console');
  try {
    await fill({ owner, database, merchants: 1, say: (line) => console.log(line) }, count);
    const place = await owner('bench.merchants').first('tenant_id', 'organization_id');
    const scope = { tenantId: place.tenant_id, organizationId: place.organization_id };
    const ids: string[] = await owner('payments').where(place).orderByRaw('random()').limit(TIMES).pluck('id');
    const { rows } = await owner.raw('SELECT count(*)::int AS count FROM payments WHERE organization_id = ?', [
      place.organization_id,
    ]);
    console.log(`\n${rows[0].count} payments of one merchant, ${TIMES} reads each\n`);
    console.log('| what | p50 ms | p95 ms | p95 ms anywhere in the list |');
    console.log('|---|---|---|---|');
    for (const [name, filter] of Object.entries(FILTERS)) {
      const first = await timesOf((n) => page(database, scope, filter(n)));
      const deep = await timesOf((n) => page(database, scope, { ...filter(n), cursor: ids[n % ids.length] }));
      console.log(`| ${name} | ${at(first, 0.5)} | ${at(first, 0.95)} | ${at(deep, 0.95)} |`);
    }
    for (const [name, query] of Object.entries(statistics())) {
      const times = await timesOf(() => paymentStatistics(database, scope, query, LAG_MS), 10);
      console.log(`| ${name} | ${at(times, 0.5)} | ${at(times, 0.95)} | |`);
    }
  } finally {
    await Promise.all([owner.destroy(), database.close()]);
  }
}

/** A filter, another one each time: nothing is measured that was just asked. */
const FILTERS: Record<string, (n: number) => PaymentFilter> = {
  'no filter': () => PAGE,
  'status that most have': () => ({ ...PAGE, statuses: ['settled'] }),
  'status that one in a hundred has': () => ({ ...PAGE, statuses: ['charged_back'] }),
  'status that only the newest have': () => ({ ...PAGE, statuses: ['captured'] }),
  'status that none has': () => ({ ...PAGE, statuses: ['requires_action'] }),
  'four statuses': () => ({ ...PAGE, statuses: ['refunded', 'partially_refunded', 'charged_back', 'pending'] }),
  'method that one in a thousand has': () => ({ ...PAGE, methodIds: [2] }),
  'kind of nine methods, one status': () => ({
    ...PAGE,
    methodIds: [1, 2, 3, 4, 5, 6, 7, 8, 9],
    statuses: ['refunded'],
  }),
  'last four digits': (n) => ({ ...PAGE, lastFour: String((n * 797) % 10_000).padStart(4, '0') }),
  'exact amount': (n) => ({ ...PAGE, currency: 'EUR', amountMinor: amounts(500 + n * 211, 0) }),
  'narrow range of amounts': (n) => ({ ...PAGE, currency: 'EUR', amountMinor: amounts(500 + n * 211, 20) }),
  'wide range of amounts': () => ({ ...PAGE, currency: 'USD', amountMinor: amounts(500, 15_000) }),
  'currency that nothing has': () => ({ ...PAGE, currency: 'JPY' }),
  'one day': (n) => ({ ...PAGE, ...days(3 + n * 6, 1) }),
  'one day, a rare status': (n) => ({ ...PAGE, ...days(5 + n * 6, 1), statuses: ['refunded'] }),
  'search: transaction id': (n) => ({ ...PAGE, search: `order-${n * 16_661}` }),
  'search: beginning of a transaction id': (n) => ({ ...PAGE, search: `order-${n + 10}` }),
  'search: beginning that all have': () => ({ ...PAGE, search: 'order-' }),
  'search: processor’s reference': (n) => ({ ...PAGE, search: `pa_${n * 10_010}` }),
  'search: nothing fits': (n) => ({ ...PAGE, search: `nothing ${n}` }),
};

function amounts(from: number, range: number): PaymentFilter['amountMinor'] {
  return { least: BigInt(from), most: BigInt(from + range) };
}

function days(ago: number, lasting: number): { from: string; to: string } {
  const from = Date.now() - ago * DAY_MS;
  return { from: new Date(from).toISOString(), to: new Date(from + lasting * DAY_MS).toISOString() };
}

function statistics(): Record<string, StatisticsQuery> {
  return {
    'statistics of a day, in hours': { ...days(8, 1), interval: 'hour', timeZone: 'Europe/Lisbon' },
    'statistics of 31 days, in days': { ...days(40, 31), interval: 'day', timeZone: 'Europe/Lisbon' },
    'statistics of 92 days, in days': { ...days(100, 92), interval: 'day', timeZone: 'Europe/Lisbon' },
  };
}

async function page(database: Database, scope: PaymentScope, filter: PaymentFilter): Promise<void> {
  JSON.stringify((await listPayments(database, scope, filter, LAG_MS)).map(presentPayment));
}

/** How long each read took, in milliseconds, the shortest first. The first one, which warms the connection, does not count. */
async function timesOf(read: (n: number) => Promise<unknown>, times = TIMES): Promise<number[]> {
  const took: number[] = [];
  await read(0);
  for (let n = 0; n < times; n += 1) {
    const beganAt = performance.now();
    await read(n);
    took.push(performance.now() - beganAt);
  }
  return took.sort((a, b) => a - b);
}

function at(sorted: readonly number[], share: number): string {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!.toFixed(1);
}
