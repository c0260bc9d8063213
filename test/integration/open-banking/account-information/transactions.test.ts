import fc from 'fast-check';
import { newId } from '../../../../src/domain/ids';
import { feeIncomeOf, incomingOf, walletOf } from '../../../../src/money/ledger/accounts';
import type { Access } from '../../../../src/open-banking/account-information/access';
import type { TransactionInformation } from '../../../../src/open-banking/account-information/transactions';
import { Bank, EVERYTHING, processor } from './place';

let bank: Bank;
beforeAll(async () => {
  bank = await Bank.open();
});
afterAll(() => bank.database.close());

const without = (...names: string[]) => EVERYTHING.filter((name) => !names.includes(name));
const id = ({ accounts: [account] }: Access) => String(account!.account_id);

/** Reads from the first page to the last; `between` runs after each page. */
async function pages(access: Access, limit: number, { between = async () => {}, ...filters } = {} as Filters) {
  const read: Awaited<ReturnType<typeof bank.service.transactions>>[] = [];
  let cursor: string | undefined;
  do {
    const page = await bank.service.transactions(access, id(access), { limit, cursor, ...filters });
    read.push(page);
    cursor = page.next;
    await between();
  } while (cursor);
  return read;
}
interface Filters {
  between?: () => Promise<unknown>;
  from?: Date;
  to?: Date;
}
const all = async (access: Access, filters?: Filters) =>
  (await pages(access, 1_000, filters)).flatMap(({ items }) => items);
const ids = (items: TransactionInformation[]) => items.map(({ TransactionId }) => TransactionId);

test('an entry in detail: the other side, the note, the balance that it left behind', async () => {
  const [ann, bob] = [await bank.saver(10_000n), await bank.saver(500n)];
  const transfer = newId('transfer');
  await bank.database.tenant(bank.tenantId, (trx) =>
    trx('p2p_transfers').insert({
      id: transfer,
      tenant_id: bank.tenantId,
      sender_id: ann,
      recipient_id: bob,
      currency: 'EUR',
      amount_minor: 1_250,
      fee_minor: 30,
      fee_payer: 'sender',
      note: 'Rent for May',
      status: 'settled',
      status_detail: 'Settled.',
      moved_by: ann,
      settled_at: new Date(),
    }),
  );
  await bank.book([
    bank.moved(walletOf(ann), walletOf(bob), 1_250n, `${transfer}/settle`),
    bank.moved(walletOf(ann), feeIncomeOf(bank.tenantId), 30n, `${transfer}/fee`),
  ]);
  const [access, other] = [await bank.access(ann), await bank.access(bob)];
  const [fee, sent, topup] = await all(access);
  expect(sent).toEqual({
    AccountId: id(access),
    TransactionId: expect.stringMatching(new RegExp(`^${id(access)}-\\d+$`)),
    TransactionReference: transfer,
    CreditDebitIndicator: 'Debit',
    Status: 'Booked',
    TransactionMutability: 'Immutable',
    BookingDateTime: expect.stringMatching(/Z$/),
    ValueDateTime: sent!.BookingDateTime,
    Amount: { Amount: '12.50', Currency: 'EUR' },
    BankTransactionCode: { Code: 'IssuedCreditTransfers', SubCode: 'InternalBookTransfer' },
    ProprietaryBankTransactionCode: { Code: 'Transfer', Issuer: 'Tillway' },
    TransactionInformation: 'Rent for May',
    Balance: { CreditDebitIndicator: 'Credit', Type: 'InterimBooked', Amount: { Amount: '87.50', Currency: 'EUR' } },
    CreditorAccount: { SchemeName: 'UK.OBIE.IBAN', Identification: other.accounts[0]!.iban },
  });
  expect(fee).toMatchObject({ TransactionInformation: 'Fee', Balance: { Amount: { Amount: '87.20' } } });
  expect(topup).toMatchObject({ CreditDebitIndicator: 'Credit', Balance: { Amount: { Amount: '100.00' } } });
  const [received] = await all(other);
  expect(received).toMatchObject({
    CreditDebitIndicator: 'Credit',
    BankTransactionCode: { Code: 'ReceivedCreditTransfers' },
    DebtorAccount: { Identification: access.accounts[0]!.iban },
  });
  expect(received!.TransactionId).not.toBe(sent!.TransactionId);

  const basic = await all({ ...access, permissions: [...without('ReadTransactionsDetail'), 'ReadTransactionsBasic'] });
  expect(basic).toHaveLength(3);
  for (const entry of basic) {
    expect(entry).not.toHaveProperty('TransactionInformation');
    expect(entry).not.toHaveProperty('Balance');
    expect(entry).not.toHaveProperty('CreditorAccount');
  }
});

test('credits and debits: what the consent does not show is in no page, and gives no balance away', async () => {
  const ann = await bank.saver(1_000n);
  for (let n = 0; n < 3; n += 1) await bank.book([bank.moved(walletOf(ann), processor, 10n)]);
  const access = await bank.access(ann);
  const credits = await all({ ...access, permissions: without('ReadTransactionsDebits') });
  const debits = await all({ ...access, permissions: without('ReadTransactionsCredits') });
  expect(credits.map(({ CreditDebitIndicator }) => CreditDebitIndicator)).toEqual(['Credit']);
  expect(debits.map(({ CreditDebitIndicator }) => CreditDebitIndicator)).toEqual(['Debit', 'Debit', 'Debit']);
  expect([...credits, ...debits].filter((entry) => 'Balance' in entry)).toEqual([]);
  const neither = { ...access, permissions: without('ReadTransactionsCredits', 'ReadTransactionsDebits') };
  await expect(all(neither)).rejects.toMatchObject({ code: 'forbidden' });
  const nothing = { ...access, permissions: without('ReadTransactionsDetail') };
  await expect(all(nothing)).rejects.toMatchObject({ code: 'forbidden' });
});

test('filters include both ends, and sharing dates trim them', async () => {
  const ann = await bank.saver(1_000n);
  for (let n = 0; n < 4; n += 1) {
    await bank.book([bank.moved(walletOf(ann), processor, 1n)]);
    // The next entry gets a later millisecond.
    const { at } = await bank.database.system.raw('SELECT clock_timestamp() AS at').then(({ rows }) => rows[0]);
    while (Date.now() <= at.getTime() + 1) await new Promise(setImmediate);
  }
  const access = await bank.access(ann);
  const newestFirst = await all(access);
  const times = newestFirst.map(({ BookingDateTime }) => new Date(BookingDateTime));
  const [t4, t3, t2, t1] = times as [Date, Date, Date, Date, Date];
  const between = async (filters: Filters, changes: Partial<Access> = {}) =>
    ids(await all({ ...access, ...changes }, filters));
  const part = (from: number, to: number) => ids(newestFirst.slice(from, to + 1));
  expect(await between({ from: t3 })).toEqual(part(0, 1));
  expect(await between({ to: t2 })).toEqual(part(2, 4));
  expect(await between({ from: t2, to: t3 })).toEqual(part(1, 2));
  expect(await between({}, { sharingFrom: t3, sharingTo: t3 })).toEqual(part(1, 1));
  expect(await between({ from: t1, to: t4 }, { sharingFrom: t2, sharingTo: t3 })).toEqual(part(1, 2));
  expect(await between({ from: t4, to: t4 }, { sharingTo: t2 })).toEqual([]);
  await expect(between({ from: t4, to: t1 })).rejects.toMatchObject({ code: 'invalid_request' });
});

test('pages together are all entries of the reading, none twice, in both directions, while others book', async () => {
  const bob = await bank.saver(100_000n);
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 40 }),
      fc.integer({ min: 1, max: 12 }),
      fc.boolean(),
      async (entries, limit, others) => {
        const ann = await bank.saver(100_000n);
        for (let n = 0; n < entries; n += 1)
          await bank.book(
            n % 3 === 0
              ? [bank.moved(processor, incomingOf(ann), 5n), bank.moved(walletOf(ann), walletOf(bob), 2n)]
              : [bank.moved(n % 3 === 1 ? incomingOf(ann) : walletOf(ann), feeIncomeOf(bank.tenantId), 1n)],
          );
        const access = await bank.access(ann);
        const before = ids(await all(access));
        const book = () =>
          Promise.all([
            bank.book([bank.moved(walletOf(ann), walletOf(bob), 1n)]),
            bank.book([bank.moved(walletOf(bob), walletOf(ann), 1n)]),
            bank.book([bank.moved(processor, incomingOf(ann), 1n)]),
          ]);
        const read = await pages(access, limit, others ? { between: book } : {});
        expect(read.flatMap(({ items }) => ids(items))).toEqual(before);
        expect(read.slice(0, -1).every(({ items }) => items.length === limit)).toBe(true);
        // Back from the last page: the same pages.
        let cursor = read.at(-1)!.prev;
        for (const page of read.slice(0, -1).reverse()) {
          const back = await bank.service.transactions(access, id(access), { limit, cursor });
          expect(ids(back.items)).toEqual(ids(page.items));
          expect(back.next).toBeDefined();
          cursor = back.prev;
        }
        expect(cursor).toBeUndefined();
        const first = await bank.service.transactions(access, id(access), { limit, cursor: read.at(-1)!.first });
        expect(ids(first.items)).toEqual(ids(read[0]!.items));
      },
    ),
    { numRuns: 12 },
  );
});

test('an entry that is booked while the first page is read is before it or after it, never among later pages', async () => {
  const ann = await bank.saver(100_000n);
  const access = await bank.access(ann);
  let isDone = false;
  const booking = Promise.all(
    Array.from({ length: 6 }, async (_, n) => {
      for (let turn = 0; turn < 15; turn += 1)
        await bank.book([bank.moved(n % 2 ? processor : walletOf(ann), n % 2 ? incomingOf(ann) : processor, 1n)]);
    }),
  ).finally(() => {
    isDone = true;
  });
  const readings: string[][] = [];
  while (!isDone) readings.push((await pages(access, 7)).flatMap(({ items }) => ids(items)));
  await booking;
  const whole = ids(await all(access));
  expect(whole).toHaveLength(91);
  expect(readings.length).toBeGreaterThan(1);
  // What was read is what there is now, without what came later.
  for (const reading of readings) expect(reading).toEqual(whole.slice(whole.length - reading.length));
});

test('a cursor is good for its consent, account and filters, as it was made', async () => {
  const [ann, bob] = [await bank.saver(1_000n), await bank.saver(1_000n)];
  for (let n = 0; n < 3; n += 1) await bank.book([bank.moved(walletOf(ann), walletOf(bob), 1n)]);
  const [access, others, same] = [await bank.access(ann), await bank.access(bob), await bank.access(ann)];
  const { next } = await bank.service.transactions(access, id(access), { limit: 2 });
  const read = (by: Access, cursor: string, filters = {}) =>
    bank.service.transactions(by, id(by), { limit: 2, cursor, ...filters });
  expect((await read(access, next!)).items).toHaveLength(2);
  const altered = `${next!.slice(0, -2)}${next!.endsWith('AA') ? 'BB' : 'AA'}`;
  for (const refused of [
    () => read(others, next!),
    () => read(same, next!),
    () => read(access, next!, { from: new Date(0) }),
    () => read(access, altered),
    () => read(access, ''),
    () => read(access, 'x'.repeat(5_000)),
  ])
    await expect(refused()).rejects.toMatchObject({ code: 'invalid_request' });
});
