import { newId } from '../../../../src/domain/ids';
import { openDatabase, violates } from '../../../../src/foundation/db/database';
import { openAdmin } from '../../../../src/foundation/db/migrate';
import type { LedgerCause } from '../../../../src/money/ledger/causes';
import { Ledger, type Movement } from '../../../../src/money/ledger/ledger';
import { testAdminUrl, testLogins } from '../../../setup/environment';

const database = openDatabase(testLogins(), 24, 'test-ledger', 30_000);
const ledger = new Ledger();
let tenantId: string;

beforeEach(async () => {
  tenantId = newId('tenant');
  await database.system('tenants').insert({ id: tenantId, name: 'Ledger test' });
});
afterAll(() => database.close());

const wallet = (owner: string) => ({ kind: 'customer_wallet' as const, owner });
const bank = { kind: 'bank_clearing' as const, owner: 'a' };
let causes = 0;
const posted = (
  debit: Movement['debit'],
  credit: Movement['credit'],
  amountMinor: bigint,
  cause = `c${causes++}`,
): Movement => ({
  phase: 'posted',
  debit,
  credit,
  amountMinor,
  cause: cause as LedgerCause,
});
const book = (...movements: Movement[]) =>
  database.tenant(tenantId, (trx) => ledger.book(trx, tenantId, 'EUR', movements));
const balances = async () =>
  database.tenant(tenantId, (trx) =>
    trx('ledger_balances as b')
      .join('ledger_accounts as a', 'a.id', 'b.account_id')
      .orderBy('owner')
      .select('owner', 'posted_minor', 'held_minor'),
  );
const total = async () => {
  const rows = await database.tenant(tenantId, (trx) =>
    trx('ledger_entries').sum({ sum: 'signed_minor' }).count({ count: '*' }),
  );
  return { sum: BigInt(rows[0]!.sum ?? 0), count: Number(rows[0]!.count) };
};

test('money moves and the books balance', async () => {
  await book(posted(bank, wallet('ann'), 1000n));
  await book(posted(wallet('ann'), wallet('bob'), 300n));
  expect(await balances()).toEqual([
    { owner: 'ann', posted_minor: 700n, held_minor: 0n },
    { owner: 'bob', posted_minor: 300n, held_minor: 0n },
  ]);
  expect(await total()).toEqual({ sum: 0n, count: 4 });
});

test('a wallet never falls below zero, however many spend at once', async () => {
  await book(posted(bank, wallet('ann'), 1000n));
  const spends = await Promise.allSettled(
    Array.from({ length: 40 }, (_, n) => book(posted(wallet('ann'), wallet(`shop${n % 4}`), 100n))),
  );
  const refused = spends.filter((spend) => spend.status === 'rejected');
  expect(spends.length - refused.length).toBe(10);
  expect(refused.every((spend) => violates(spend.reason, 'ledger_balances_covered'))).toBe(true);
  expect((await balances()).find((row) => row.owner === 'ann')).toMatchObject({ posted_minor: 0n });
});

test('opposite movements do not wait for each other', async () => {
  await book(posted(bank, wallet('ann'), 5000n), posted(bank, wallet('bob'), 5000n));
  await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      n % 2 ? book(posted(wallet('ann'), wallet('bob'), 10n)) : book(posted(wallet('bob'), wallet('ann'), 10n)),
    ),
  );
  expect(await balances()).toMatchObject([{ posted_minor: 5000n }, { posted_minor: 5000n }]);
});

test('a cause is booked once', async () => {
  await book(posted(bank, wallet('ann'), 1000n, 'once'));
  await expect(book(posted(bank, wallet('ann'), 1000n, 'once'))).rejects.toMatchObject({
    constraint: 'ledger_transfers_cause_once',
  });
  expect(await balances()).toMatchObject([{ posted_minor: 1000n }]);
});

test('a hold is covered, posted in part, and ended once', async () => {
  await book(posted(bank, wallet('ann'), 1000n));
  const hold: Movement = {
    phase: 'pending',
    debit: wallet('ann'),
    credit: wallet('bob'),
    amountMinor: 800n,
    cause: 'h' as LedgerCause,
  };
  const end = (phase: 'post' | 'void', amountMinor: bigint, cause: string): Movement => ({
    phase,
    debit: wallet('ann'),
    credit: wallet('bob'),
    amountMinor,
    cause: cause as LedgerCause,
    pendingCause: 'h' as LedgerCause,
  });
  await book(hold);
  expect(await balances()).toMatchObject([{ posted_minor: 1000n, held_minor: 800n }, { posted_minor: 0n }]);
  await expect(book(posted(wallet('ann'), wallet('bob'), 300n))).rejects.toMatchObject({
    constraint: 'ledger_balances_covered',
  });
  await expect(book(end('post', 900n, 'too much'))).rejects.toThrow(/does not fit/);
  await expect(book({ ...end('post', 1n, 'unknown'), pendingCause: 'nothing' } as Movement)).rejects.toThrow();
  await book(end('post', 500n, 'p'));
  expect(await balances()).toMatchObject([{ posted_minor: 500n, held_minor: 0n }, { posted_minor: 500n }]);
  await expect(book(end('void', 800n, 'v'))).rejects.toMatchObject({ constraint: 'ledger_transfers_resolved_once' });
  expect((await total()).sum).toBe(0n);
});

test('all of a movement is booked or nothing of it', async () => {
  await expect(
    book(posted(bank, wallet('ann'), 100n), posted(wallet('ann'), wallet('bob'), 200n)),
  ).rejects.toMatchObject({
    constraint: 'ledger_balances_covered',
  });
  expect(await total()).toEqual({ sum: 0n, count: 0 });
});

test('hot accounts are not locked: two open transactions book on the same one', async () => {
  await book(posted(bank, { kind: 'merchant_payable', owner: 'shop' }, 1n));
  let release!: () => void;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let first!: () => void;
  const firstBooked = new Promise<void>((resolve) => {
    first = resolve;
  });
  const slow = database.tenant(tenantId, async (trx) => {
    await ledger.book(trx, tenantId, 'EUR', [posted(bank, { kind: 'merchant_payable', owner: 'shop' }, 2n)]);
    first();
    await held;
  });
  await firstBooked;
  await book(posted(bank, { kind: 'merchant_payable', owner: 'shop' }, 3n));
  release();
  await slow;
  expect((await total()).count).toBe(6);
});

describe('the database itself refuses', () => {
  let accountIds: bigint[];
  beforeEach(async () => {
    await book(posted(bank, wallet('ann'), 100n));
    accountIds = await database.tenant(tenantId, (trx) => trx('ledger_accounts').orderBy('kind').pluck('id'));
  });

  test.each([
    'UPDATE ledger_transfers SET amount_minor = 1',
    'DELETE FROM ledger_transfers',
    'TRUNCATE ledger_transfers CASCADE',
  ])('as the application: %s', async (sql) => {
    await expect(database.tenant(tenantId, (trx) => trx.raw(sql))).rejects.toMatchObject({ code: '42501' });
  });

  test.each([
    'UPDATE ledger_transfers SET amount_minor = 1',
    'DELETE FROM ledger_transfers',
    'TRUNCATE ledger_transfers CASCADE',
  ])('even as the owner of the schema: %s', async (sql) => {
    const admin = openAdmin(testAdminUrl());
    try {
      await expect(admin.raw(sql)).rejects.toThrow(/append-only/);
    } finally {
      await admin.destroy();
    }
  });

  test('a change of a balance beside the entries', async () => {
    await expect(
      database.tenant(tenantId, (trx) => trx('ledger_balances').update({ posted_minor: 1_000_000 })),
    ).rejects.toMatchObject({ code: '42501' });
  });

  test('a transfer between two currencies, or one that lies about its account', async () => {
    await database.tenant(tenantId, (trx) => ledger.book(trx, tenantId, 'USD', [posted(bank, wallet('ann'), 5n)]));
    const usd = await database.tenant(tenantId, (trx) =>
      trx('ledger_accounts').where({ currency: 'USD', guarded: true }).first(),
    );
    const row = {
      tenant_id: tenantId,
      currency: 'EUR',
      debit_account_id: accountIds[0],
      debit_guarded: false,
      credit_account_id: usd.id,
      credit_guarded: true,
      amount_minor: 1,
      phase: 'posted',
      cause: 'cross',
    };
    await expect(database.tenant(tenantId, (trx) => trx('ledger_transfers').insert(row))).rejects.toMatchObject({
      code: '23503',
    });
    const lie = { ...row, credit_account_id: accountIds[1], credit_guarded: false, cause: 'lie' };
    await expect(database.tenant(tenantId, (trx) => trx('ledger_transfers').insert(lie))).rejects.toMatchObject({
      code: '23503',
    });
  });

  test('zero and negative amounts, and an account paying itself', async () => {
    await expect(book(posted(bank, wallet('ann'), 0n))).rejects.toMatchObject({ code: '23514' });
    await expect(book(posted(bank, wallet('ann'), -1n))).rejects.toMatchObject({ code: '23514' });
    await expect(book(posted(bank, bank, 1n))).rejects.toMatchObject({ code: '23514' });
  });

  test('another tenant to see or book anything', async () => {
    const stranger = newId('tenant');
    await database.system('tenants').insert({ id: stranger, name: 'Stranger' });
    const seen = await database.tenant(stranger, (trx) => trx('ledger_transfers').select());
    expect(seen).toEqual([]);
    await expect(
      database.tenant(stranger, (trx) =>
        trx('ledger_accounts').insert({
          tenant_id: tenantId,
          currency: 'EUR',
          kind: 'tenant',
          owner: 'x',
          guarded: false,
        }),
      ),
    ).rejects.toMatchObject({ code: '42501' });
    expect(await database.app('ledger_transfers').select()).toEqual([]);
  });
});
