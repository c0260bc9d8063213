import { randomBytes } from 'node:crypto';
import { createLocalJWKSet, jwtVerify, SignJWT } from 'jose';
import { type Database, openDatabase } from '../../../src/foundation/db/database';
import { SigningKeys } from '../../../src/open-banking/keys/signing-keys';
import { createTestDatabase } from '../../setup/environment';

const KEYS = `k1:${randomBytes(32).toString('base64')}`;
const DAY_MS = 86_400_000;
let own: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;

beforeAll(async () => {
  own = await createTestDatabase('signing_keys');
  database = openDatabase(own.logins, 4);
});
afterAll(async () => {
  await database?.close();
  await own?.drop();
});

const processWith = () => new SigningKeys(database, KEYS, 0);

/** What a process signs at a moment. */
async function signed(keys: SigningKeys, now?: number): Promise<string> {
  const { kid, privateKey } = await keys.current(now);
  return new SignJWT({}).setProtectedHeader({ alg: 'PS256', kid }).sign(privateKey);
}

test('what any process signs before, during and after a rotation verifies with the keys that any process publishes', async () => {
  const [running, other] = [processWith(), processWith()];
  const [before] = await Promise.all([signed(running), signed(other)]);
  const { kid: first } = await running.current();
  const kept = await running.public();

  const [made, again] = await Promise.all([running.rotate(), other.rotate()]);
  expect(again).toEqual(made);
  expect(made.kid).not.toBe(first);
  // It is public at once. It signs in a day: who keeps our keys until then knows what it needs.
  for (const keys of [running, other, processWith()]) {
    expect((await keys.public()).keys.map(({ kid }) => kid)).toEqual([made.kid, first]);
    await jwtVerify(await signed(keys), createLocalJWKSet(kept));
    await jwtVerify(before, createLocalJWKSet(await keys.public()));
  }

  const then = Date.now() + DAY_MS + 1_000;
  expect((await running.current(then)).kid).toBe(made.kid);
  expect((await running.all(then)).map(({ kid }) => kid)).toEqual([made.kid, first]);
  const published = createLocalJWKSet(await other.public());
  for (const token of [before, await signed(running), await signed(running, then)]) await jwtVerify(token, published);
  // The next one waits for its own day.
  const next = await other.rotate(then);
  expect([made.kid, first]).not.toContain(next.kid);
});
