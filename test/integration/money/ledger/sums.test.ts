import type { Knex } from 'knex';
import { newId } from '../../../../src/domain/ids';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { openAdmin } from '../../../../src/foundation/db/migrate';
import type { LedgerCause } from '../../../../src/money/ledger/causes';
import { type AccountRef, Ledger } from '../../../../src/money/ledger/ledger';
import { sumUpLedger } from '../../../../src/money/ledger/sums';
import { createTestDatabase } from '../../../setup/environment';

/** Sums that workers keep some seconds behind, and the balances that are read from them and what came after. */

const BANK: AccountRef = { kind: 'bank_clearing', owner: 'a' };
const SHOP: AccountRef = { kind: 'merchant_payable', owner: 'shop' };
const ANN: AccountRef = { kind: 'customer_wallet', owner: 'ann' };

let place: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
let admin: Knex;
let ledger: Ledger;
let tenantId: string;

beforeEach(async () => {
  place = await createTestDatabase('sums');
  database = openDatabase(place.logins, 16, 'test-sums', 30_000);
  admin = openAdmin(place.adminUrl);
  ledger = new Ledger();
  tenantId = newId('tenant');
  await database.system('tenants').insert({ id: tenantId, name: 'Sums' });
  // The accounts are there, so that transactions which book wait for no other.
  for (const credit of [SHOP, ANN]) await book(database.app, BANK, credit, 1n);
});
afterEach(async () => {
  await database?.close();
  await admin?.destroy();
  await place?.drop();
});

let causes = 0;
function book(connection: Knex, debit: AccountRef, credit: AccountRef, amountMinor: bigint): Promise<void> {
  const movement = { phase: 'posted' as const, debit, credit, amountMinor, cause: `c${causes++}` as LedgerCause };
  return connection === database.app
    ? ledger.bookAlone(database, tenantId, 'EUR', [movement])
    : ledger.book(connection as Knex.Transaction, tenantId, 'EUR', [movement]);
}

interface Books {
  balances: { id: bigint; total: string }[];
  trial: { currency: string; debits: string; credits: string }[];
}

/** What is read from the sums, and what the entries say, in one state of the database. */
async function bothBooks(): Promise<{ summed: Books; entries: Books }> {
  return database.app.transaction(
    async (trx) => {
      await trx.raw("SELECT set_config('tillway.tenant', ?, true)", [tenantId]);
      const rowsOf = async (sql: string) => (await trx.raw(sql)).rows;
      return {
        summed: {
          balances: await rowsOf('SELECT id, signed_minor::text AS total FROM ledger_account_balances ORDER BY id'),
          trial: await rowsOf(
            'SELECT currency, debit_minor::text AS debits, credit_minor::text AS credits FROM ledger_trial_balance()',
          ),
        },
        entries: {
          balances: await rowsOf(`SELECT a.id, coalesce(sum(e.signed_minor), 0)::text AS total FROM ledger_accounts a
            LEFT JOIN ledger_entries e ON e.account_id = a.id GROUP BY a.id ORDER BY a.id`),
          trial: await rowsOf(`SELECT currency, sum(greatest(signed_minor, 0))::text AS debits,
              sum(greatest(-signed_minor, 0))::text AS credits FROM ledger_entries GROUP BY currency ORDER BY currency`),
        },
      };
    },
    { isolationLevel: 'repeatable read' },
  );
}

async function expectExact(): Promise<void> {
  const { summed, entries } = await bothBooks();
  expect(summed).toEqual(entries);
  expect(summed.balances.length).toBeGreaterThan(0);
}

const summed = (): Promise<{ through_id: bigint; next_id: bigint }> => database.ops('ledger_summed').first();
const lastEntry = async (): Promise<bigint> => (await database.ops('ledger_transfers').max({ id: 'id' }))[0]!.id;

test('a balance is the sum and the entries after it, before, between and after rounds', async () => {
  await expectExact();
  await sumUpLedger(database.system);
  expect((await summed()).through_id).toBe(await lastEntry());
  await expectExact();
  await book(database.app, BANK, SHOP, 500n);
  await book(database.app, SHOP, ANN, 20n);
  await expectExact();
  await sumUpLedger(database.system);
  await expectExact();
  expect((await summed()).through_id).toBe(await lastEntry());
  // Nothing is added twice.
  await sumUpLedger(database.system);
  await expectExact();
});

test('sums do not pass an entry that is under way, and have it once it is there', async () => {
  await sumUpLedger(database.system);
  const early = await database.app.transaction();
  await early.raw("SELECT set_config('tillway.tenant', ?, true)", [tenantId]);
  await book(early, BANK, SHOP, 7n);
  await book(database.app, BANK, SHOP, 11n);
  const before = await summed();
  expect(await sumUpLedger(database.system)).toBe(false);
  expect((await summed()).through_id).toBe(before.through_id);
  await expectExact();
  // It waits for those who were booking when it came, and for nobody who came later.
  const late = await database.app.transaction();
  await late.raw("SELECT set_config('tillway.tenant', ?, true)", [tenantId]);
  await book(late, BANK, SHOP, 13n);
  await early.commit();
  await sumUpLedger(database.system);
  const { through_id } = await summed();
  expect(through_id).toBe(before.through_id + 2n);
  await expectExact();
  await late.commit();
  await sumUpLedger(database.system);
  await expectExact();
  expect((await summed()).through_id).toBe(await lastEntry());
});

test('what is rolled back leaves nothing in the sums', async () => {
  const gone = await database.app.transaction();
  await gone.raw("SELECT set_config('tillway.tenant', ?, true)", [tenantId]);
  await book(gone, BANK, SHOP, 7n);
  await sumUpLedger(database.system);
  await gone.rollback();
  await sumUpLedger(database.system);
  await book(database.app, BANK, SHOP, 1n);
  await sumUpLedger(database.system);
  await expectExact();
});

/** Rolls a booking back. */
const UNDONE = new Error('undone');

test('many book at once, some for long, while rounds run: each state that can be read is exact', async () => {
  let booking = true;
  const writers = Array.from({ length: 6 }, async (_, writer) => {
    for (let n = 0; n < 25; n += 1) {
      const booked = database.tenant(tenantId, async (trx) => {
        await book(trx, BANK, SHOP, BigInt(writer * 100 + n + 1));
        if ((n + writer) % 5 === 0) await trx.raw('SELECT pg_sleep(0.03)');
        if ((n + writer) % 7 === 0) throw UNDONE;
      });
      await booked.catch((error) => {
        if (error !== UNDONE) throw error;
      });
    }
  });
  const rounds = [1, 2].map(async () => {
    while (booking) await sumUpLedger(database.system);
  });
  const reader = (async () => {
    while (booking) await expectExact();
  })();
  await Promise.all(writers);
  booking = false;
  await Promise.all([...rounds, reader]);
  await sumUpLedger(database.system);
  await sumUpLedger(database.system);
  expect((await summed()).through_id).toBeGreaterThanOrEqual(await lastEntry());
  await expectExact();
});

test('only a round that sees what has ended may sum up, and numbers are given out one by one', async () => {
  const round = database.system.transaction((trx) => sumUpLedger(trx), { isolationLevel: 'repeatable read' });
  await expect(round).rejects.toMatchObject({ code: '25000' });
  const { rows } = await admin.raw(
    "SELECT cache_size FROM pg_sequences WHERE sequencename = 'ledger_transfers_id_seq'",
  );
  expect(rows).toEqual([{ cache_size: 1n }]);
});

test('a tenant reads no sums of another, and nobody writes them', async () => {
  await sumUpLedger(database.system);
  const seen = await database.tenant(newId('tenant'), async (trx) => [
    await trx('ledger_sums'),
    await trx('ledger_totals'),
    await trx('ledger_account_balances'),
    await trx.from(trx.raw('ledger_trial_balance()')),
  ]);
  expect(seen).toEqual([[], [], [], []]);
  for (const table of ['ledger_sums', 'ledger_totals', 'ledger_summed'])
    await expect(database.system(table).delete()).rejects.toMatchObject({ code: '42501' });
});
