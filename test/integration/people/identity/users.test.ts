import { newId } from '../../../../src/domain/ids';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { Messenger } from '../../../../src/foundation/messages/messenger';
import { CallbackSecrets } from '../../../../src/people/identity/callback-secrets';
import { SignInThrottle } from '../../../../src/people/identity/sign-in-throttle';
import { UserLinks } from '../../../../src/people/identity/users/links';
import { requireStrong } from '../../../../src/people/identity/users/password-strength';
import { Users } from '../../../../src/people/identity/users/user';
import { Merchants } from '../../../../src/people/onboarding/merchants';
import { IntegrationParameters } from '../../../../src/people/onboarding/parameters';
import { createTestDatabase } from '../../../setup/environment';

const KEY = Buffer.alloc(32, 3).toString('base64');
const KEYS = `k1:${KEY}`;
const BY = { actor: 'test', source: '127.0.0.1' };
const PASSWORD = 'plum-orbit-lantern-42';

let database: Database;
let drop: () => Promise<void>;

beforeAll(async () => {
  const own = await createTestDatabase('users');
  drop = own.drop;
  database = openDatabase(own.logins, 4);
  await database.system('tenants').insert({ id: 'ten_shop', name: 'Shop' });
});
afterAll(async () => {
  await database.close();
  await drop();
});

/** A merchant whose link and secrets live so long, and the token that was mailed. */
async function invited(invitationTtlMs: number, unreadTtlMs = 60_000) {
  const users = new Users(database, KEYS, KEY);
  const messenger = new Messenger(KEYS);
  const links = new UserLinks(users, messenger, new SignInThrottle(database, 'test'), {
    publicUrl: 'http://127.0.0.1',
    invitationTtlMs,
    resetTtlMs: 60_000,
  });
  const secrets = new CallbackSecrets(KEYS);
  const parameters = new IntegrationParameters(database, secrets, KEYS, unreadTtlMs);
  const organizationId = newId('organization');
  const merchant = await new Merchants(database, users, links, secrets, parameters).create(
    {
      organizationId,
      tenantId: 'ten_shop',
      businessName: 'Tea & Co',
      technicalContact: { name: 'Tess Tea', email: `${organizationId}@shop.example` },
    },
    BY,
  );
  const message = await database.system('messages').orderBy('created_at', 'desc').first();
  const token = /\?token=([\w-]+)/.exec(messenger.open(message.id, message.sealed).text)![1]!;
  return { merchant, links, parameters, token, reader: { tenantId: 'ten_shop', organizationId, ...BY } };
}

test('a link that has expired is refused like one that is unknown', async () => {
  const { links, token, merchant } = await invited(0);
  expect(merchant).toMatchObject({ state: 'invited' });
  expect(merchant.invitationExpiresAt).toBeUndefined();
  const refusal = { code: 'link_unusable', message: 'The link is wrong, used up or out of time' };
  await expect(links.setPassword(token, PASSWORD, '')).rejects.toMatchObject(refusal);
  await expect(links.setPassword('unknown', PASSWORD, '')).rejects.toMatchObject(refusal);
});

test('links to set a forgotten password stay good when others ask for more; one that is used ends all', async () => {
  const { links, token, merchant } = await invited(60_000);
  const email = merchant.technicalContact!.email;
  await links.setPassword(token, PASSWORD, '');
  const queued = database.system('messages').where({ state: 'queued' }).count('*');
  const before = Number((await queued.clone())[0]!.count);
  for (let asked = 0; asked < 8; asked += 1) await links.requestReset(email, '192.0.2.7');
  expect(Number((await queued.clone())[0]!.count) - before).toBe(5);
  const rows = await database.system('messages').where({ state: 'queued' }).orderBy('created_at', 'desc').limit(5);
  const tokens = rows.map(({ id, sealed }) => /token=([\w-]+)/.exec(new Messenger(KEYS).open(id, sealed).text)![1]!);
  await links.check(tokens[4]!);
  await links.setPassword(tokens[4]!, `${PASSWORD}-new`, '');
  for (const other of tokens) await expect(links.check(other)).rejects.toMatchObject({ code: 'link_unusable' });
});

test('none of the last four passwords is taken again, and the link stays good', async () => {
  const { links, token, merchant } = await invited(60_000);
  const nth = (n: number) => `${PASSWORD}-${'abcdefgh'[n]}`;
  const set = async (password: string) => {
    await links.requestReset(merchant.technicalContact!.email, '192.0.2.8');
    const { id, sealed } = await database.system('messages').orderBy('created_at', 'desc').first();
    const reset = /token=([\w-]+)/.exec(new Messenger(KEYS).open(id, sealed).text)![1]!;
    return { reset, done: links.setPassword(reset, password, '') };
  };
  await links.setPassword(token, nth(0), '');
  for (const n of [1, 2, 3]) await (await set(nth(n))).done;
  for (const n of [0, 1, 2, 3]) {
    const { reset, done } = await set(nth(n));
    await expect(done).rejects.toMatchObject({ code: 'invalid_request', message: 'password is one of your last 4' });
    await links.check(reset);
  }
  await (await set(nth(4))).done;
  await (await set(nth(0))).done;
  const row = await database.system('users').orderBy('created_at', 'desc').first('earlier_password_hashes');
  expect(row.earlier_password_hashes).toHaveLength(3);
});

test('who somebody is, links and unread secrets are not in the database in the clear', async () => {
  const { token, parameters, reader, merchant } = await invited(60_000);
  const tables = ['users', 'user_links', 'integration_parameters', 'messages', 'audit_log', 'clients'];
  const rows = await Promise.all(tables.map((table) => database.system(table)));
  const dump = JSON.stringify(rows, (_key, value) => {
    if (typeof value === 'bigint') return String(value);
    return value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value;
  });
  const { secrets } = await parameters.read(reader, { reveal: true });
  for (const secret of [token, 'Tess Tea', merchant.technicalContact!.email, ...secrets.map(({ value }) => value!)])
    expect(dump).not.toContain(secret);
});

test('of two readers at once, one is shown the secrets', async () => {
  const { parameters, reader } = await invited(60_000);
  const both = await Promise.all([1, 2].map(() => parameters.read(reader, { reveal: true })));
  const shown = both.map(({ secrets }) => secrets.filter(({ value }) => value !== undefined).length);
  expect(shown.sort()).toEqual([0, 3]);
});

test('what nobody has read in time is gone, and can be rotated', async () => {
  const { parameters, reader } = await invited(60_000, 0);
  const { secrets } = await parameters.read(reader, { reveal: true });
  expect(secrets.map(({ value }) => value)).toEqual([undefined, undefined, undefined]);
  await parameters.sweep();
  const rows = await database.system('integration_parameters').where({ organization_id: reader.organizationId });
  expect(rows.map(({ unread_sealed }) => unread_sealed)).toEqual([null, null, null]);
  expect((await parameters.rotate(reader, 'clientSecret', 0)).value).toMatch(/^[\w-]{43}$/);
});

test.each(['password1234', 'aaaaaaaaaaaaaaaa', 'qwertyuiop123', 'TessTeaTessTea', 'tess@shop.example'])(
  '%s is refused as too easy to guess',
  (password) => {
    expect(() => requireStrong(password, ['Tess Tea', 'tess@shop.example'])).toThrow('easy to guess');
  },
);

test('a password that is no pattern is taken', () => {
  expect(() => requireStrong(PASSWORD, ['Tess Tea', 'tess@shop.example'])).not.toThrow();
});
