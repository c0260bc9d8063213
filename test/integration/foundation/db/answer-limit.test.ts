import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { limitAnswers } from '../../../../src/foundation/db/answer-limit';
import { isOutage } from '../../../../src/foundation/log/failures';
import { createTestDatabase } from '../../../setup/environment';

/** Connections that end when a statement has no answer for 300 ms. */

const LIMIT_MS = 300;

let place: Awaited<ReturnType<typeof createTestDatabase>>;
let client: Client;

beforeAll(async () => {
  place = await createTestDatabase('limit');
});
beforeEach(async () => {
  client = new Client({ connectionString: place.adminUrl });
  client.on('error', () => undefined);
  await client.connect();
  limitAnswers(client, LIMIT_MS);
});
afterEach(() => client.end());
afterAll(() => place?.drop());

test('a statement without an answer ends its connection', async () => {
  await client.query('SELECT 1');
  const ended = new Promise<void>((resolve) => client.once('end', () => resolve()));
  const failure = await client.query('SELECT pg_sleep(3)').catch((error: unknown) => error);
  expect(isOutage(failure)).toBe(true);
  await ended;
  await expect(client.query('SELECT 3')).rejects.toThrow('closed');
});

test('one that is answered in time does not, however many there are and however long the pause after it', async () => {
  for (let nth = 0; nth < 8; nth += 1) await client.query('SELECT pg_sleep(0.05)');
  await sleep(3 * LIMIT_MS);
  expect((await client.query('SELECT 4 AS four')).rows).toEqual([{ four: 4 }]);
});

test('one that fails in time does not', async () => {
  await expect(client.query('SELECT 1 / 0')).rejects.toThrow('division by zero');
  await sleep(2 * LIMIT_MS);
  expect((await client.query('SELECT 5 AS five')).rows).toEqual([{ five: 5 }]);
});

test('a statement has a longer limit of its own', async () => {
  const slow = { text: 'SELECT pg_sleep(1) IS NOT NULL AS slept', query_timeout: 10_000 };
  expect((await client.query(slow)).rows).toEqual([{ slept: true }]);
});

test('nothing of an answered statement is kept until the next full collection', () => {
  const kept = execFileSync(process.execPath, ['--expose-gc', join(__dirname, 'kept.js')], {
    encoding: 'utf8',
    env: { ...process.env, LOGINS: JSON.stringify(place.logins) },
  });
  expect(Number(kept)).toBeLessThan(50);
});
