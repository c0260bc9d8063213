import { loadConfig } from '../../../../src/foundation/config/config';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { PLATFORM_TENANT } from '../../../../src/money/ledger/accounts';
import { METHOD_CATALOGUE } from '../../../../src/money/routing/method-catalogue';
import { CallbackSecrets } from '../../../../src/people/identity/callback-secrets';
import { findClient, secretMatches } from '../../../../src/people/identity/clients';
import { KnownDevices } from '../../../../src/people/identity/known-devices';
import { PasswordCheck } from '../../../../src/people/identity/password-check';
import { setup } from '../../../../src/sandbox/runtime/setup';
import type { SeededCustomer } from '../../../../src/sandbox/seed/customers';
import type { SeededSandbox, SeededTenant } from '../../../../src/sandbox/seed/tenants';
import { createTestDatabase } from '../../../setup/environment';

type People = { customer: SeededCustomer; users: object };
type Credentials = SeededSandbox & People & { other: SeededTenant & People };
const VAULT_KEYS = `k1:${Buffer.alloc(32, 1).toString('base64')}`;
const VAULT_HMAC_KEY = Buffer.alloc(32, 2).toString('base64');

let own: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
const config = (env: Record<string, string> = {}) =>
  loadConfig({
    NODE_ENV: 'test',
    DATABASE_URL: own.url,
    DATABASE_ADMIN_URL: own.adminUrl,
    VAULT_KEYS,
    VAULT_HMAC_KEY,
    ...env,
  });
const run = async (earlier?: Record<string, unknown>) =>
  (await setup(config(), earlier)).credentials as unknown as Credentials;

beforeAll(async () => {
  own = await createTestDatabase('setup');
  database = openDatabase(own.logins, 2);
});
afterAll(async () => {
  await database.close();
  await own.drop();
});

/** Without the platform itself, which a migration makes. */
const tenantsOf = ({ system }: Database) => system('tenants').whereNot({ id: PLATFORM_TENANT });

let first: Credentials;

test('the first start makes two tenants whose credentials work', async () => {
  first = await run();
  expect(first.tenantId).not.toBe(first.other.tenantId);
  for (const { clients, terminalId, terminalPassword, organizationId, tenantId, customer } of [first, first.other]) {
    const pairs: [string, string, object][] = [
      [clients.merchant.clientId, clients.merchant.clientSecret, { role: 'merchant', tenantId, organizationId }],
      [clients.tenantAdmin.clientId, clients.tenantAdmin.clientSecret, { role: 'tenant_admin', tenantId }],
      [terminalId, terminalPassword, { role: 'merchant', organizationId, terminalId }],
    ];
    const { customerId, password } = customer;
    expect(
      await new PasswordCheck(database, new KnownDevices(VAULT_HMAC_KEY)).matches(
        { table: 'customer_secrets', row: { customer_id: customerId, kind: 'password' }, ownerId: customerId },
        password,
        { name: customerId, source: '127.0.0.1' },
      ),
    ).toBe(true);
    for (const [id, secret, expected] of pairs) {
      const client = await findClient(database.system, id);
      expect(client).toMatchObject(expected);
      expect(secretMatches(secret, client!.secretHash)).toBe(true);
    }
  }
});

test('both tenants have one operator, who is of neither', async () => {
  const { clientId, clientSecret } = first.clients.ops;
  const client = await findClient(database.system, clientId);
  expect(client).toMatchObject({ role: 'ops', tenantId: undefined });
  expect(secretMatches(clientSecret, client!.secretHash)).toBe(true);
  expect([first.other.clients, Object.keys(first.users), Object.keys(first.other.users)]).toEqual([
    expect.not.objectContaining({ ops: expect.anything() }),
    ['merchant', 'tenantAdmin', 'ops'],
    ['merchant', 'tenantAdmin'],
  ]);
  for (const table of ['clients', 'users'])
    expect(await database.system(table).where({ role: 'ops' })).toEqual([expect.objectContaining({ tenant_id: null })]);
});

test('no secret is in the database in the clear', async () => {
  const tables = await Promise.all(['clients', 'merchant_accounts'].map((table) => database.system(table)));
  const dump = JSON.stringify(tables, (_key, value) =>
    value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
  );
  for (const secret of [first.callbackSecret, first.terminalPassword, first.clients.merchant.clientSecret])
    expect(dump).not.toContain(secret);
  const account = await database.system('merchant_accounts').where({ terminal_id: first.terminalId }).first();
  expect(new CallbackSecrets(VAULT_KEYS).open(account.callback_secret_sealed, account.id)).toBe(first.callbackSecret);
});

test('a start that still knows its credentials changes nothing', async () => {
  expect(await run({ ...first, apiUrl: 'kept by others' })).toEqual(first);
});

test('a start that has lost them keeps the tenants and makes new secrets', async () => {
  const again = await run();
  expect([again.tenantId, again.terminalId, again.clients.ops.clientId]).toEqual([
    first.tenantId,
    first.terminalId,
    first.clients.ops.clientId,
  ]);
  expect(again.clients.merchant.clientSecret).not.toBe(first.clients.merchant.clientSecret);
  expect(again.callbackSecret).toBe(first.callbackSecret);
  expect(again.customer).toMatchObject({ customerId: first.customer.customerId, email: first.customer.email });
  expect(again.customer.password).not.toBe(first.customer.password);
  expect(await tenantsOf(database)).toHaveLength(2);
  first = again;
});

test('two starts at once seed once', async () => {
  const fresh = await createTestDatabase('setup_twice');
  const url = { DATABASE_URL: fresh.url, DATABASE_ADMIN_URL: fresh.adminUrl };
  await Promise.all([setup(config(url)), setup(config(url))]);
  const seeded = openDatabase(fresh.logins, 2);
  expect(await tenantsOf(seeded)).toHaveLength(2);
  expect(await seeded.system('customers')).toHaveLength(2);
  await seeded.close();
  await fresh.drop();
});

test('the catalogue holds every id of the contract once', async () => {
  const rows = await database.app('payment_methods_catalogue').orderBy('id');
  const ids = [...Array(9).keys()].map((index) => index + 1);
  ids.push(27, 30, 31, ...[...Array(17).keys()].map((index) => index + 43), 60, 61, 62, 63, 64, 65);
  expect(rows.map(({ id }) => id)).toEqual(ids);
  expect(rows).toHaveLength(METHOD_CATALOGUE.length);
  expect(rows.find(({ id }) => id === 30).currencies).toEqual(['INR']);
});
