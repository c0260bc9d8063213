import { generate } from 'otplib';
import { newId } from '../../../../src/domain/ids';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { Messenger } from '../../../../src/foundation/messages/messenger';
import { Authenticators, OF_USERS } from '../../../../src/people/identity/authenticators';
import { SignInThrottle } from '../../../../src/people/identity/sign-in-throttle';
import { UserLinks } from '../../../../src/people/identity/users/links';
import { UserSecondFactor } from '../../../../src/people/identity/users/second-factor';
import { UserSessions } from '../../../../src/people/identity/users/sessions';
import { Users } from '../../../../src/people/identity/users/user';
import { createTestDatabase } from '../../../setup/environment';

const KEY = Buffer.alloc(32, 3).toString('base64');
const KEYS = `k1:${KEY}`;
const MINUTE = 60_000;

let database: Database;
let drop: () => Promise<void>;
let factors: UserSecondFactor;

beforeAll(async () => {
  const own = await createTestDatabase('fresh_sign_in');
  drop = own.drop;
  database = openDatabase(own.logins, 4);
  const authenticators = new Authenticators(database, KEYS, KEY, OF_USERS);
  const users = new Users(database, KEYS, KEY);
  const links = new UserLinks(users, new Messenger(KEYS), new SignInThrottle(database, 'user-reset', 3), {
    publicUrl: 'http://127.0.0.1:8080',
    invitationTtlMs: MINUTE,
    resetTtlMs: MINUTE,
  });
  factors = new UserSecondFactor(users, links, authenticators, 10 * MINUTE);
});
afterAll(async () => {
  await database.close();
  await drop();
});

async function signedIn() {
  const id = newId('user');
  const sessions = new UserSessions(database, {
    tokenTtlMs: 30 * MINUTE,
    cookie: { idleMs: 30 * MINUTE, ttlMs: 60 * MINUTE },
  });
  const { session } = await database.system.transaction(async (trx) => {
    const contact = { name: 'Ada', email: `${id}@ops.example` };
    await new Users(database, KEYS, KEY).create(trx, { id, role: 'ops', contact });
    return sessions.begin(trx, id, 'cookie', { source: '127.0.0.1' });
  });
  const self = { id, source: '127.0.0.1', requestId: 'test', sessionId: session.sessionId };
  const grow = () =>
    database.system.raw("UPDATE user_tokens SET created_at = created_at - interval '11 minutes' WHERE id = ?", [
      session.sessionId,
    ]);
  return { self, grow };
}

async function enrolled() {
  const { self, grow } = await signedIn();
  const { secret } = await factors.begin(self, undefined);
  const recoveryCodes = await factors.confirm(self, await generate({ secret }));
  return { self, grow, recoveryCodes };
}

test('an old sign-in adds no first factor', async () => {
  const { self, grow } = await signedIn();
  await grow();
  await expect(factors.begin(self, undefined)).rejects.toMatchObject({ code: 'sign_in_again' });
  await expect(factors.begin(self, '123456')).rejects.toMatchObject({ code: 'sign_in_again' });
});

test('an old sign-in changes a factor with a code only', async () => {
  const { self, grow, recoveryCodes } = await enrolled();
  await expect(factors.begin(self, undefined)).resolves.toMatchObject({ secret: expect.any(String) });
  await grow();
  await expect(factors.begin(self, undefined)).rejects.toMatchObject({ code: 'two_factor_required' });
  await expect(factors.begin(self, 'wrong-code')).rejects.toMatchObject({ code: 'code_refused' });
  await expect(factors.begin(self, recoveryCodes[0])).resolves.toMatchObject({ secret: expect.any(String) });
});

test('a session that has shown no factor is not fresh for who has one', async () => {
  const { self } = await enrolled();
  await database.system('user_tokens').where({ id: self.sessionId }).update({ second_factor: null });
  await expect(factors.renewRecoveryCodes(self, undefined)).rejects.toMatchObject({ code: 'two_factor_required' });
});

test('the last factor stays with an operator', async () => {
  const { self } = await enrolled();
  await expect(factors.remove(self, undefined)).rejects.toMatchObject({ code: 'invalid_state' });
  expect(await factors.of(self.id)).toMatchObject({ authenticator: true, recoveryCodes: 10 });
});
