import type { Knex } from 'knex';
import { type Database, openDatabase } from '../../../src/foundation/db/database';
import { openAdmin } from '../../../src/foundation/db/migrate';
import { Catalogue } from '../../../src/money/routing/catalogue';
import { METHOD_CATALOGUE, writeCatalogue } from '../../../src/money/routing/method-catalogue';
import { createTestDatabase } from '../../setup/environment';

let database: Database;
let admin: Knex;
let drop: () => Promise<void>;

beforeAll(async () => {
  const made = await createTestDatabase('catalogue');
  drop = made.drop;
  database = openDatabase(made.logins, 2);
  admin = openAdmin(made.adminUrl);
  await writeCatalogue(database.system);
  await database.system('tenants').insert([
    { id: 'ten_live', name: 'Live' },
    { id: 'ten_new', name: 'New' },
  ]);
});
afterAll(async () => {
  await admin.destroy();
  await database.close();
  await drop();
});

type Options = { sandbox: boolean; hasConnector?: () => boolean };

const enabledIn = async (tenantId: string, options: Options, organizationId?: string) => {
  const methods = await new Catalogue(database, { hasConnector: () => true, ...options }).list(
    tenantId,
    organizationId,
  );
  return methods.filter(({ enabled }) => enabled).map(({ id }) => id);
};

test('the sandbox has every method, in every tenant', async () => {
  expect(await enabledIn('ten_new', { sandbox: true })).toHaveLength(METHOD_CATALOGUE.length);
});

test('production has what was enabled for the tenant, and nothing else', async () => {
  expect(await enabledIn('ten_live', { sandbox: false })).toEqual([]);
  await admin('production_methods').insert({ tenant_id: 'ten_live', method_id: 2 });
  expect(await enabledIn('ten_live', { sandbox: false })).toEqual([2]);
  expect(await enabledIn('ten_new', { sandbox: false })).toEqual([]);
});

test('in production an organization has nothing before it is live, then what its tenant has; in the sandbox all', async () => {
  await database.system('organizations').insert({ id: 'org_shop', tenant_id: 'ten_live', name: 'Shop' });
  const inProduction = () => enabledIn('ten_live', { sandbox: false }, 'org_shop');
  expect(await inProduction()).toEqual([]);
  expect(await enabledIn('ten_live', { sandbox: true }, 'org_shop')).toHaveLength(METHOD_CATALOGUE.length);
  await database.system('organizations').where({ id: 'org_shop' }).update({ live: true });
  expect(await inProduction()).toEqual(await enabledIn('ten_live', { sandbox: false }));
});

test('a method whose processor has no connector is not enabled anywhere', async () => {
  expect(await enabledIn('ten_new', { sandbox: true, hasConnector: () => false })).toEqual([]);
});
