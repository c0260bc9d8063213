import knexFactory, { type Knex } from 'knex';
import { type BooksServer, serveBooks } from '../../../../bench/growth/books-server';
import { FAULTS, missed, plant } from '../../../../bench/growth/faults';
import { fill } from '../../../../bench/growth/fill';
import { COMMERCE_CHECKS } from '../../../../src/commerce/checks';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { auditBooks } from '../../../../src/money/books-check/books-check';
import type { Finding } from '../../../../src/money/books-check/check';
import { auditProcessors } from '../../../../src/money/books-check/processor-books';
import { auditReports } from '../../../../src/money/books-check/report-checks';
import { OPEN_BANKING_CHECKS } from '../../../../src/open-banking/checks';
import { chargesOf } from '../../../../src/sandbox/cli/charges';
import { createTestDatabase } from '../../../setup/environment';

/** The audit over the payments that `npm run bench -- growth` makes, few of them here: it finds whatever is spoilt. */

const GRACE_MS = 24 * 3_600_000;

let place: Awaited<ReturnType<typeof createTestDatabase>>;
let owner: Knex;
let database: Database;
let books: BooksServer;

beforeAll(async () => {
  place = await createTestDatabase('growth');
  owner = knexFactory({ client: 'pg', connection: place.adminUrl, pool: { min: 0, max: 4 } });
  database = openDatabase(place.logins, 4, 'test-growth');
  books = await serveBooks(owner);
  await fill({ owner, database }, 2_000);
});
afterAll(async () => {
  books?.close();
  await owner?.destroy();
  await database?.close();
  await place?.drop();
});

/** What the audit finds, as its command prints it. */
async function findings(): Promise<string[]> {
  const all: Finding[] = [];
  all.push(...(await auditBooks(database.ops, [...COMMERCE_CHECKS, ...OPEN_BANKING_CHECKS])).findings);
  all.push(...(await auditReports(database.ops, GRACE_MS)).findings);
  const processors = { a: chargesOf(books.url, 'a'), b: chargesOf(books.url, 'b'), c: chargesOf(books.url, 'c') };
  const compared = await auditProcessors(database.ops, processors);
  expect([...compared.values()].reduce((sum, { compared }) => sum + compared, 0)).toBeGreaterThanOrEqual(1_999);
  for (const one of compared.values()) all.push(...one.findings);
  return all.map(({ check, subject, detail }) => `${check}: ${subject}: ${detail}`);
}

test('the books that are filled in are in order, and every fault planted in them is found', async () => {
  expect(await findings()).toEqual([]);
  await plant(owner);
  expect(missed(await findings())).toEqual([]);
});

test('there is a fault for each check of open banking', () => {
  const planted = FAULTS.map(({ check }) => check);
  expect(OPEN_BANKING_CHECKS.map(({ name }) => name).filter((name) => !planted.includes(name))).toEqual([]);
});
