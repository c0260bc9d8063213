import knexFactory from 'knex';
import { bodyOf } from '../../../../src/api/account-information/body';
import { incomingOf, walletOf } from '../../../../src/money/ledger/accounts';
import type { Access } from '../../../../src/open-banking/account-information/access';
import type { StatementInformation } from '../../../../src/open-banking/account-information/statements';
import { expectPublished } from '../../../interop/obie-3.1.11/published';
import { testAdminUrl } from '../../../setup/environment';
import { Bank, EVERYTHING, processor } from './place';

const PAGE = { limit: 100 };
const DAY_MS = 86_400_000;

/** The beginning of a month, so many ago. */
const month = (ago: number) => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago));
};
const after = (start: Date, days: number) => new Date(start.getTime() + days * DAY_MS);
const nameOf = (start: Date) => start.toISOString().slice(0, 7);

let bank: Bank;
const admin = knexFactory({ client: 'pg', connection: testAdminUrl(), pool: { min: 0, max: 1 } });
beforeAll(async () => {
  bank = await Bank.open();
});
afterAll(() => Promise.all([bank.database.close(), admin.destroy()]));

const id = ({ accounts: [account] }: Access) => String(account!.account_id);
const without = (...names: string[]) => EVERYTHING.filter((name) => !names.includes(name));

/** 10.00 two months ago; 3.00 out and 0.50 in a month ago; 0.07 in now, of which 0.02 is still to come. */
async function saver(changes: Partial<Access> = {}): Promise<Access> {
  const ann = await bank.customer();
  const wallet = walletOf(ann);
  await bank.book([bank.moved(processor, wallet, 1_000n)]);
  await bank.book([bank.moved(wallet, processor, 300n)]);
  await bank.book([bank.moved(processor, wallet, 50n)]);
  await bank.book([bank.moved(processor, wallet, 5n)]);
  await bank.book([bank.moved(processor, incomingOf(ann), 2n)]);
  // What moves between the customer's own accounts is neither credit nor debit.
  await bank.book([bank.moved(incomingOf(ann), wallet, 2n)]);
  const access = await bank.access(ann, changes);
  const times = [after(month(2), 5), after(month(1), 1), after(month(1), 2)];
  await admin.transaction(async (trx) => {
    await trx.raw('SET LOCAL session_replication_role = replica');
    const entries: bigint[] = await trx('ledger_transfers')
      .where((own) => own.where('debit_account_id', id(access)).orWhere('credit_account_id', id(access)))
      .orderBy('id')
      .pluck('id');
    for (const [n, booked_at] of times.entries())
      await trx('ledger_transfers').where({ id: entries[n] }).update({ booked_at });
    await trx('ledger_accounts')
      .where({ id: id(access) })
      .update({ created_at: after(month(2), 4) });
  });
  return access;
}

function published(path: string, name: string, items: object[]) {
  const asked = { base: 'https://127.0.0.1:8443', path: path.replace(/[{}]/g, '') };
  expectPublished('account-info', `GET /accounts/{AccountId}${path}`, 200, bodyOf(asked, { [name]: items }));
}

/** The sums of a statement in the order in which they are told. */
const sumsOf = ({ StatementAmount }: StatementInformation) =>
  StatementAmount?.map(({ Type, Amount }) => [Type.replace('UK.OBIE.', ''), Amount.Amount]);
const sums = (starting: string, credits: string, debits: string, closing: string) => [
  ['StartingBalance', starting],
  ['TotalCredits', credits],
  ['TotalDebits', debits],
  ['ClosingBalance', closing],
];

test('one for each month since the account was opened, with the sums of the ledger', async () => {
  const access = await saver();
  const { items } = await bank.service.statements(access, id(access), PAGE);
  published('/statements', 'Statement', items);
  expect(items.map(({ StatementId }) => StatementId)).toEqual([month(0), month(1), month(2)].map(nameOf));
  expect(items.map(sumsOf)).toEqual([
    sums('7.50', '0.07', '0.00', '7.57'),
    sums('10.00', '0.50', '3.00', '7.50'),
    sums('0.00', '10.00', '0.00', '10.00'),
  ]);
  expect(items[0]).toMatchObject({ Type: 'Interim', StartDateTime: month(0).toISOString() });
  expect(items[2]).toMatchObject({
    AccountId: id(access),
    Type: 'RegularPeriodic',
    StartDateTime: month(2).toISOString(),
    EndDateTime: month(1).toISOString(),
  });
  const [, booked] = await bank.service.balances(access, id(access));
  expect(sumsOf(items[0]!)!.at(-1)![1]).toBe(booked!.Amount.Amount);
  const one = await bank.service.statement(access, id(access), nameOf(month(1)));
  expect(one).toEqual(items[1]);
  published('/statements/{StatementId}', 'Statement', [one]);
});

test('basic tells no sum', async () => {
  const access = await saver();
  const basic = { ...access, permissions: [...without('ReadStatementsDetail'), 'ReadStatementsBasic'] };
  const { items } = await bank.service.statements(basic, id(access), PAGE);
  expect(items).toHaveLength(3);
  for (const item of items) expect(item).not.toHaveProperty('StatementAmount');
  published('/statements', 'Statement', items);
});

test('a month that is not shared in whole is not told of', async () => {
  const from = { sharingFrom: after(month(1), 1) };
  const shared = await saver(from);
  expect((await bank.service.statements(shared, id(shared), PAGE)).items.map(({ StatementId }) => StatementId)).toEqual(
    [nameOf(month(0))],
  );
  const until = await saver({ sharingTo: after(month(1), 3) });
  expect((await bank.service.statements(until, id(until), PAGE)).items.map(({ StatementId }) => StatementId)).toEqual([
    nameOf(month(2)),
  ]);
  for (const [access, hidden] of [
    [shared, month(1)],
    [until, month(1)],
  ] as const)
    for (const work of [
      bank.service.statement(access, id(access), nameOf(hidden)),
      bank.service.statementTransactions(access, id(access), nameOf(hidden), PAGE),
    ])
      await expect(work).rejects.toMatchObject({ code: 'not_found' });
});

test('page by page, with filters', async () => {
  const access = await saver();
  const all = (await bank.service.statements(access, id(access), PAGE)).items.slice(1);
  const asked = { from: month(2), to: month(0) };
  const first = await bank.service.statements(access, id(access), { limit: 1, ...asked });
  const second = await bank.service.statements(access, id(access), { limit: 1, ...asked, cursor: first.next });
  expect([...first.items, ...second.items]).toEqual(all);
  expect(second.next).toBeUndefined();
  const one = { from: month(1), to: month(0) };
  expect((await bank.service.statements(access, id(access), { ...PAGE, ...one })).items).toEqual([all[0]]);
  for (const wrong of [
    { limit: 1, ...one, cursor: first.next },
    { limit: 1, from: month(0), to: month(1) },
  ])
    await expect(bank.service.statements(access, id(access), wrong)).rejects.toMatchObject({ code: 'invalid_request' });
});

test('the entries of a statement are those of its month', async () => {
  const access = await saver();
  const idsOf = async (start: Date, page = PAGE) =>
    (await bank.service.statementTransactions(access, id(access), nameOf(start), page)).items;
  const all = (await bank.service.transactions(access, id(access), PAGE)).items;
  published('/statements/{StatementId}/transactions', 'Transaction', await idsOf(month(1)));
  expect(await idsOf(month(2))).toEqual(all.slice(-1));
  expect(await idsOf(month(1))).toEqual(all.slice(-3, -1));
  expect(await idsOf(month(0))).toEqual(all.slice(0, -3));
  // Of the month that is running too, each page goes on where the last one ended.
  const first = await bank.service.statementTransactions(access, id(access), nameOf(month(0)), { limit: 1 });
  const more = { limit: 100, cursor: first.next };
  const rest = await bank.service.statementTransactions(access, id(access), nameOf(month(0)), more);
  expect([...first.items, ...rest.items]).toEqual(all.slice(0, -3));
});

test('what the consent does not show, and a fifth reading without the customer', async () => {
  const access = await saver();
  const name = nameOf(month(1));
  const { service } = bank;
  const blind = { ...access, permissions: without('ReadStatementsDetail') };
  const halfBlind = { ...access, permissions: without('ReadTransactionsDetail') };
  for (const work of [
    service.statements(blind, id(access), PAGE),
    service.statement(blind, id(access), name),
    service.statementTransactions(blind, id(access), name, PAGE),
    service.statementTransactions(halfBlind, id(access), name, PAGE),
  ])
    await expect(work).rejects.toMatchObject({ code: 'forbidden' });
  for (const unknown of ['2020-01', '9999-12', 'latest', "2020-01'"])
    await expect(service.statement(access, id(access), unknown)).rejects.toMatchObject({ code: 'not_found' });
  const alone = { ...access, customerPresent: false };
  for (let reading = 0; reading < 2; reading += 1) {
    await service.statements(alone, id(access), PAGE);
    await service.statement(alone, id(access), name);
  }
  await expect(service.statements(alone, id(access), PAGE)).rejects.toMatchObject({ code: 'rate_limited' });
});
