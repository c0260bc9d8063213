import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { BankStatements } from '../../../../src/commerce/bank-statements/upload';
import type { BankReturnRow } from '../../../../src/commerce/bank-transfers/return';
import { printedReference } from '../../../../src/domain/creditor-reference';
import { outOfSuspense } from '../../../../src/money/suspense/bookings';
import { ADMIN, ANOTHER, entry, type Line, PAYER_IBAN, World } from './world';

/** The file has more than 100 MB, and a tree of it would take a multiple. */
const MOST_MEMORY = 30_000_000;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** What is still needed, in bytes. */
function memoryInUse(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

let world: World;
let account: { id: string; iban: string };

beforeAll(async () => {
  world = await World.open('bank-transfers');
});
afterAll(() => world.close());
beforeEach(async () => {
  world.inquiry = () => ({ kind: 'not_found' });
  world.sending = ({ money }) => ({ kind: 'settled', processorReference: 'ts_1', money });
  account = await world.account();
});
afterEach(async () => expect(await world.findings()).toEqual([]));

const hear = (...lines: Line[]) => world.hear(world.camt(account.iban, lines));
const entriesOf = (paymentId: string) =>
  world.database.system('bank_entries').where({ payment_id: paymentId }).orderBy('id');
const returnsOf = (paymentId: string): Promise<BankReturnRow[]> =>
  world.database.system('bank_returns').where({ payment_id: paymentId }).orderBy('id');
const reportsOf = (paymentId: string) =>
  world.database.system('callback_inbox').where({ reference: paymentId, processor: 'bank' }).pluck('type');
const mismatchOf = async (text: string) =>
  (await world.database.system('unmatched_transfers').where({ remittance_text: text }).first())?.mismatch;

/** Has everything that goes back sent, until nothing is due. */
async function sendAll(): Promise<void> {
  while ((await world.sendReturns()) > 0);
}

describe('a transfer with the right reference', () => {
  test('pays its payment, which is captured, settled, and in the books of the account', async () => {
    const { payment_id: id, reference } = await world.request();
    expect(await hear({ amount: '10.00', reference })).toEqual({ matched: 1 });
    expect(await world.requestOf(id)).toMatchObject({ status: 'paid', received_minor: 1_000n });
    expect(await reportsOf(id)).toEqual(['transfer_received']);
    await world.capture(id);
    expect(await world.settle()).toBe(1);
    expect(await world.settle()).toBe(0);
    expect(await world.database.system('payments').where({ id }).first('status')).toEqual({ status: 'settled' });
    expect(await returnsOf(id)).toEqual([]);
  });

  test.each<[string, (reference: string) => Line]>([
    [
      'with spaces, in lower case, among words',
      (reference) => ({ amount: '10.00', text: `order 1: ${printedReference(reference).toLowerCase()} thanks` }),
    ],
    ['as its structured reference', (reference) => ({ amount: '10.00', reference: printedReference(reference) })],
  ])('is found %s', async (_name, line) => {
    const { payment_id: id, reference } = await world.request();
    expect(await hear(line(reference))).toEqual({ matched: 1 });
    expect(await world.requestOf(id)).toMatchObject({ status: 'paid' });
  });

  test('in parts: the payer is asked for the rest', async () => {
    const { payment_id: id, reference } = await world.request();
    await hear({ amount: '4.00', reference });
    const standing = await world.bank.inquirePayment(id);
    expect(standing).toMatchObject({
      kind: 'payer_action',
      detail: '4.00 EUR of 10.00 EUR arrived; waiting for the rest.',
    });
    expect(standing.kind === 'payer_action' && standing.action.fields).toMatchObject({
      amount: '6.00',
      iban: account.iban,
    });
    await hear({ amount: '6.00', reference });
    expect(await world.bank.inquirePayment(id)).toMatchObject({ kind: 'captured', money: { amountMinor: 1_000n } });
    await world.capture(id);
  });

  test('too much: the rest goes back, once; what comes after goes back whole', async () => {
    const { payment_id: id, reference } = await world.request();
    expect(await hear({ amount: '12.50', reference }, { amount: '3.00', reference })).toEqual({
      matched: 1,
      returned: 1,
    });
    await world.capture(id);
    await Promise.all([sendAll(), sendAll()]);
    const back = (await returnsOf(id)).map(({ kind, amount_minor, status }) => [kind, amount_minor, status]);
    expect(back).toEqual([
      ['excess', 250n, 'settled'],
      ['excess', 300n, 'settled'],
    ]);
    const sent = world.sent.filter(({ reference: own }) => own.startsWith('btr_')).slice(-2);
    expect(sent.map(({ beneficiary }) => beneficiary)).toEqual(Array(2).fill({ iban: PAYER_IBAN, holder: 'A Payer' }));
  });

  test('too late: the payment flow hears of it, and gives it back', async () => {
    const { payment_id: id, reference } = await world.request();
    await hear({ amount: '4.00', reference });
    expect(await world.bank.void({ reference: id, idempotencyKey: 'v' })).toMatchObject({ kind: 'voided' });
    expect(await world.bank.void({ reference: id, idempotencyKey: 'v' })).toMatchObject({ kind: 'voided' });
    expect((await returnsOf(id)).map(({ kind, amount_minor }) => [kind, amount_minor])).toEqual([['part', 400n]]);
    expect(await hear({ amount: '10.00', reference })).toEqual({ returned: 1 });
    expect((await entriesOf(id)).map(({ status }) => status)).toEqual(['counted', 'late']);
    expect(await world.bank.inquirePayment(id)).toMatchObject({ kind: 'captured', money: { amountMinor: 1_000n } });
    expect(await reportsOf(id)).toHaveLength(2);
    const refund = {
      idempotencyKey: 'r',
      paymentReference: id,
      refundReference: `rcp_${id}`,
      money: { amountMinor: 1_000n, currency: 'EUR' },
    };
    expect(await world.bank.refund(refund)).toMatchObject({ kind: 'pending' });
    await sendAll();
    expect(await world.bank.inquireRefund(`rcp_${id}`)).toMatchObject({ kind: 'refunded' });
  });

  test('once it is paid, it cannot be taken back', async () => {
    const { payment_id: id, reference } = await world.request();
    await hear({ amount: '10.00', reference });
    const answer = await world.bank.void({ reference: id, idempotencyKey: 'v' });
    expect(answer).toMatchObject({ kind: 'refused', standing: { kind: 'captured' } });
    await world.capture(id);
  });
});

describe('a transfer without one', () => {
  const mistyped = (reference: string) => `${reference.slice(0, -1)}${(Number(reference.at(-1)) + 1) % 10}`;
  const proposed = async () => (await world.proposals.list(world.tenant.tenantId, { limit: 50 }))[0]!;

  test('mistyped: a person confirms which payment it is', async () => {
    const { payment_id: id, reference } = await world.request();
    expect(await hear({ amount: '10.00', text: mistyped(reference) })).toEqual({ proposed: 1 });
    expect(await world.requestOf(id)).toMatchObject({ status: 'open', received_minor: 0n });
    const proposal = await proposed();
    expect(proposal).toMatchObject({ payment_id: id, proposal: expect.stringContaining(printedReference(reference)) });
    await world.proposals.confirm(world.tenant.tenantId, proposal.id, ADMIN);
    expect(await world.requestOf(id)).toMatchObject({ status: 'paid' });
    expect(await reportsOf(id)).toHaveLength(1);
    await expect(world.proposals.confirm(world.tenant.tenantId, proposal.id, ADMIN)).rejects.toMatchObject({
      code: 'invalid_state',
    });
    const [audit] = await world.database
      .system('audit_log')
      .where({ action: 'bank_transfer.confirm', target: proposal.id });
    expect(audit).toMatchObject({ actor: ADMIN.id, result: 'confirmed' });
    await world.capture(id);
  });

  test('two persons confirm it at once: it counts once', async () => {
    const { payment_id: id, reference } = await world.request();
    await hear({ amount: '10.00', text: mistyped(reference) });
    const { id: entryId } = await proposed();
    const confirm = (by: typeof ADMIN) => world.proposals.confirm(world.tenant.tenantId, entryId, by);
    const ends = await Promise.allSettled([confirm(ADMIN), confirm(ANOTHER)]);
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await world.requestOf(id)).toMatchObject({ received_minor: 1_000n });
    await world.capture(id);
  });

  test('above the limit it takes two persons', async () => {
    const { payment_id: id, reference } = await world.request(200_000n);
    await hear({ amount: '2000.00', text: mistyped(reference) });
    const { id: entryId } = await proposed();
    const confirm = (by: typeof ADMIN) => world.proposals.confirm(world.tenant.tenantId, entryId, by);
    expect(await confirm(ADMIN)).toMatchObject({ status: 'proposed', seconded_by: ADMIN.id });
    await expect(confirm(ADMIN)).rejects.toMatchObject({ code: 'forbidden' });
    expect(await confirm(ANOTHER)).toMatchObject({ status: 'counted' });
    expect(await world.requestOf(id)).toMatchObject({ status: 'paid' });
    await world.capture(id);
  });

  test('by amount and payer, where they tell one payment only', async () => {
    const { payment_id: id } = await world.request(1_234n, 'Anna Maria Example');
    expect(await hear({ amount: '12.34', text: 'order', payer: 'EXAMPLE ANNA MARIA' })).toEqual({ proposed: 1 });
    expect(await proposed()).toMatchObject({ payment_id: id });
    const { id: entryId } = await proposed();
    const reason = { reason: 'She pays something else' };
    expect(await world.proposals.reject(world.tenant.tenantId, entryId, reason, ADMIN)).toMatchObject({
      status: 'suspended',
    });
    expect(await mismatchOf('order')).toBe('no_payment');
    await world.request(1_234n, 'Anna Maria Example');
    expect(await hear({ amount: '12.34', text: 'another order', payer: 'Anna Maria Example' })).toEqual({
      unmatched: 1,
    });
  });

  test('unknown: into suspense, where an operator matches it or sends it back', async () => {
    const { payment_id: id } = await world.request();
    expect(await hear({ amount: '10.00', text: 'to match' }, { amount: '7.00', text: 'to return' })).toEqual({
      unmatched: 2,
    });
    const rows = await world.database
      .system('unmatched_transfers')
      .whereIn('remittance_text', ['to match', 'to return'])
      .orderBy('amount_minor');
    expect(rows.map(({ tenant_id, status }) => [tenant_id, status])).toEqual(
      Array(2).fill([world.tenant.tenantId, 'open']),
    );
    const [toReturn, toMatch] = rows.map(({ transfer_id }) => transfer_id);
    const transfers = world.bank.transfers!;
    expect(await transfers.inquire(toMatch)).toMatchObject({ kind: 'held' });
    const back = { transferId: toReturn, idempotencyKey: 'k', returnReference: 'utr_1-1' };
    expect([await transfers.giveBack(back), await transfers.giveBack(back)]).toMatchObject(
      Array(2).fill({ kind: 'returning' }),
    );
    await sendAll();
    expect(await transfers.inquire(toReturn)).toMatchObject({ kind: 'returned' });
    // As their flow books it.
    const { tenantId } = world.tenant;
    await world.database.system.transaction(async (trx) => {
      await world.ledger.book(trx, tenantId, 'EUR', outOfSuspense(rows[0], 'returned'));
      await trx('unmatched_transfers')
        .where({ id: rows[0].id })
        .update({ status: 'returned', decision: 'return', reason: 'r', decided_by: 'x', decided_at: new Date() });
    });
    const assign = { transferId: toMatch, idempotencyKey: 'k', paymentReference: id };
    expect([await transfers.assign(assign), await transfers.assign(assign)]).toMatchObject(
      Array(2).fill({ kind: 'assigned', paymentReference: id }),
    );
    await world.database.system.transaction(async (trx) => {
      await world.ledger.book(trx, tenantId, 'EUR', outOfSuspense(rows[1], 'matched'));
      await trx('unmatched_transfers').where({ id: rows[1].id }).update({
        status: 'matched',
        decision: 'match',
        payment_id: id,
        reason: 'r',
        decided_by: 'x',
        decided_at: new Date(),
      });
    });
    expect(await world.requestOf(id)).toMatchObject({ status: 'paid' });
    await world.capture(id);
  });

  test('two references tell nothing', async () => {
    const [one, other] = [await world.request(), await world.request()];
    expect(await hear({ amount: '20.00', text: `${one.reference} ${other.reference}` })).toEqual({ unmatched: 1 });
    expect(await mismatchOf(`${one.reference} ${other.reference}`)).toBe('several_payments');
  });
});

describe('the same movement in several files', () => {
  test('the same file, also at once, books once', async () => {
    const { payment_id: id, reference } = await world.request();
    const file = world.camt(account.iban, [{ amount: '10.00', reference }]);
    const uploads = await Promise.all([world.upload(file), world.upload(file), world.upload(file)]);
    expect(new Set(uploads.map(({ statements }) => statements[0]!.id)).size).toBe(1);
    expect(uploads.filter(({ isKnown }) => !isKnown)).toHaveLength(1);
    await Promise.all([world.book(), world.book(), world.book()]);
    expect(await world.requestOf(id)).toMatchObject({ received_minor: 1_000n });
    expect(await entriesOf(id)).toHaveLength(1);
    await world.capture(id);
  });

  test('first advised, then on the statement: the books agree with the bank before and after', async () => {
    const { payment_id: id, reference } = await world.request();
    await hear({ amount: '1.00', debit: true });
    const line = { amount: '10.00', reference, bank: 'B-1' };
    expect(await world.hear(world.camt(account.iban, [line], { form: 'camt.054' }))).toEqual({ matched: 1 });
    expect(await world.findings()).toEqual([]);
    expect(await hear(line, { amount: '2.00', debit: true })).toEqual({ known: 1, outgoing: 1 });
    await world.capture(id);
  });

  test('in another format, with and without the reference of the bank', async () => {
    const { payment_id: id, reference } = await world.request();
    await hear({ amount: '10.00', reference, bank: 'B-7' });
    const mt940 = (line: string) =>
      [
        ':20:X',
        `:25:${account.iban}`,
        ':60F:C261119EUR100,00',
        line,
        `:86:${reference} again`,
        ':62F:C261120EUR110,00',
        '-',
      ].join('\n');
    expect(await world.hear(mt940(':61:2611201120C10,00NTRFNONREF//B-7'))).toEqual({ known: 1 });
    expect(await world.hear(mt940(':61:2611201120C10,00NTRFNONREF'))).toEqual({ known: 1 });
    await world.accounts.put(
      world.tenant.tenantId,
      {
        iban: account.iban,
        holder: 'A Shop',
        currency: 'EUR',
        status: 'active',
        csv: {
          delimiter: ',',
          decimal: '.',
          dateForm: 'YYYY-MM-DD',
          columns: { date: 'date', amount: 'amount', text: 'text' },
        },
      },
      ADMIN,
    );
    const csv = `date,amount,text\n2026-11-20,10.00,${reference}\n`;
    await expect(world.upload(csv)).rejects.toMatchObject({ code: 'statement_refused' });
    expect(await world.hear(csv, account.id)).toEqual({ known: 1 });
    expect(await entriesOf(id)).toHaveLength(1);
    await world.capture(id);
  });

  test('two that are alike in one file are two, also when it comes again without references', async () => {
    const alike = { amount: '1.00', text: 'alike', bank: null };
    expect(await hear(alike, alike)).toEqual({ unmatched: 2 });
    expect(await world.hear(world.camt(account.iban, [alike, alike, alike], { form: 'camt.054' }))).toEqual({
      known: 2,
      unmatched: 1,
    });
  });

  test('a reference that the bank gives to several lines tells none', async () => {
    const lines = [
      { amount: '1.00', text: 'one of a batch', bank: 'BATCH' },
      { amount: '2.00', text: 'two of a batch', bank: 'BATCH' },
      { amount: '2.00', text: 'two of a batch', bank: 'BATCH' },
    ];
    expect(await hear(...lines)).toEqual({ unmatched: 3 });
    expect(await world.hear(world.camt(account.iban, lines, { form: 'camt.054' }))).toEqual({ known: 3 });
  });
});

test('account numbers of payers are sealed, go with the keys, and are nobody else’s to see', async () => {
  const { payment_id: id, reference } = await world.request();
  await hear({ amount: '11.00', reference });
  const { system } = world.database;
  const [entryOfIt] = await entriesOf(id);
  const line = () => system('bank_statement_lines').where({ id: entryOfIt.line_id }).first();
  const before = await line();
  expect(before.iban_sealed.includes(PAYER_IBAN)).toBe(false);
  const rotated = world.vaultAfterRotation();
  while ((await rotated.resealIbans(system)) > 0);
  const after = await line();
  expect(after.iban_sealed).not.toEqual(before.iban_sealed);
  expect(rotated.openIban(after.id, after.iban_sealed)).toBe(PAYER_IBAN);
  const [back] = await returnsOf(id);
  expect(rotated.openIban(back!.id, back!.iban_sealed!)).toBe(PAYER_IBAN);
  // What follows is read with the keys of before.
  while ((await world.vault.resealIbans(system)) > 0);
  const tables = [
    'bank_accounts',
    'bank_statements',
    'bank_statement_lines',
    'bank_transfer_requests',
    'bank_entries',
    'bank_returns',
  ];
  for (const table of tables) {
    expect(await system(table).first()).toBeDefined();
    expect(await world.database.tenant(world.tenant.other.tenantId, (trx) => trx(table).first())).toBeUndefined();
  }
  await world.capture(id);
});

describe('a statement', () => {
  test('that does not add up is refused, says what differs, and leaves nothing', async () => {
    const wrong = world.camt(account.iban, [{ amount: '10.00' }]).replace('110.00', '110.01');
    await expect(world.upload(wrong)).rejects.toMatchObject({
      code: 'statement_refused',
      message: expect.stringContaining('differs by 0.01'),
    });
    expect(await world.database.system('bank_statements').where({ account_id: account.id })).toEqual([]);
  });

  test('of another account, tenant or currency is refused', async () => {
    const file = world.camt(account.iban, [{ amount: '10.00' }]);
    for (const wrong of [
      file.replaceAll(account.iban, 'DE89370400440532013000'),
      file.replaceAll('Ccy="EUR"', 'Ccy="USD"'),
    ])
      await expect(world.upload(wrong)).rejects.toMatchObject({ code: 'statement_refused' });
    const { other } = world.tenant;
    const bytes = (async function* () {
      yield Buffer.from(file);
    })();
    await expect(world.statements.upload(other.tenantId, bytes, ADMIN)).rejects.toMatchObject({
      code: 'statement_refused',
    });
  });

  test('with what the tenant paid and what the bank took back', async () => {
    const lines = [
      { amount: '3.00', debit: true },
      { amount: '2.00', debit: true, reversal: true },
      { amount: '1.00', reversal: true },
    ];
    expect(await hear(...lines)).toEqual({ outgoing: 1, other: 2 });
  });

  test('goes on where a process died, in batches, and books each line once', async () => {
    const request = await world.request();
    const lines = Array.from({ length: 450 }, (_, at) => ({ amount: '0.01', text: `line ${at}` }));
    await world.upload(world.camt(account.iban, [...lines, { amount: '10.00', reference: request.reference }]));
    expect(await world.bookOnce()).toBe(200);
    // A process that dies in the middle of a batch leaves nothing of it.
    const { book } = world.ledger;
    let calls = 0;
    world.ledger.book = async (...args) => {
      calls += 1;
      if (calls === 50) throw new Error('the process dies');
      return book.apply(world.ledger, args);
    };
    await expect(world.bookOnce()).rejects.toThrow('dies');
    world.ledger.book = book;
    expect(await world.database.system('bank_entries').where({ account_id: account.id })).toHaveLength(200);
    await Promise.all([world.book(), world.book()]);
    expect(await world.database.system('bank_entries').where({ account_id: account.id })).toHaveLength(451);
    await world.capture(request.payment_id);
  });

  test('the audit sees what does not agree', async () => {
    const { payment_id: id, reference } = await world.request();
    await hear({ amount: '4.00', reference }, { amount: '7.00', text: 'planted' });
    const { system } = world.database;
    const plant = async (table: string, where: object, fault: object, healthy: object) => {
      expect(await system(table).where(where).update(fault)).toBe(1);
      const found = await world.findings();
      await system(table).where(where).update(healthy);
      return found.map(({ check }) => check);
    };
    const counted = { payment_id: id };
    expect(await plant('bank_transfer_requests', counted, { received_minor: 401n }, { received_minor: 400n })).toEqual([
      'what payments by bank transfer have received is what counts towards them',
    ]);
    expect(await plant('bank_entries', counted, { is_on_statement: false }, { is_on_statement: true })).toEqual([
      'an account at a bank holds what its last statement says, and what was advised since',
    ]);
    const unmatched = { account_id: account.id, status: 'suspended' };
    const other = { account_id: account.id, status: 'other' };
    expect(await system('bank_entries').where(unmatched).update({ status: 'other' })).toBe(1);
    expect((await world.findings()).map(({ check }) => check)).toEqual([
      'what came on own accounts, and is nobody’s yet, is what the ledger has on its hands',
    ]);
    await system('bank_entries').where(other).update({ status: 'suspended' });
  });

  test('of very many lines is kept in memory that does not grow with it', async () => {
    const count = 200_000;
    const used: number[] = [];
    async function* file() {
      const [head, tail] = world.camt(account.iban, []).split('</Stmt>');
      const [opening, closing] = head!.split('<Cd>CLBD</Cd>');
      yield Buffer.from(`${opening}<Cd>CLBD</Cd>${closing!.replace('100.00', '2100.00')}`);
      for (let at = 0; at < count; at += 100) {
        const lines = Array.from({ length: 100 }, (_, more) => ({ text: `line ${at + more}`, bank: `N${at + more}` }));
        yield Buffer.from(lines.map((line) => entry({ amount: '0.01', ...line })).join(''));
      }
      yield Buffer.from(`</Stmt>${tail}`);
    }
    // Seen from within: each line with an account number passes here.
    let sealed = 0;
    const sealIban = (id: string, iban: string) => {
      if (sealed % 20_000 === 0) used.push(memoryInUse());
      sealed += 1;
      return world.vault.sealIban(id, iban);
    };
    const keeping = new BankStatements({ database: world.database, vault: { sealIban } });
    const { statements } = await keeping.upload(world.tenant.tenantId, file(), ADMIN);
    expect(used).toHaveLength(10);
    expect(statements[0]).toMatchObject({ lines: count, credits_minor: BigInt(count), status: 'stored' });
    expect(Math.max(...used) - used[0]!).toBeLessThan(MOST_MEMORY);
  }, 240_000);
});
