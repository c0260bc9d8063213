import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isValidIBAN } from 'ibantools';
import { generateEntries } from '../../../../bench/entries';
import { StatementAnswer } from '../../../../src/api/wallet/statement-answer';
import { newId } from '../../../../src/domain/ids';
import { openDatabase } from '../../../../src/foundation/db/database';
import { openAdmin } from '../../../../src/foundation/db/migrate';
import { feeIncomeOf, incomingOf, owedBy, walletOf } from '../../../../src/money/ledger/accounts';
import { balancesOf } from '../../../../src/money/ledger/balances';
import type { LedgerCause } from '../../../../src/money/ledger/causes';
import { type AccountRef, Ledger, type Movement } from '../../../../src/money/ledger/ledger';
import { Statement, type Window } from '../../../../src/money/ledger/statement';
import type { WalletEntry } from '../../../../src/money/ledger/wallet-entries';
import { testAdminUrl, testLogins } from '../../../setup/environment';

const database = openDatabase(testLogins(), 12, 'test-statement', 30_000);
const ledger = new Ledger();
let tenantId: string;
let ann: string;
let bob: string;

beforeEach(async () => {
  tenantId = newId('tenant');
  [ann, bob] = [newId('customer'), newId('customer')];
  await database.system('tenants').insert({ id: tenantId, name: 'Statement test' });
});
afterAll(() => database.close());

const processor = { kind: 'provider_receivable' as const, owner: 'a' };
let causes = 0;
const moved = (debit: AccountRef, credit: AccountRef, amountMinor: bigint, cause = `trf_${causes++}/x`): Movement => ({
  phase: 'posted',
  debit,
  credit,
  amountMinor,
  cause: cause as LedgerCause,
});
const book = (...movements: Movement[]) =>
  database.tenant(tenantId, (trx) => ledger.book(trx, tenantId, 'EUR', movements));
const balances = (customerId: string) => database.tenant(tenantId, (trx) => balancesOf(trx, customerId));

async function statement(window: Partial<Window> = {}) {
  const opened = await Statement.open(database, tenantId, { customerId: ann, currency: 'EUR', ...window });
  const entries: WalletEntry[] = [];
  for await (const entry of opened.entries()) entries.push(entry);
  const total = entries.reduce((sum, { signedMinor }) => sum + signedMinor, 0n);
  return { opening: opened.openingMinor, closing: opened.closingMinor, entries, total, opened };
}

test('balances: available, held, owed, by currency, with a valid IBAN for each wallet', async () => {
  await book(moved(processor, incomingOf(ann), 700n), moved(processor, walletOf(ann), 1_000n));
  await book({ ...moved(walletOf(ann), walletOf(bob), 300n), phase: 'pending' });
  await book(moved(owedBy(ann), processor, 50n));
  await database.tenant(tenantId, (trx) => ledger.book(trx, tenantId, 'JPY', [moved(processor, walletOf(ann), 9n)]));
  const found = await balances(ann);
  expect(found).toEqual([
    { currency: 'EUR', iban: expect.any(String), availableMinor: 700n, heldMinor: 1_000n, owedMinor: 50n },
    { currency: 'JPY', iban: expect.any(String), availableMinor: 9n, heldMinor: 0n, owedMinor: 0n },
  ]);
  expect(found.every(({ iban }) => isValidIBAN(iban!))).toBe(true);
  expect(new Set(found.map(({ iban }) => iban)).size).toBe(2);
  expect(await balances(newId('customer'))).toEqual([]);
});

test('a statement tells what came and went, not what moved between the customer’s own accounts', async () => {
  await book(
    moved(processor, incomingOf(ann), 1_000n, 'pay_1/capture'),
    moved(incomingOf(ann), feeIncomeOf(tenantId), 30n, 'pay_1/fee'),
  );
  await book(moved(incomingOf(ann), walletOf(ann), 970n, 'pay_1/available'));
  await book({ ...moved(walletOf(ann), walletOf(bob), 300n, 'trf_1/hold'), phase: 'pending' });
  await book(moved(walletOf(ann), walletOf(bob), 200n, 'trf_2/move'));
  const { opening, closing, entries, total } = await statement();
  expect(entries.map(({ type, signedMinor, reference }) => [type, signedMinor, reference])).toEqual([
    ['topup', 1_000n, 'pay_1'],
    ['fee', -30n, 'pay_1'],
    ['transfer', -200n, 'trf_2'],
  ]);
  expect([opening, closing]).toEqual([0n, total]);
  const [balance] = await balances(ann);
  expect(closing).toBe(balance!.availableMinor + balance!.heldMinor);
});

test('opening and entries make closing, for any window, and windows continue each other', async () => {
  await book(moved(processor, walletOf(ann), 100_000n));
  for (let n = 1n; n <= 30n; n += 1n)
    await book(n % 3n ? moved(walletOf(ann), walletOf(bob), n) : moved(processor, incomingOf(ann), n));
  const whole = await statement();
  expect(whole.entries).toHaveLength(31);
  const times = whole.entries.map(({ at }) => at);
  for (const from of [undefined, times[0], times[7], times[30]])
    for (const to of [times[0], times[15], times[29], new Date(Date.now() + 60_000), undefined]) {
      if (from && to && from > to) continue;
      const window = await statement({ from, to });
      expect(window.opening + window.total).toBe(window.closing);
      const before = await statement({ to: from });
      if (from) expect(before.closing).toBe(window.opening);
    }
});

test('filters choose entries, not balances; pages continue where the one before ended', async () => {
  await book(moved(processor, walletOf(ann), 1_000n, 'pay_2/capture'));
  for (let n = 1n; n <= 10n; n += 1n)
    await book(
      moved(walletOf(ann), walletOf(bob), n),
      moved(walletOf(ann), feeIncomeOf(tenantId), 1n, `trf_f${n}/fee`),
    );
  expect((await statement({ type: 'fee' })).entries).toHaveLength(10);
  expect((await statement({ type: 'fee', direction: 'credit' })).entries).toHaveLength(0);
  expect((await statement({ direction: 'credit' })).entries.map(({ reference }) => reference)).toEqual(['pay_2']);
  expect((await statement({ direction: 'debit' })).closing).toBe(935n);

  const seen: bigint[] = [];
  let after: WalletEntry | undefined;
  let balance = 0n;
  for (;;) {
    const page = await statement({ after, limit: 4 });
    expect(page.opening).toBe(balance);
    if (page.entries.length === 0) break;
    seen.push(...page.entries.map(({ id }) => id));
    after = page.entries.at(-1)!;
    balance = await page.opened.balanceAfter(after);
    expect(page.opening + page.total).toBe(balance);
    // What comes in meanwhile goes to the end.
    if (seen.length === 4) await book(moved(processor, walletOf(ann), 5n));
  }
  expect(seen).toHaveLength(22);
  expect(new Set(seen).size).toBe(22);
});

test('what was read of the past stays so while forty move money at once, on both accounts', async () => {
  await book(
    moved(processor, walletOf(ann), 100_000n),
    moved(processor, incomingOf(ann), 100_000n),
    moved(processor, walletOf(bob), 100_000n),
  );
  let done = false;
  const readings: { to: Date; closing: bigint; count: number }[] = [];
  const reader = (async () => {
    while (!done) {
      const to = new Date();
      const { closing, opening, total, entries } = await statement({ to });
      expect(opening + total).toBe(closing);
      readings.push({ to, closing, count: entries.length });
    }
  })();
  const customers = [ann, bob];
  await Promise.all(
    Array.from({ length: 40 }, async (_, n) => {
      for (let turn = 0; turn < 5; turn += 1) {
        const [from, to] = n % 2 ? [customers[0]!, customers[1]!] : [customers[1]!, customers[0]!];
        if (n % 5 === 0) await book(moved(incomingOf(ann), feeIncomeOf(tenantId), 3n));
        else await book(moved(walletOf(from), walletOf(to), 7n));
      }
    }),
  );
  done = true;
  await reader;
  expect(readings.length).toBeGreaterThan(2);
  for (const { to, closing, count } of readings) {
    const again = await statement({ to });
    expect({ closing: again.closing, count: again.entries.length }).toEqual({ closing, count });
  }
});

test('a repeat is refused as a repeat, also when the wallet is empty since', async () => {
  await book(moved(processor, walletOf(ann), 10n));
  await book(moved(walletOf(ann), walletOf(bob), 10n, 'trf_once/move'));
  await expect(book(moved(walletOf(ann), walletOf(bob), 10n, 'trf_once/move'))).rejects.toMatchObject({
    constraint: 'ledger_transfers_cause_once',
  });
});

test('a large account: every entry once, in order, in batches that add up', async () => {
  await book(moved(processor, walletOf(ann), 1_000_000n), moved(walletOf(ann), walletOf(bob), 1n));
  const count = 25_000;
  const admin = openAdmin(testAdminUrl());
  await generateEntries(admin, { tenantId, customerId: ann, count }).finally(() => admin.destroy());
  const { entries, opening, total, closing } = await statement();
  expect(entries).toHaveLength(count + 2);
  expect(new Set(entries.map(({ id }) => id)).size).toBe(count + 2);
  for (let n = 1; n < entries.length; n += 1) expect(entries[n]!.id > entries[n - 1]!.id).toBe(true);
  expect(opening + total).toBe(closing);
  const middle = entries[12_345]!.at;
  const [first, second] = [await statement({ to: middle }), await statement({ from: middle })];
  expect(first.entries.length + second.entries.length).toBe(count + 2);
  expect(first.closing).toBe(second.opening);
});

/** Ninety thousand entries have more than 10 MB, as objects or as text. */
const MOST_MEMORY = 4_000_000;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** What is still needed, in bytes. */
function memoryInUse(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test.each(['csv', 'json'] as const)(
  'a long statement as %s takes no more memory at its end than at its beginning',
  async (form) => {
    await book(moved(processor, walletOf(ann), 1_000_000n), moved(walletOf(ann), walletOf(bob), 1n));
    const count = 100_000;
    const admin = openAdmin(testAdminUrl());
    await generateEntries(admin, { tenantId, customerId: ann, count }).finally(() => admin.destroy());
    const opened = await Statement.open(database, tenantId, { customerId: ann, currency: 'EUR' });
    const { body } = await new StatementAnswer(opened, ann, { currency: 'EUR' })[form]();
    let length = 0;
    let early: number | undefined;
    let most = 0;
    let next = 1_000_000;
    for await (const piece of body as AsyncIterable<Buffer | string>) {
      length += piece.length;
      if (length < next) continue;
      next += 1_500_000;
      early ??= memoryInUse();
      most = Math.max(most, memoryInUse());
    }
    expect(length).toBeGreaterThan(count * 60);
    expect(most - early!).toBeLessThan(MOST_MEMORY);
  },
);
