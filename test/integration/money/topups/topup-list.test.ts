import type { Knex } from 'knex';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { openAdmin } from '../../../../src/foundation/db/migrate';
import { writeCatalogue } from '../../../../src/money/routing/method-catalogue';
import { HouseAccounts } from '../../../../src/money/topups/house-account';
import { type TopupPage, TopupService } from '../../../../src/money/topups/service';
import { CallbackSecrets } from '../../../../src/people/identity/callback-secrets';
import { type SeededTenant, seedSandbox } from '../../../../src/sandbox/seed/tenants';
import { createTestDatabase } from '../../../setup/environment';

/** The list of top-ups among many: a status, which stands on the payment, finds them by an index. */

const MANY = 20_000;
let place: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
let admin: Knex;
let tenant: SeededTenant;
let topups: TopupService;

beforeAll(async () => {
  place = await createTestDatabase('topup_list');
  database = openDatabase(place.logins, 2, 'test-topup-list');
  admin = openAdmin(place.adminUrl);
  await writeCatalogue(database.system);
  const secrets = new CallbackSecrets(`k1:${Buffer.alloc(32, 7).toString('base64')}`);
  tenant = await seedSandbox(database.system, secrets);
  const house = new HouseAccounts(database, secrets);
  topups = new TopupService({ database }, undefined as never, house);
  await admin('customers').insert({
    id: 'cus_one',
    tenant_id: tenant.tenantId,
    customer_type: 'Person',
    status: 'verified',
    profile_sealed: Buffer.from(''),
    profile_key: Buffer.from(''),
  });
  const ours = { tenantId: tenant.tenantId, customer: 'cus_one', many: MANY };
  // The payments of a shop have the status too, and are no top-ups.
  for (const [prefix, owner, beneficiary] of [
    ['9', tenant, 'merchant'],
    ['0', await house.of(tenant.tenantId), 'wallet'],
  ] as const)
    await admin.raw(
      `INSERT INTO payments (id, tenant_id, organization_id, terminal_id, merchant_transaction_id, method_id, kind, brand,
         processor, currency, amount_minor, capture_mode, status, result_code, status_detail, card_last4, request, customer_id,
         beneficiary)
       SELECT 'pay_' || :prefix || lpad(n::text, 25, '0'), :tenantId, :organizationId, :terminalId, n::text, 1, 'card', 'VISA', 'a',
         'EUR', 100, 'automatic', CASE WHEN n % 400 = 5 THEN 'expired' ELSE 'failed' END, 200, '', '1111', '{}', :customer, :beneficiary
       FROM generate_series(1, :many) AS n`,
      { ...ours, prefix, beneficiary, organizationId: owner.organizationId, terminalId: owner.terminalId },
    );
  await admin.raw(
    `INSERT INTO topups (id, tenant_id, customer_id, payment_id, currency, fee_minor, created_by)
     SELECT replace(id, 'pay_', 'top_'), tenant_id, customer_id, id, 'EUR', 0, customer_id FROM payments
     WHERE beneficiary = 'wallet' ORDER BY id`,
  );
  await admin.raw('VACUUM ANALYZE payments, topups, organizations');
});
afterAll(async () => {
  await admin.destroy();
  await database.close();
  await place.drop();
});

const idOf = (number: number) => `top_${`${number}`.padStart(26, '0')}`;

async function find(filter: Partial<TopupPage>, tenantId = tenant.tenantId): Promise<number[]> {
  const scope = { tenantId, actor: { id: 'usr_one', source: '192.0.2.1', requestId: 'req_one' } };
  const found = await topups.list(scope, { limit: 2, ...filter });
  return found.map(({ topup }) => Number(topup.id.slice(4)));
}

test('a status is found along the payments of the house', async () => {
  const asked: { sql: string; bindings: Knex.Value[] }[] = [];
  const note = (query: (typeof asked)[number]) => query.sql.includes('"topups"') && asked.push(query);
  database.app.on('query', note);
  expect(await find({ status: 'expired' })).toEqual([19_605, 19_205, 18_805]);
  database.app.removeListener('query', note);
  const plan = await database.tenant(tenant.tenantId, async (trx) => {
    const [{ sql, bindings }] = asked as [(typeof asked)[number]];
    const { rows } = await trx.raw(`EXPLAIN ${sql.replace(/\$\d+/g, '?')}`, bindings);
    return rows.map((row: Record<string, string>) => row['QUERY PLAN']).join('\n');
  });
  expect(plan).toContain('payments_by_status');
});

test.each<[string, Partial<TopupPage>]>([
  ['a status', { status: 'expired' }],
  ['a status of a customer', { status: 'expired', customerId: 'cus_one' }],
  ['a status and a currency', { status: 'expired', currency: 'EUR' }],
])('a page of %s goes on after the one before', async (_, filter) => {
  expect(await find({ ...filter, cursor: idOf(19_205) })).toEqual([18_805, 18_405, 18_005]);
});

test('without a status all are listed, newest first', async () => {
  expect(await find({})).toEqual([20_000, 19_999, 19_998]);
  expect(await find({ cursor: idOf(77) })).toEqual([76, 75, 74]);
});

test('another tenant finds nothing, and neither does a status that none has', async () => {
  expect(await find({ status: 'expired' }, 'ten_other')).toEqual([]);
  expect(await find({ status: 'captured' })).toEqual([]);
});
