import type { Knex } from 'knex';
import { Catalogue } from '../../src/api/h2h/catalogue';
import { type Database, openDatabase } from '../../src/db/database';
import { METHOD_CATALOGUE, writeCatalogue } from '../../src/db/method-catalogue';
import { openAdmin } from '../../src/db/migrate';
import { createTestDatabase } from '../setup/environment';

let database: Database;
let admin: Knex;
let drop: () => Promise<void>;

beforeAll(async () => {
  const made = await createTestDatabase('catalogue');
  drop = made.drop;
  database = openDatabase(made.url, 2);
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

const enabledIn = async (tenantId: string, options: { sandbox: boolean; hasConnector?: () => boolean }) => {
  const methods = await new Catalogue(database, { hasConnector: () => true, ...options }).list(tenantId);
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

test('a method whose processor has no connector is not enabled anywhere', async () => {
  expect(await enabledIn('ten_new', { sandbox: true, hasConnector: () => false })).toEqual([]);
});
