import type { Knex } from 'knex';
import { withFilledPlatform } from './platform';

const ROUNDS = 3;
const PAYMENTS = 20_000;
const BATCH = 1_000;
/** So many rows are in each table before. */
const BEFORE = 100_000;

/** What an index of `payments` is measured by: without these, each alone and all of them, the rest of the table is the same. */
const QUESTIONED = ['payments_by_status', 'payments_by_method', 'payments_by_amount', 'payments_by_last_four'];

/** The steps of a payment that is captured and settled, as the platform writes them. */
const STEPS = [
  "status = 'pending', attempts = 1, submitted_at = now()",
  "status = 'authorized', authorized_minor = amount_minor, provider_reference = 'bench_' || id, waits_until = now() + interval '7 days'",
  "status = 'captured', captured_minor = amount_minor, waits_until = NULL",
  "status = 'settled', settled_at = now()",
];

interface Cost {
  seconds: number;
  walBytes: number;
  hotUpdates: number;
}

/**
 * `npm run bench -- indexes`: what each index that the list of payments needs costs whoever pays. Writes 20,000 payments with
 * four steps each into copies of the table, in turns, with all indexes and without some. Time is that of the database; the
 * log that it writes does not depend on who else works on the machine.
 */
export async function measureIndexes([number]: string[]): Promise<void> {
  await withFilledPlatform(Number(number ?? 1_000_000), async ({ owner }) => {
    const variants = new Map<string, readonly string[]>([
      ['all indexes', []],
      ...QUESTIONED.map((name): [string, string[]] => [`without ${name}`, [name]]),
      ['without all of these', QUESTIONED],
    ]);
    const costs = new Map<string, Cost[]>();
    const tables = [...variants].map(([name, missing], n) => ({ name, missing, table: `bench.payments_${n}` }));
    for (const { table, missing } of tables) await copy(owner, table, missing);
    for (let round = 0; round < ROUNDS; round += 1)
      for (const { name, table } of tables)
        costs.set(name, [...(costs.get(name) ?? []), await write(owner, table, round)]);
    for (const { table } of tables) await owner.raw(`DROP TABLE ${table}`);
    console.log('| indexes | each round, s | log for one payment, bytes | updates that stay on their page |');
    console.log('|---|---|---|---|');
    for (const [name, rounds] of costs) {
      const seconds = rounds.map((cost) => cost.seconds.toFixed(1)).join(', ');
      const bytes = rounds.reduce((sum, { walBytes }) => sum + walBytes, 0) / rounds.length / PAYMENTS;
      const hot = rounds.reduce((sum, { hotUpdates }) => sum + hotUpdates, 0) / rounds.length / PAYMENTS / STEPS.length;
      console.log(`| ${name} | ${seconds} | ${bytes.toFixed(0)} | ${(hot * 100).toFixed(0)} % |`);
    }
  });
}

/** A copy of the newest payments with the indexes of the table but these. */
async function copy(owner: Knex, table: string, missing: readonly string[]): Promise<void> {
  await owner.raw(`DROP TABLE IF EXISTS ${table}`);
  await owner.raw(`CREATE TABLE ${table} (LIKE payments INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`);
  await owner.raw(`INSERT INTO ${table} SELECT * FROM payments ORDER BY id DESC LIMIT ${BEFORE}`);
  const indexes: { indexname: string; indexdef: string }[] = await owner('pg_indexes')
    .where({ schemaname: 'public', tablename: 'payments' })
    .whereNotIn('indexname', missing);
  for (const { indexname, indexdef } of indexes)
    await owner.raw(indexdef.replace(` ${indexname} ON public.payments `, ` ON ${table} `));
  await owner.raw(`VACUUM ANALYZE ${table}`);
}

async function write(owner: Knex, table: string, round: number): Promise<Cost> {
  await owner.raw('CHECKPOINT');
  const before = await counters(owner, table);
  const beganAt = performance.now();
  const ids: string[] = [];
  for (let first = 0; first < PAYMENTS; first += BATCH) {
    const { rows } = await owner.raw(
      `INSERT INTO ${table} (id, tenant_id, organization_id, terminal_id, merchant_transaction_id, method_id, kind, brand,
         processor, currency, amount_minor, capture_mode, status, result_code, status_detail, request, card_bin, card_last4)
       SELECT 'pay_' || bench.suffix((extract(epoch FROM clock_timestamp()) * 1000)::bigint, :round::bigint * 1000000 + n), p.tenant_id,
         p.organization_id, p.terminal_id, 'bench-' || :round::text || '-' || n, 1 + n % 9, 'card', 'VISA', 'a', 'EUR',
         100 + n * 7919 % 50000, 'automatic', 'initiated', 100, 'Accepted.', '{"threeDS": "auto"}', '411111',
         lpad((n * 7919 % 10000)::text, 4, '0')
       FROM generate_series(:first::bigint, :last::bigint) n, bench.places p WHERE p.number = 0 RETURNING id`,
      { round, first, last: first + BATCH - 1 },
    );
    ids.push(...(rows as { id: string }[]).map(({ id }) => id));
  }
  for (let first = 0; first < PAYMENTS; first += BATCH)
    for (const step of STEPS)
      await owner.raw(
        `UPDATE ${table} SET ${step}, version = version + 1, updated_at = clock_timestamp() WHERE id = ANY(?)`,
        [ids.slice(first, first + BATCH)],
      );
  const seconds = (performance.now() - beganAt) / 1000;
  const after = await counters(owner, table);
  return { seconds, walBytes: after.wal - before.wal, hotUpdates: after.hot - before.hot };
}

async function counters(owner: Knex, table: string): Promise<{ wal: number; hot: number }> {
  // What this connection has done counts at once.
  await owner.raw('SELECT pg_stat_force_next_flush()');
  const { rows } = await owner.raw(
    `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS wal, pg_stat_get_tuples_hot_updated(?::regclass)::float8 AS hot`,
    [table],
  );
  return rows[0];
}
