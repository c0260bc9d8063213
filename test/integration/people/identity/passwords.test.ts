import { newId } from '../../../../src/domain/ids';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { KNOWN_MS, KnownDevices } from '../../../../src/people/identity/known-devices';
import { type Guess, PasswordCheck } from '../../../../src/people/identity/password-check';
import { hashPassword, passwordMatches } from '../../../../src/people/identity/passwords';
import { testLogins } from '../../../setup/environment';

let mockHashes = 0;
jest.mock('@node-rs/argon2', () => {
  const real = jest.requireActual('@node-rs/argon2');
  const verify = (...args: unknown[]) => {
    mockHashes += 1;
    return real.verify(...args);
  };
  return { ...real, verify };
});

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
beforeEach(async () => {
  await database.system('sign_in_failures').delete();
  await database.system('customer_secrets').where(stored.row).update({ failures: 0, locked_until: null });
});

const ADA: Guess = { name: 'ada@example.com', source: '192.0.2.1' };
const devices = new KnownDevices(Buffer.alloc(32, 2).toString('base64'));
const check = (password: string, guess: Partial<Guess> = {}) =>
  new PasswordCheck(database, devices).matches(ofAda(), password, { ...ADA, ...guess });
const ofAda = () => ({ ...stored, ownerId: stored.row.customer_id });
const RIGHT = 'pässword one';

test('a hash is Argon2id, salted, and matches its password alone, however that is composed', async () => {
  const [one, other] = await Promise.all([hashPassword('pässword'), hashPassword('pässword')]);
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(other).not.toBe(one);
  expect(await passwordMatches(one, 'pässword'.normalize('NFD'))).toBe(true);
  expect(await passwordMatches(one, 'passwort')).toBe(false);
  expect(await passwordMatches(undefined, 'pässword')).toBe(false);
});

test('ten wrong tries from one source lock it there, against the right one too; a right one before starts the count anew', async () => {
  for (let wrong = 0; wrong < 9; wrong += 1) expect(await check('wrong')).toBe(false);
  expect(await check(RIGHT)).toBe(true);
  for (let wrong = 0; wrong < 10; wrong += 1) expect(await check('wrong')).toBe(false);
  expect(await check(RIGHT)).toBe(false);
  const [{ expire }] = await database.system('sign_in_failures').where('points', '>=', 10);
  const minutes = (expire - Date.now()) / 60_000;
  expect(minutes).toBeGreaterThan(29);
  expect(minutes).toBeLessThanOrEqual(30);
});

test('who is locked out locks nobody else out', async () => {
  for (let wrong = 0; wrong < 12; wrong += 1) await check('wrong');
  expect(await check(RIGHT)).toBe(false);
  expect(await check(RIGHT, { source: '192.0.2.2' })).toBe(true);
});

test('the addresses of one IPv6 network are one source', async () => {
  for (let wrong = 0; wrong < 10; wrong += 1) await check('wrong', { source: `2001:db8:0:1::${wrong}` });
  expect(await check(RIGHT, { source: '2001:db8:0:1:ffff:ffff:ffff:ffff' })).toBe(false);
  expect(await check(RIGHT, { source: '2001:db8:0:2::1' })).toBe(true);
});

test('a hundred wrong tries from many sources lock strangers out; a known device still gets in, with ten tries of its own', async () => {
  await database.system('customer_secrets').where(stored.row).update({ failures: 99 });
  expect(await check('wrong', { source: '192.0.2.3' })).toBe(false);
  expect(await check(RIGHT, { source: '192.0.2.4' })).toBe(false);
  const device = devices.add(undefined, ofAda().ownerId);
  expect(await check(RIGHT, { source: '192.0.2.3', device })).toBe(true);
  for (let wrong = 0; wrong < 10; wrong += 1) expect(await check('wrong', { device })).toBe(false);
  expect(await check(RIGHT, { device })).toBe(false);
});

test('a device is known to whom it has signed in, for a time, and if nobody has changed what it says', () => {
  const [one, other] = [newId('customer'), newId('customer')];
  const held = devices.add(devices.add(undefined, one), other);
  expect(devices.find(held, one)).toBeDefined();
  expect(devices.find(held, other)).toBeDefined();
  expect(devices.find(held, newId('customer'))).toBeUndefined();
  expect(devices.find(held, one, Date.now() + KNOWN_MS + 1)).toBeUndefined();
  const later = held.replace(/\.\d+\./g, `.${Date.now() + 2 * KNOWN_MS}.`);
  expect(devices.find(later, one)).toBeUndefined();
  expect(new KnownDevices(Buffer.alloc(32, 3).toString('base64')).find(held, one)).toBeUndefined();
  let full: string | undefined;
  for (let people = 0; people < 10; people += 1) full = devices.add(full, newId('customer'));
  expect(full!.split('~')).toHaveLength(5);
});

test('a lock that has run out admits new tries', async () => {
  await database
    .system('customer_secrets')
    .where(stored.row)
    .update({ failures: 100, locked_until: new Date(Date.now() - 1_000) });
  expect(await check('wrong')).toBe(false);
  expect(await check(RIGHT)).toBe(true);
});

test('a new password starts all counts anew', async () => {
  for (let wrong = 0; wrong < 11; wrong += 1) await check('wrong');
  const hash = Buffer.from(await hashPassword(RIGHT));
  await database.system('customer_secrets').where(stored.row).update({ hash, failures: 0, locked_until: null });
  expect(await check(RIGHT)).toBe(true);
});

test('tries at once are no more than tries one after the other, and what is too many is not hashed', async () => {
  mockHashes = 0;
  await Promise.all(Array.from({ length: 20 }, () => check('wrong')));
  expect(mockHashes).toBe(10);
  const row = await database.system('customer_secrets').where(stored.row).first();
  expect(row.failures).toBe(10);
});

test('a flood of sign-ins is refused before it takes memory and threads', async () => {
  const answers = await Promise.allSettled(Array.from({ length: 250 }, () => passwordMatches(undefined, 'wrong')));
  const refused = answers.filter((answer) => answer.status === 'rejected');
  expect(refused).toHaveLength(250 - 202);
  expect(refused[0]!.reason).toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 });
  expect(await check(RIGHT)).toBe(true);
}, 60_000);

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
  const unknown = await count(() => new PasswordCheck(database, devices).matches(undefined, 'wrong', ADA));
  expect(unknown).toEqual(known);
});
