import { newId } from '../../../../src/domain/ids';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { Messenger } from '../../../../src/foundation/messages/messenger';
import { Catalogue } from '../../../../src/money/routing/catalogue';
import { writeCatalogue } from '../../../../src/money/routing/method-catalogue';
import { Organizations } from '../../../../src/people/identity/organizations';
import { SignInThrottle } from '../../../../src/people/identity/sign-in-throttle';
import { isActiveTenant } from '../../../../src/people/identity/tenants';
import { UserLinks } from '../../../../src/people/identity/users/links';
import { Users } from '../../../../src/people/identity/users/user';
import { Tenants } from '../../../../src/people/onboarding/tenants';
import { createTestDatabase } from '../../../setup/environment';

/** Tenants of a database that nobody has seeded, as in production. */

const KEY = Buffer.alloc(32, 3).toString('base64');
const KEYS = `k1:${KEY}`;
const by = (id: string) => ({ id, source: '127.0.0.1', requestId: 'req_1' });
const [ANN, BOB] = [by('usr_ann'), by('usr_bob')];

let database: Database;
let drop: () => Promise<void>;
let tenants: Tenants;
let users: Users;

beforeAll(async () => {
  const own = await createTestDatabase('tenants');
  drop = own.drop;
  database = openDatabase(own.logins, 4);
  await writeCatalogue(database.system);
  users = new Users(database, KEYS, KEY);
  const settings = { publicUrl: 'http://127.0.0.1', invitationTtlMs: 60_000, resetTtlMs: 60_000 };
  tenants = new Tenants(
    database,
    users,
    new UserLinks(users, new Messenger(KEYS), new SignInThrottle(database, 'test'), settings),
  );
});
afterAll(async () => {
  await database.close();
  await drop();
});

async function proposed(): Promise<string> {
  const tenantId = newId('tenant');
  const firstAdmin = { name: 'Ada', email: `${tenantId}@harbour.example` };
  const order = {
    tenantId,
    name: 'Harbour',
    country: 'PT',
    currency: 'EUR',
    methods: [2, 1],
    firstAdmin,
    reason: 'why',
  };
  await tenants.propose(order, ANN);
  // A repeat after a crash.
  expect((await tenants.propose(order, ANN)).row.status).toBe('proposed');
  return tenantId;
}
const messages = async () => Number((await database.system('messages').count('* as count').first())!.count);

test('in production a live merchant of a new tenant can take what was chosen for the tenant', async () => {
  const id = await proposed();
  const organizations = new Organizations(database);
  const before = await messages();
  expect(await organizations.tenantExists(id)).toBe(false);
  await tenants.confirm(id, BOB);
  expect(await organizations.tenantExists(id)).toBe(true);
  expect(await messages()).toBe(before + 1);
  const organizationId = newId('organization');
  const shop = { id: organizationId, tenant_id: id, name: 'Shop', live: true };
  await database.system('organizations').insert(shop);
  const production = () => new Catalogue(database, { sandbox: false, hasConnector: () => true });
  const open = async () =>
    (await production().list(id, organizationId)).filter((one) => one.enabled).map((one) => one.id);
  expect(await open()).toEqual([1, 2]);
  await tenants.chooseMethods(id, [3], 'why', ANN);
  expect(await open()).toEqual([3]);
});

test('one operator alone makes no tenant, not even past the service', async () => {
  const id = await proposed();
  await expect(tenants.confirm(id, ANN)).rejects.toMatchObject({ code: 'forbidden' });
  const write = (columns: object) => database.system('tenants').where({ id }).update(columns);
  await expect(write({ status: 'active' })).rejects.toMatchObject({ constraint: 'tenants_by_two' });
  await expect(write({ status: 'active', confirmed_by: ANN.id })).rejects.toMatchObject({
    constraint: 'tenants_by_two',
  });
});

test('a tenant reads its own row alone, and changes none', async () => {
  const [one, other] = [await proposed(), await proposed()];
  const read = await database.tenant(one, (trx) => trx('tenants').pluck('id'));
  expect(read).toEqual([one]);
  expect(await database.tenant(one, (trx) => isActiveTenant(trx, other))).toBe(false);
  await expect(
    database.tenant(one, (trx) => trx('tenants').where({ id: one }).update({ status: 'active' })),
  ).rejects.toMatchObject({ code: '42501' });
});

test('a proposal that is withdrawn leaves no name and no address', async () => {
  const id = await proposed();
  await tenants.withdraw(id, 'nobody signed', BOB);
  const { row, firstAdmin } = await tenants.find(id);
  expect([row.status, firstAdmin]).toEqual(['withdrawn', { userId: row.first_admin_id, state: 'disabled' }]);
  expect(await users.findByEmail(database.system, `${id}@harbour.example`)).toBeUndefined();
});
