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
import { databaseNow, lastClean, noteClean, type Since, touchedSince } from '../../../../src/money/books-check/since';
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
async function findings(since?: Since): Promise<string[]> {
  const all: Finding[] = [];
  all.push(
    ...(await auditBooks(database.ops, [...COMMERCE_CHECKS, ...OPEN_BANKING_CHECKS], undefined, since)).findings,
  );
  all.push(...(await auditReports(database.ops, GRACE_MS, undefined, since)).findings);
  const processors = { a: chargesOf(books.url, 'a'), b: chargesOf(books.url, 'b'), c: chargesOf(books.url, 'c') };
  const compared = await auditProcessors(database.ops, processors);
  expect([...compared.values()].reduce((sum, { compared }) => sum + compared, 0)).toBeGreaterThanOrEqual(1_999);
  for (const one of compared.values()) all.push(...one.findings);
  return all.map(({ check, subject, detail }) => `${check}: ${subject}: ${detail}`);
}

/** As if all of it had been touched. */
const everything = async (): Promise<Since> => ({
  payments: await database.ops('payments').pluck('id'),
  transfers: await database.ops('p2p_transfers').pluck('id'),
  entryId: 0n,
  at: new Date(0),
});

test('an audit since the last one finds nothing in order, whichever payments were touched', async () => {
  const all = await everything();
  expect(await findings(all)).toEqual([]);
  const { rows } = await owner.raw('SELECT max(id) AS last FROM ledger_transfers');
  for (const part of [0, 1, 2])
    expect(
      await findings({
        payments: all.payments.filter((_, n) => n % 3 === part),
        transfers: all.transfers.filter((_, n) => n % 3 === part),
        entryId: (rows[0].last * BigInt(part)) / 2n,
        at: new Date(Date.now() - part * 100 * GRACE_MS),
      }),
    ).toEqual([]);
});

test('the books of processors are compared from a payment on', async () => {
  const last: string[] = await database.ops('payments').orderBy('id', 'desc').limit(101).pluck('id');
  const from = last.at(-1)!;
  const compare = async () =>
    (await auditProcessors(database.ops, { a: chargesOf(books.url, 'a', from) }, 0, from)).get('a')!;
  const { compared, total } = await compare();
  expect(compared).toBe(50);
  expect(total).toBe(0);
  const spoil = (reference: string, by: number) =>
    owner('bench.charges').where({ reference }).increment('captured_minor', by);
  const taken: string[] = await owner('bench.charges')
    .where({ processor: 'a', status: 'captured' })
    .orderBy('reference')
    .pluck('reference');
  for (const reference of [taken[0]!, taken.at(-1)!]) await spoil(reference, 1);
  expect((await compare()).findings.map(({ subject }) => subject)).toEqual([taken.at(-1)]);
  for (const reference of [taken[0]!, taken.at(-1)!]) await spoil(reference, -1);
});

test('what is open, and what something was written about, is touched; the rest is not', async () => {
  expect(await lastClean(database.ops)).toBeUndefined();
  const now = await databaseNow(database.ops);
  await noteClean(database.system, now);
  expect(await lastClean(database.ops)).toEqual(now);
  const touched = async () => (await touchedSince(database.ops, now))!;
  // Payments of the last days, all of which have ended, and were last heard of more than an hour ago.
  const old = database.ops('payments').where('updated_at', '<', new Date(now.getTime() - 2 * GRACE_MS));
  const ended: string[] = await old.clone().where({ status: 'settled' }).orderBy('id').limit(4).pluck('id');
  const refund = await database.ops('refunds').where({ status: 'succeeded' }).orderBy('id').first();
  const open: string[] = await database.ops('payments').where({ status: 'authorized' }).pluck('id');
  const transfers: string[] = await database.ops('p2p_transfers').orderBy('id').limit(2).pluck('id');
  const before = await touched();
  expect(open.length).toBeGreaterThan(0);
  expect(before.payments).toEqual(expect.arrayContaining(open));
  for (const id of [...ended, refund.payment_id]) expect(before.payments).not.toContain(id);
  expect(before.transfers).not.toContain(transfers[0]);
  const trx = await owner.transaction();
  try {
    await trx.raw('SET LOCAL session_replication_role = replica');
    await trx.raw(
      `INSERT INTO payment_events (payment_id, tenant_id, from_status, to_status, result_code, cause, detail)
        SELECT id, tenant_id, status, status, 0, 'test', 'Test.' FROM payments WHERE id = ?`,
      [ended[0]!],
    );
    const book = (cause: string) =>
      trx.raw(
        `INSERT INTO ledger_transfers (tenant_id, currency, debit_account_id, debit_guarded, credit_account_id,
            credit_guarded, amount_minor, phase, cause)
          SELECT tenant_id, currency, debit_account_id, debit_guarded, credit_account_id, credit_guarded, 1, 'posted', ?
          FROM ledger_transfers WHERE phase = 'posted' ORDER BY id LIMIT 1`,
        [cause],
      );
    await book(`${ended[1]}/late`);
    await book(`${refund.id}/corrected`);
    await book(`${transfers[0]}/reverse`);
    await trx.raw("UPDATE settlement_lines SET booked_at = now() WHERE payment_reference = ? AND kind = 'capture'", [
      ended[2]!,
    ]);
    const { payments, transfers: moved } = (await touchedSince(trx, now))!;
    expect(payments).toEqual(expect.arrayContaining([ended[0], ended[1], ended[2], refund.payment_id]));
    expect(payments).not.toContain(ended[3]);
    expect(moved).toContain(transfers[0]);
    expect(moved).not.toContain(transfers[1]);
  } finally {
    await trx.rollback();
  }
});

test('the books that are filled in are in order, and every fault planted in them is found', async () => {
  expect(await findings()).toEqual([]);
  await plant(owner);
  expect(missed(await findings())).toEqual([]);
  expect(missed(await findings(await everything()))).toEqual([]);
  // An audit since the last one does not read again what nothing has touched.
  const nothing = { payments: [], transfers: [], entryId: 2n ** 62n, at: new Date() };
  expect(missed(await findings(nothing)).join()).toContain('the status follows from the amounts');
});

test('there is a fault for each check of open banking', () => {
  const planted = FAULTS.map(({ check }) => check);
  expect(OPEN_BANKING_CHECKS.map(({ name }) => name).filter((name) => !planted.includes(name))).toEqual([]);
});
