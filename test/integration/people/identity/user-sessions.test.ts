import { newId } from '../../../../src/domain/ids';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { Tokens } from '../../../../src/people/identity/tokens';
import { endSessions, UserSessions } from '../../../../src/people/identity/users/sessions';
import { Users } from '../../../../src/people/identity/users/user';
import { createTestDatabase } from '../../../setup/environment';

const KEY = Buffer.alloc(32, 3).toString('base64');
const MINUTE = 60_000;
const DEVICE = { source: '127.0.0.1', agent: 'a browser' };

let database: Database;
let drop: () => Promise<void>;
let tokens: Tokens;
const sessions = (idleMs = 30 * MINUTE, ttlMs = 720 * MINUTE) =>
  new UserSessions(database, { tokenTtlMs: 30 * MINUTE, cookie: { idleMs, ttlMs } });

beforeAll(async () => {
  const own = await createTestDatabase('user_sessions');
  drop = own.drop;
  database = openDatabase(own.logins, 4);
  tokens = new Tokens(database, 1_000);
});
afterAll(async () => {
  await database.close();
  await drop();
});

/** An operator who is signed in. */
async function signedIn(kind: 'token' | 'cookie', of = sessions()) {
  const userId = newId('user');
  return database.system.transaction(async (trx) => {
    const contact = { name: 'Ada', email: `${userId}@ops.example` };
    await new Users(database, `k1:${KEY}`, KEY).create(trx, { id: userId, role: 'ops', contact });
    return { userId, ...(await of.begin(trx, userId, kind, DEVICE, 'totp')) };
  });
}
/** Lets a session become older. */
const age = (sessionId: string, ms: number) =>
  database.system.raw(
    `UPDATE user_tokens SET seen_at = seen_at - :by, expires_at = expires_at - :by, ends_at = ends_at - :by WHERE id = :id`.replaceAll(
      ':by',
      "(:ms * interval '1 millisecond')",
    ),
    { ms, id: sessionId },
  );

test('a cookie is good as a cookie, a token as a token', async () => {
  const [cookie, token] = [await signedIn('cookie'), await signedIn('token')];
  await expect(tokens.authenticateCookie(cookie.token)).resolves.toMatchObject({
    userId: cookie.userId,
    role: 'ops',
    sessionId: cookie.session.sessionId,
  });
  await expect(tokens.authenticate(`Bearer ${token.token}`)).resolves.toMatchObject({ userId: token.userId });
  await expect(tokens.authenticateCookie(token.token)).rejects.toMatchObject({ code: 'unauthorized' });
  await expect(tokens.authenticate(`Bearer ${cookie.token}`)).rejects.toMatchObject({ code: 'unauthorized' });
});

test('each use moves the idle end, once a minute at most, and never past the absolute end', async () => {
  const { token, userId, session } = await signedIn('cookie', sessions(10 * MINUTE, 15 * MINUTE));
  const now = () => sessions().find(userId, session.sessionId);
  await tokens.authenticateCookie(token);
  expect((await now()).expiresAt).toEqual(session.expiresAt);
  await age(session.sessionId, 4 * MINUTE);
  await tokens.authenticateCookie(token);
  const moved = await now();
  expect(moved.expiresAt.getTime()).toBeGreaterThanOrEqual(session.expiresAt.getTime());
  await age(session.sessionId, 8 * MINUTE);
  await tokens.authenticateCookie(token);
  const last = await now();
  expect(last.expiresAt).toEqual(last.endsAt);
  await age(session.sessionId, 4 * MINUTE);
  await expect(tokens.authenticateCookie(token)).rejects.toMatchObject({ code: 'unauthorized' });
  expect(await sessions().list(userId)).toEqual([]);
});

test('a cookie that nobody uses ends', async () => {
  const { token, session } = await signedIn('cookie');
  await age(session.sessionId, 31 * MINUTE);
  await expect(tokens.authenticateCookie(token)).rejects.toMatchObject({ code: 'unauthorized' });
});

test('all sessions but one end at once', async () => {
  const { userId, token, session } = await signedIn('cookie');
  const other = await database.system.transaction((trx) => sessions().begin(trx, userId, 'token', DEVICE));
  await database.system.transaction((trx) => endSessions(trx, userId, { but: session.sessionId }));
  await expect(tokens.authenticate(`Bearer ${other.token}`)).rejects.toMatchObject({ code: 'unauthorized' });
  await expect(tokens.authenticateCookie(token)).resolves.toMatchObject({ userId });
  await database.system('users').where({ id: userId }).update({ disabled_at: new Date() });
  await expect(tokens.authenticateCookie(token)).rejects.toMatchObject({ code: 'unauthorized' });
});
