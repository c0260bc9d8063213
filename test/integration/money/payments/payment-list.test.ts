import type { Knex } from 'knex';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { openAdmin } from '../../../../src/foundation/db/migrate';
import type { PaymentRow } from '../../../../src/money/payments/payment';
import { listPayments, type PaymentFilter } from '../../../../src/money/payments/payment-list';
import { writeCatalogue } from '../../../../src/money/routing/method-catalogue';
import { CallbackSecrets } from '../../../../src/people/identity/callback-secrets';
import { type SeededTenant, seedSandbox } from '../../../../src/sandbox/seed/tenants';
import { createTestDatabase } from '../../../setup/environment';

/** The list of payments among many: which index each filter uses under row-level security, and what it finds. */

const MANY = 20_000;
const DAY_MS = 86_400_000;
const LAG_MS = 3 * DAY_MS;
let place: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
let admin: Knex;
let tenant: SeededTenant;

beforeAll(async () => {
  place = await createTestDatabase('payment_list');
  database = openDatabase(place.logins, 2, 'test-payment-list');
  admin = openAdmin(place.adminUrl);
  await writeCatalogue(database.system);
  tenant = await seedSandbox(database.system, new CallbackSecrets(`k1:${Buffer.alloc(32, 7).toString('base64')}`));
  // A payment a minute. The number of each stands where its id has random bits.
  await admin.raw(
    `INSERT INTO payments (id, tenant_id, organization_id, terminal_id, merchant_transaction_id, method_id, kind, brand,
       processor, currency, amount_minor, capture_mode, status, result_code, status_detail, card_last4, request, created_at)
     SELECT 'pay_' || lpad(n::text, 26, '0'), :tenantId, :organizationId, :terminalId, 'shop-' || n,
       CASE WHEN n % 500 = 3 THEN 2 ELSE 1 END, 'card', 'VISA', 'a', CASE WHEN n % 7 = 0 THEN 'USD' ELSE 'EUR' END,
       100 + n % 5000, 'automatic', CASE WHEN n % 400 = 5 THEN 'expired' ELSE 'failed' END, 200, '',
       lpad((n % 10000)::text, 4, '0'),
       '{}',
       now() - (:many::int - n) * interval '1 minute'
     FROM generate_series(1, :many) AS n`,
    { ...tenant, many: MANY },
  );
  await admin.raw('VACUUM ANALYZE payments');
});
afterAll(async () => {
  await admin.destroy();
  await database.close();
  await place.drop();
});

const scope = () => ({ tenantId: tenant.tenantId, organizationId: tenant.organizationId });
const numbersOf = (rows: PaymentRow[]) => rows.map(({ id }) => Number(id.slice(4)));
const find = async (filter: Partial<PaymentFilter>) =>
  numbersOf(await listPayments(database, scope(), { limit: 2, ...filter }, LAG_MS));

/** The plan of the statement with which the list looks for payments. */
async function plansOf(filter: Partial<PaymentFilter>): Promise<string> {
  const asked: { sql: string; bindings: Knex.Value[] }[] = [];
  const note = (query: (typeof asked)[number]) => query.sql.includes('as "found"') && asked.push(query);
  database.app.on('query', note);
  await find(filter);
  database.app.removeListener('query', note);
  const plans = await database.tenant(tenant.tenantId, async (trx) => {
    const [{ sql, bindings }] = asked as [(typeof asked)[number]];
    // The driver's own numbering of parameters.
    const { rows } = await trx.raw(`EXPLAIN ${sql.replace(/\$\d+/g, '?')}`, bindings);
    return rows.map((row: Record<string, string>) => row['QUERY PLAN']);
  });
  return plans.join('\n');
}

test.each<[string, Partial<PaymentFilter>, string, number[]]>([
  ['a rare status', { statuses: ['expired'] }, 'payments_by_status', [19_605, 19_205, 18_805]],
  ['two statuses', { statuses: ['expired', 'failed'] }, 'payments_by_status', [20_000, 19_999, 19_998]],
  ['a rare method', { methodIds: [2] }, 'payments_by_method', [19_503, 19_003, 18_503]],
  ['last four digits', { lastFour: '0077' }, 'payments_by_last_four', [10_077, 77]],
  [
    'an amount',
    { currency: 'EUR', amountMinor: { least: 177n, most: 177n } },
    'payments_by_amount',
    [15_077, 10_077, 5_077],
  ],
  [
    'a range of amounts',
    { currency: 'EUR', amountMinor: { least: 176n, most: 177n } },
    'payments_by_amount',
    [15_077, 15_076, 10_077],
  ],
  // Read once, whatever the statuses and methods are.
  [
    'a range of amounts, of some statuses and methods',
    { currency: 'EUR', amountMinor: { least: 176n, most: 177n }, statuses: ['expired', 'failed'], methodIds: [1, 2] },
    'payments_by_amount',
    [15_077, 15_076, 10_077],
  ],
  ['the beginning of a transaction id', { search: 'shop-1234' }, 'payments_transaction_once', [12_349, 12_348, 12_347]],
  ['a payment id', { search: `pay_${'77'.padStart(26, '0')}` }, 'payments_pkey', [77]],
])('%s is found by its index', async (_, filter, index, expected) => {
  expect(await find(filter)).toEqual(expected);
  const plans = await plansOf(filter);
  expect(plans).toContain(index);
  expect(plans).not.toMatch(/Seq Scan on payments/);
});

test('a page goes on after the one before', async () => {
  const cursor = `pay_${'19205'.padStart(26, '0')}`;
  expect(await find({ statuses: ['expired'], cursor })).toEqual([18_805, 18_405, 18_005]);
});

test('another organization finds nothing, and another tenant neither', async () => {
  for (const stranger of [
    { ...scope(), organizationId: 'org_other' },
    { ...scope(), tenantId: 'ten_other' },
  ])
    for (const filter of [{}, { search: 'shop-77' }])
      expect(await listPayments(database, stranger, { limit: 3, ...filter }, LAG_MS)).toEqual([]);
});

test('a page is found once, also in a table that Postgres has not counted yet', async () => {
  await admin.raw("DELETE FROM pg_statistic WHERE starelid = 'payments'::regclass");
  await admin.raw("UPDATE pg_class SET reltuples = -1, relpages = 0 WHERE oid = 'payments'::regclass");
  const plans = await plansOf({ limit: 50 });
  await admin.raw('ANALYZE payments');
  expect(plans).toContain('InitPlan');
  expect(plans).not.toContain('Join');
});
