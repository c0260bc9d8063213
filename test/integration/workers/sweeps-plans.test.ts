import type { Knex } from 'knex';
import { dueOrders } from '../../../src/commerce/orders/due';
import { type Database, openDatabase } from '../../../src/foundation/db/database';
import { FLOWS } from '../../../workers/flows';
import { createTestDatabase } from '../../setup/environment';

/** What looks for lost flows runs every second, so it must not read tables that only grow. */

let place: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;

beforeAll(async () => {
  place = await createTestDatabase('plans');
  database = openDatabase(place.logins, 2, 'test-plans');
});
afterAll(async () => {
  await database.close();
  await place.drop();
});

type Query = Knex.QueryBuilder & PromiseLike<unknown[]>;
const FLOW_NAMES = Object.keys(FLOWS) as (keyof typeof FLOWS)[];
const GROWING = [
  'payments',
  'refunds',
  'payment_operations',
  'unapplied_receipts',
  'unmatched_transfers',
  'p2p_schedules',
  'orders',
  'payment_links',
  'consents',
  'payouts',
  'notifications',
];

/** The plan where every index is better than reading a whole table. */
async function planOf(query: Query): Promise<string> {
  const { sql, bindings } = query.toSQL().toNative();
  return database.system.transaction(async (trx) => {
    await trx.raw('SET LOCAL enable_seqscan = off');
    const { rows } = await trx.raw(`EXPLAIN ${sql.replaceAll(/\$(\d+)/g, (_, n) => literal(bindings[Number(n) - 1]))}`);
    return rows.map((row: Record<string, string>) => row['QUERY PLAN']).join('\n');
  });
}

const literal = (value: unknown): string =>
  typeof value === 'number' ? `${value}` : `'${value instanceof Date ? value.toISOString() : value}'`;

const ofFlows = FLOW_NAMES.flatMap((name) => {
  const flow = FLOWS[name];
  const open = typeof flow.open === 'function' ? flow.open : undefined;
  const unheard = typeof flow.unheard === 'function' ? flow.unheard : undefined;
  return [
    ...(open
      ? [[`${name}: open`, () => open(database.system).where('id', '>', '').orderBy('id').limit(100)] as const]
      : []),
    ...(unheard ? [[`${name}: unheard`, () => unheard(database.system, 1_000)] as const] : []),
  ];
});

const questions = [...ofFlows, ['due orders', () => dueOrders(database.system)] as const];

test.each(questions)('%s', async (_name, ask) => {
  const query = ask() as Query;
  // Some put several questions together, each of which is short.
  if (typeof query.toSQL !== 'function') return;
  const plan = await planOf(query);
  for (const table of GROWING) {
    expect(plan).not.toMatch(new RegExp(`Seq Scan on ${table}\\b`));
    expect(plan).not.toMatch(new RegExp(`Scan using ${table}_pkey`));
  }
});
