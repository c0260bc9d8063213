import { Client } from 'pg';
import { SessionLock } from '../../../../src/foundation/db/session-lock';
import { until } from '../../../e2e/client';
import { testAdminUrl, testDatabaseUrl } from '../../../setup/environment';

const locks: SessionLock[] = [];
const lock = (name: string) => {
  locks.push(new SessionLock(testDatabaseUrl(), name));
  return locks.at(-1)!;
};
afterEach(async () => {
  for (const one of locks.splice(0)) await one.close();
});

test('one process at a time holds a name; who closes it leaves it to the next', async () => {
  const [first, second, other] = [lock('rounds'), lock('rounds'), lock('something else')];
  expect(await first.tryHold()).toBe(true);
  expect([await second.tryHold(), second.held]).toEqual([false, false]);
  expect(await other.tryHold()).toBe(true);
  expect([await first.tryHold(), first.held]).toEqual([true, true]);
  await first.close();
  expect([first.held, await second.tryHold()]).toEqual([false, true]);
});

test('many at once: one of them holds it', async () => {
  const all = Array.from({ length: 8 }, () => lock('one of many'));
  const held = await Promise.all(all.map((one) => one.tryHold()));
  expect(held.filter(Boolean)).toHaveLength(1);
});

test('a connection that is cut gives it back, and whoever lost it knows', async () => {
  const [first, second] = [lock('cut'), lock('cut')];
  await first.tryHold();
  const admin = new Client({ connectionString: testAdminUrl() });
  await admin.connect();
  await admin.query(
    "SELECT pg_terminate_backend(l.pid) FROM pg_locks l WHERE l.locktype = 'advisory' AND l.granted AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())",
  );
  await admin.end();
  await until('it knows', async () => !first.held);
  expect(await second.tryHold()).toBe(true);
  expect(await first.tryHold()).toBe(false);
});
