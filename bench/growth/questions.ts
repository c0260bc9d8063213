import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { Pool } from 'undici';
import { bearerOf, call, headersOf, pay, payAtOnce } from '../payer';
import type { BenchPlatform } from '../platform';

const TIMES = 40;
const DAY_MS = 86_400_000;
const PAYMENTS = '/ipg/1.0.0/payment/payments';

/** How long something took at the median and at p95, in milliseconds. */
export interface Took {
  p50: number;
  p95: number;
}

interface Question {
  name: string;
  /** What is not to be measured, done before. */
  before?(): Promise<unknown>;
  ask(before: unknown, n: number): Promise<unknown>;
}

/**
 * Asks the platform over HTTP, one after the other and each 40 times, what must not grow slower with its tables: a payment,
 * its status, its refund, the list by each filter, the ledger, metrics, statistics. Answers by the name of the question.
 */
export async function askAll(platform: BenchPlatform, owner: Knex): Promise<Map<string, Took>> {
  const api = new Pool(platform.credentials.apiUrl, { connections: 2 });
  const metrics = new Pool(platform.metricsUrl, { connections: 2 });
  try {
    const answers = new Map<string, Took>();
    for (const question of await questionsOf(platform, owner, api, metrics))
      answers.set(question.name, await timesOf(question));
    return answers;
  } finally {
    await Promise.all([api.close(), metrics.close()]);
  }
}

async function questionsOf({ credentials }: BenchPlatform, owner: Knex, api: Pool, metrics: Pool): Promise<Question[]> {
  const { clients, organizationId, tenantId } = credentials;
  const merchant = await headersOf(api, { ...clients.merchant, organizationId });
  const admin = { authorization: await bearerOf(api, clients.tenantAdmin), tenantid: tenantId };
  const one = await pay(api, merchant, '4111111111111111');
  const some: { id: string; merchant_transaction_id: string }[] = await owner('payments')
    .where({ organization_id: organizationId })
    .orderByRaw('md5(id)')
    .limit(TIMES)
    .select('id', 'merchant_transaction_id');
  const any = (n: number) => some[n % some.length]!;
  const read =
    (headers: Record<string, string>, path: string, query: (n: number) => Record<string, string>) =>
    (_: unknown, n: number) =>
      call(api, 'GET', `${path}?${new URLSearchParams(query(n))}`, headers);
  const list = (name: string, query: (n: number) => Record<string, string>): Question => ({
    name: `list: ${name}`,
    ask: read(merchant, PAYMENTS, query),
  });
  const statistics = (days: number): Question => ({
    name: `statistics of ${days} days`,
    ask: read(merchant, '/ipg/1.0.0/payment/statistics', (n) => {
      // A part of time that moves by a minute: the same rows, but not the same question.
      const to = Date.now() - n * 60_000;
      const instants = { from: new Date(to - days * DAY_MS).toISOString(), to: new Date(to).toISOString() };
      return { ...instants, interval: 'day', timeZone: 'Europe/Lisbon' };
    }),
  });
  const since = (n: number) => Date.now() - (3 + ((n * 7) % 360)) * DAY_MS;
  return [
    { name: 'payment', ask: () => payAtOnce(api, merchant) },
    {
      name: 'status',
      ask: (_, n) => call(api, 'GET', `${PAYMENTS}/${any(n).id}/status-by-payment-id`, merchant),
    },
    {
      name: 'refund',
      before: () => pay(api, merchant, '4111111111111111'),
      ask: (paid) =>
        call(
          api,
          'POST',
          `${PAYMENTS}/${(paid as typeof one).paymentId}/refund`,
          { ...merchant, token: randomUUID() },
          '{}',
        ),
    },
    list('no filter', () => ({})),
    list('status', () => ({ status: 'settled' })),
    list('rare status', () => ({ status: 'charged_back' })),
    list('kind', () => ({ kind: 'card' })),
    list('currency', () => ({ currency: 'USD' })),
    list('rare currency', () => ({ currency: 'CHF' })),
    list('amount', (n) => ({ currency: 'EUR', amount: `${5 + ((n * 37) % 190)}.37` })),
    list('last four digits', (n) => ({ lastFour: `${(n * 797) % 10_000}`.padStart(4, '0') })),
    list('one day', (n) => ({
      from: new Date(since(n)).toISOString(),
      to: new Date(since(n) + DAY_MS).toISOString(),
    })),
    list('search', (n) => ({ search: any(n).merchant_transaction_id })),
    { name: 'ledger accounts', ask: read(admin, '/ledger/1.0.0/accounts', () => ({})) },
    {
      name: 'ledger accounts: kind',
      ask: read(admin, '/ledger/1.0.0/accounts', () => ({ kind: 'provider_receivable' })),
    },
    { name: 'ledger transfers', ask: read(admin, '/ledger/1.0.0/transfers', () => ({})) },
    { name: 'trial balance', ask: read(admin, '/ledger/1.0.0/trial-balance', () => ({})) },
    { name: 'metrics', ask: () => call(metrics, 'GET', '/metrics', {}) },
    statistics(14),
    statistics(92),
  ];
}

/** The first one does not count. */
async function timesOf({ before, ask }: Question): Promise<Took> {
  const took: number[] = [];
  for (let n = 0; n <= TIMES; n += 1) {
    const prepared = await before?.();
    const beganAt = performance.now();
    await ask(prepared, n);
    if (n > 0) took.push(performance.now() - beganAt);
  }
  took.sort((a, b) => a - b);
  return { p50: took[Math.floor(TIMES * 0.5)]!, p95: took[Math.floor(TIMES * 0.95)]! };
}

/** Lines of a table: what took how long with no payments, and with many, and how many times as long that is. */
export function tableOf(empty: Map<string, Took>, full: Map<string, Took>, count: number): string {
  const lines = [
    `| what | empty: p50 ms | p95 ms | ${count} payments: p50 ms | p95 ms | ratio of p50 |`,
    '| --- | --- | --- | --- | --- | --- |',
  ];
  for (const [name, before] of empty) {
    const after = full.get(name)!;
    const figures = [before.p50, before.p95, after.p50, after.p95].map((ms) => ms.toFixed(1));
    lines.push(`| ${[name, ...figures, (after.p50 / before.p50).toFixed(1)].join(' | ')} |`);
  }
  return lines.join('\n');
}
