import type { Knex } from 'knex';
import { generateEntries } from '../../../../bench/entries';
import { openAdmin } from '../../../../src/foundation/db/migrate';
import { accountsOfWallet, entriesOf, type Position, type Slice } from '../../../../src/money/ledger/wallet-entries';
import { testAdminUrl } from '../../../setup/environment';
import { Bank } from './place';

let bank: Bank;
beforeAll(async () => {
  bank = await Bank.open();
});
afterAll(() => bank.database.close());

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

/** Rows of ledger transfers that a page touches, as Postgres counts them. */
function touched(plan: Plan): number {
  const own =
    plan['Relation Name'] === 'ledger_transfers'
      ? (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
      : 0;
  return own + (plan.Plans ?? []).reduce((sum, inner) => sum + touched(inner), 0);
}

test('a page of a long account touches no more entries than it shows, wherever it lies', async () => {
  const customerId = await bank.saver(1_000_000n);
  const count = 30_000;
  const admin = openAdmin(testAdminUrl());
  await generateEntries(admin, { tenantId: bank.tenantId, customerId, count })
    .then(() => admin.raw('ANALYZE ledger_transfers'))
    .finally(() => admin.destroy());
  const accounts = await bank.database.tenant(bank.tenantId, (trx) =>
    accountsOfWallet(trx, { customerId, currency: 'EUR' }),
  );
  const limit = 101;
  const { lastId, middle } = await bank.database.tenant(bank.tenantId, async (trx) => {
    const all = await entriesOf(trx, { accounts, lastId: MAX, limit: count + 10, order: 'newest' });
    expect(all).toHaveLength(count + 1);
    return { lastId: all[0]!.id, middle: all[count / 2]! as Position };
  });
  const rowsOf = (slice: Partial<Slice>) =>
    bank.database.tenant(bank.tenantId, async (trx) => {
      // The very statement of a page, explained in place of its answer.
      const explaining = {
        raw: (sql: string, bindings: Knex.RawBinding[]) => trx.raw(`EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`, bindings),
      } as unknown as Knex.Transaction;
      const [explained] = await entriesOf(explaining, { accounts, lastId, limit, ...slice });
      const [{ Plan: plan }] = (explained as unknown as { 'QUERY PLAN': [{ Plan: Plan }] })['QUERY PLAN'];
      return touched(plan);
    });
  const pages = [
    { order: 'newest' },
    { order: 'newest', until: middle },
    { order: 'oldest', from: middle },
    { order: 'newest', direction: 'debit', until: middle },
    { order: 'newest', direction: 'credit', from: { at: new Date(0), id: 0n }, until: middle },
  ] satisfies Partial<Slice>[];
  // Each side of the account is read up to the page's size.
  for (const page of pages) expect(await rowsOf(page)).toBeLessThanOrEqual(2 * limit);
});

const MAX = 2n ** 62n;
