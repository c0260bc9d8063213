import { newId } from '../../../../src/domain/ids';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { checkPassword, hashPassword, passwordMatches } from '../../../../src/people/identity/passwords';
import { testLogins } from '../../../setup/environment';

let database: Database;
const stored = { table: 'customer_secrets', row: { customer_id: '', kind: 'password' } };

beforeAll(async () => {
  database = openDatabase(testLogins(), 8);
  const tenantId = newId('tenant');
  stored.row.customer_id = newId('customer');
  await database.system('tenants').insert({ id: tenantId, name: 'Tenant' });
  await database.system('customers').insert({
    id: stored.row.customer_id,
    tenant_id: tenantId,
    customer_type: 'Person',
    status: 'new',
    profile_sealed: Buffer.from('x'),
    profile_key: Buffer.from('x'),
  });
  await database.system('customer_secrets').insert({
    ...stored.row,
    tenant_id: tenantId,
    hash: Buffer.from(await hashPassword('pässword one')),
  });
});
afterAll(() => database.close());
beforeEach(() => database.system('customer_secrets').where(stored.row).update({ failures: 0, locked_until: null }));

const check = (password: string) => checkPassword(database.system, stored, password);

test('a hash is Argon2id, salted, and matches its password alone, however that is composed', async () => {
  const [one, other] = await Promise.all([hashPassword('pässword'), hashPassword('pässword')]);
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(other).not.toBe(one);
  expect(await passwordMatches(one, 'pässword'.normalize('NFD'))).toBe(true);
  expect(await passwordMatches(one, 'passwort')).toBe(false);
  expect(await passwordMatches(undefined, 'pässword')).toBe(false);
});

test('ten wrong tries lock it against the right one too, and a right one before starts the count anew', async () => {
  for (let wrong = 0; wrong < 9; wrong += 1) expect(await check('wrong')).toBe(false);
  expect(await check('pässword one')).toBe(true);
  for (let wrong = 0; wrong < 10; wrong += 1) expect(await check('wrong')).toBe(false);
  expect(await check('pässword one')).toBe(false);
  const row = await database.system('customer_secrets').where(stored.row).first();
  const minutes = (row.locked_until - Date.now()) / 60_000;
  expect(minutes).toBeGreaterThan(29);
  expect(minutes).toBeLessThanOrEqual(30);
});

test('a lock that has run out admits ten new tries', async () => {
  await database
    .system('customer_secrets')
    .where(stored.row)
    .update({ failures: 10, locked_until: new Date(Date.now() - 1_000) });
  expect(await check('wrong')).toBe(false);
  expect(await check('pässword one')).toBe(true);
});

test('tries at once are no more than tries one after the other', async () => {
  await Promise.all(Array.from({ length: 20 }, () => check('wrong')));
  const row = await database.system('customer_secrets').where(stored.row).first();
  expect(row.failures).toBe(10);
});

test('nobody’s password is wrong after the same work', async () => {
  const statements: string[] = [];
  const count = async (run: () => Promise<unknown>) => {
    statements.length = 0;
    const listen = ({ sql }: { sql: string }) => statements.push(sql);
    database.system.on('query', listen);
    await run();
    database.system.off('query', listen);
    return [...statements];
  };
  const known = await count(() => check('wrong'));
  const unknown = await count(() => checkPassword(database.system, undefined, 'wrong'));
  expect(unknown).toEqual(known);
});
