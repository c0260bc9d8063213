import { randomBytes, randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { pino } from 'pino';
import { createActivities } from '../../../../activities';
import type { LinkTokens } from '../../../../src/commerce/payment-links/payment-link';
import type { Reminders } from '../../../../src/commerce/payment-links/reminders';
import type { Connector, SettlementLine, SettlementReport } from '../../../../src/domain/connector';
import type { RunCounts } from '../../../../src/domain/flows';
import { newId } from '../../../../src/domain/ids';
import { loadConfig } from '../../../../src/foundation/config/config';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { FirstAnswers } from '../../../../src/foundation/temporal/first-answer';
import { Vault } from '../../../../src/foundation/vault/vault';
import { auditBooks } from '../../../../src/money/books-check/books-check';
import { auditReports } from '../../../../src/money/books-check/report-checks';
import { EvidenceSeal } from '../../../../src/money/disputes/evidence';
import { hear } from '../../../../src/money/disputes/processor-report';
import { Ledger } from '../../../../src/money/ledger/ledger';
import { transferDependencies } from '../../../../src/money/p2p/dependencies';
import { Mandates } from '../../../../src/money/payments/mandates';
import type { PaymentRow } from '../../../../src/money/payments/payment';
import { lockReceipt, recordArrival, recordReturned } from '../../../../src/money/payments/receipt';
import { reserveRefund } from '../../../../src/money/payments/refunds';
import { FirstSteps } from '../../../../src/money/payments/steps/first-steps';
import type { DifferenceRow, Resolution } from '../../../../src/money/reconciliation/differences';
import { resolveDifference } from '../../../../src/money/reconciliation/resolve';
import { beginRun } from '../../../../src/money/reconciliation/runs';
import { writeCatalogue } from '../../../../src/money/routing/method-catalogue';
import { savedCardDependencies } from '../../../../src/money/saved-cards/dependencies';
import { consentDependencies } from '../../../../src/open-banking/consents/steps';
import { CallbackSecrets } from '../../../../src/people/identity/callback-secrets';
import { Users } from '../../../../src/people/identity/users/user';
import { kycDependencies } from '../../../../src/people/kyc/steps';
import { activationDependencies } from '../../../../src/people/onboarding/activation-steps';
import { writeSandboxFeeTerms } from '../../../../src/sandbox/seed/processor-fee-terms';
import { type SeededTenant, seedSandbox } from '../../../../src/sandbox/seed/tenants';
import { shareOf } from '../../../../src/sandbox/simulator/settlement';
import { createTestDatabase } from '../../../setup/environment';
import { capturedPayment } from '../payments/captured';

/** Reports against the ledger, on the real database; the processor is a list of reports. */

const KEYS = `k1:${randomBytes(32).toString('base64')}`;
const ledger = new Ledger();
const reports: SettlementReport[] = [];

let place: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
let tenant: SeededTenant;
let activities: ReturnType<typeof createActivities>;

beforeAll(async () => {
  place = await createTestDatabase('reconciliation');
  database = openDatabase(place.logins, 8, 'test-reconciliation');
  await writeCatalogue(database.system);
  await writeSandboxFeeTerms(database.system);
  tenant = await seedSandbox(database.system, new CallbackSecrets(KEYS));
  const connector = {
    processor: 'a',
    settlementReport: async (id: string) => reports.find(({ batchId }) => batchId === id)!,
    settlementBatches: async (since: string) =>
      reports.filter(({ closedAt }) => closedAt >= since).map(({ batchId }) => batchId),
  } as unknown as Connector;
  const vault = new Vault({ keys: KEYS, hmacKey: KEYS.slice(3), cvvTtlMs: 60_000 });
  activities = createActivities({
    database,
    ledger,
    vault,
    evidence: new EvidenceSeal(KEYS),
    paymentLinks: { reminders: {} as Reminders, tokens: {} as LinkTokens },
    consents: consentDependencies(KEYS, 'https://bank.example', { reauthenticationDays: 180, reminderMs: 0 }),
    verification: kycDependencies(KEYS, 0),
    savedCards: savedCardDependencies(database, vault, { vaultKeys: KEYS, expiryNoticeMs: 0 }),
    activation: activationDependencies(new Users(database, KEYS, KEYS), KEYS, {
      notifications: { ping: async () => Promise.reject(new Error('nobody is pinged')) },
      reminderMs: 0,
    }),
    p2p: transferDependencies(ledger, { vaultKeys: KEYS, hmacKey: KEYS.slice(3), transferTtlMs: 1 }),
    mandates: new Mandates(database, vault),
    connectors: { get: () => connector },
    timers: loadConfig({}).timers,
    log: pino({ level: 'silent' }),
    firstAnswers: new FirstAnswers(),
    firstSteps: new FirstSteps(),
  });
});
afterEach(async () => expect((await auditBooks(database.ops)).findings.slice(0, 5)).toEqual([]));
afterAll(async () => {
  await database.close();
  await place.drop();
});

const captured = (amountMinor?: bigint, currency?: string) =>
  capturedPayment(database, ledger, tenant, { amountMinor, currency });

const line = (
  paymentReference: string,
  more: Partial<SettlementLine> & { amountMinor?: bigint } = {},
): SettlementLine => {
  const { amountMinor = 1_000n, ...rest } = more;
  const kind = rest.kind ?? 'capture';
  return {
    lineId: `line_${randomUUID()}`,
    kind,
    reference: paymentReference,
    paymentReference,
    money: { amountMinor, currency: 'EUR' },
    feeMinor: kind === 'capture' ? shareOf(amountMinor, 15n) : 0n,
    ...rest,
  };
};

/** The processor closes a batch of these lines. */
function closes(...lines: SettlementLine[]): string {
  const batchId = `ba_${randomUUID()}`;
  reports.push({ batchId, closedAt: new Date().toISOString(), lines });
  return batchId;
}

async function run(): Promise<RunCounts> {
  const { id } = await beginRun(database.system, {
    id: newId('reconciliationRun'),
    processor: 'a',
    startedBy: 'test',
    graceMs: 0,
  });
  const recovery = { batches: 0, recovered: 0, more: true };
  while (recovery.more) {
    const found = await activities.recoverBatches(id);
    Object.assign(recovery, found, { recovered: recovery.recovered + found.recovered });
  }
  return activities.compareBooks(id, recovery);
}

const differencesOf = (payment: string): Promise<DifferenceRow[]> =>
  database.ops('reconciliation_differences').where({ payment_reference: payment }).orderBy('id');
const paymentOf = (id: string): Promise<PaymentRow> => database.ops('payments').where({ id }).first();
const resolve = (differenceId: string, resolution: Resolution, tenantId?: string) =>
  resolveDifference(database.system, ledger, {
    differenceId,
    resolution,
    tenantId,
    reason: 'test',
    operator: 'cli_test',
    source: 'test',
  });

/** Balances by kind of account: what came to the bank, what the processor owes us, and who bears the rest. */
async function balances(): Promise<Record<string, bigint>> {
  const { rows } = await database.ops.raw(
    `SELECT a.kind, sum(e.signed_minor)::text AS balance FROM ledger_entries e JOIN ledger_accounts a ON a.id = e.account_id
     WHERE a.currency = 'EUR' GROUP BY a.kind`,
  );
  return Object.fromEntries(
    rows.map(({ kind, balance }: { kind: string; balance: string }) => [kind, BigInt(balance)]),
  );
}

/** What `work` moved, zeroes left out. */
async function moved(work: () => Promise<unknown>): Promise<Record<string, bigint>> {
  const before = await balances();
  await work();
  const after = await balances();
  const kinds = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return Object.fromEntries(
    kinds
      .map((kind) => [kind, (after[kind] ?? 0n) - (before[kind] ?? 0n)] as const)
      .filter(([, amount]) => amount !== 0n),
  );
}

async function refunded(paymentId: string, amountMinor: bigint): Promise<string> {
  const refund = await reserveRefund(database.tenant, ledger, {
    refundId: newId('refund'),
    tenantId: tenant.tenantId,
    organizationId: tenant.organizationId,
    paymentId,
    amountFor: () => amountMinor,
  });
  await activities.applyRefundCallback(
    { refundId: refund.id, paymentId, tenantId: tenant.tenantId },
    await inboxed(refund.id, { type: 'refunded', money: { amountMinor: `${amountMinor}`, currency: 'EUR' } }),
  );
  return refund.id;
}

async function inboxed(reference: string, event: object): Promise<string> {
  const id = newId('callback');
  const { type } = event as { type: string };
  await database.system('callback_inbox').insert({
    id,
    processor: 'a',
    receiver: 'test',
    event_id: id,
    reference,
    type,
    event: JSON.stringify({ eventId: id, reference, processorStatus: type, ...event }),
    raw: Buffer.alloc(0),
  });
  return id;
}

async function disputed(paymentId: string, ...words: ('charged_back' | 'second_presentment' | 'chargeback_lost')[]) {
  for (const word of words)
    await database.tenant(tenant.tenantId, async (trx) => {
      const payment = await trx('payments').where({ id: paymentId }).forUpdate().first();
      const known = await trx('disputes').where({ payment_id: paymentId }).forUpdate().first();
      await hear(trx, ledger, payment, known, { word, processor: 'a', caseId: paymentId, cause: 'inquiry' }, 60_000);
    });
}

test('what agrees is matched, settled and booked as it reached the bank, once', async () => {
  const [plain, refundedOne, contested] = [await captured(), await captured(), await captured()];
  const refundId = await refunded(refundedOne, 400n);
  await disputed(contested, 'charged_back', 'second_presentment', 'chargeback_lost');
  const lines = [
    line(plain),
    line(refundedOne),
    line(refundedOne, { kind: 'refund', reference: refundId, amountMinor: 400n }),
    line(contested),
    line(contested, { kind: 'chargeback' }),
    line(contested, { kind: 'chargeback_reversal' }),
    line(contested, { kind: 'chargeback' }),
  ];
  const batchId = closes(...lines);
  const booked = await moved(async () => {
    for (let time = 0; time < 3; time += 1)
      expect(await activities.bookSettlement({ processor: 'a', batchId }, false)).toEqual({
        lines: 7,
        booked: 7,
        waiting: 0,
      });
  });
  expect(booked).toEqual({ bank_clearing: 1_555n, provider_fee: 45n, provider_receivable: -1_600n });
  expect(await paymentOf(plain)).toMatchObject({ status: 'settled' });
  expect((await paymentOf(contested)).settled_at).not.toBeNull();
  const counts = await run();
  expect(counts).toMatchObject({ missingHere: 0, missingThere: 0, differentAmount: 0, differentFee: 0, recovered: 0 });
  const refund = await database.ops('refunds').where({ id: refundId }).first();
  expect(refund.settled_at).not.toBeNull();
});

test('a fee that is given back is booked the other way', async () => {
  const contested = await captured();
  await disputed(contested, 'charged_back', 'second_presentment');
  const lost = closes(line(contested), line(contested, { kind: 'chargeback', feeMinor: 1_500n }));
  expect(await moved(() => activities.bookSettlement({ processor: 'a', batchId: lost }, false))).toEqual({
    bank_clearing: -1_515n,
    provider_fee: 1_515n,
  });
  const won = closes(line(contested, { kind: 'chargeback_reversal', feeMinor: -1_500n }));
  expect(await moved(() => activities.bookSettlement({ processor: 'a', batchId: won }, false))).toEqual({
    bank_clearing: 2_500n,
    provider_fee: -1_500n,
    provider_receivable: -1_000n,
  });
});

test('a batch nobody announced is found and booked', async () => {
  const paymentId = await captured();
  closes(line(paymentId));
  expect(await run()).toMatchObject({ recovered: 1 });
  expect(await paymentOf(paymentId)).toMatchObject({ status: 'settled' });
  expect(await run()).toMatchObject({ recovered: 0, missingThere: 0 });
});

test('a capture, a refund and a chargeback in no report', async () => {
  const paymentId = await captured();
  const refundId = await refunded(paymentId, 300n);
  const back = await captured();
  await disputed(back, 'charged_back');
  expect(await run()).toMatchObject({ missingThere: 4 });
  expect(await run()).toMatchObject({ missingThere: 4 });
  expect(await differencesOf(paymentId)).toMatchObject([
    { kind: 'missing_there', line_kind: 'capture', movement: `${paymentId}/capture`, expected_minor: 1_000n },
    { kind: 'missing_there', line_kind: 'refund', movement: `${refundId}/post`, expected_minor: 300n },
  ]);
  closes(
    line(paymentId),
    line(paymentId, { kind: 'refund', reference: refundId, amountMinor: 300n }),
    line(back),
    line(back, { kind: 'chargeback' }),
  );
  expect(await run()).toMatchObject({ missingThere: 0, matchedLater: 4 });
  expect((await differencesOf(paymentId)).map(({ status }) => status)).toEqual(['matched_later', 'matched_later']);
});

test('nothing is missing before the time of grace is over', async () => {
  const paymentId = await captured();
  const { id } = await beginRun(database.system, {
    id: newId('reconciliationRun'),
    processor: 'a',
    startedBy: 'test',
    graceMs: 60_000,
  });
  closes(line(`pay_${randomUUID()}`));
  const recovery = await activities.recoverBatches(id);
  expect(await activities.compareBooks(id, recovery)).toMatchObject({ missingThere: 0, missingHere: 0 });
  reports.at(-1)!.lines = [];
  await database.system.raw(`UPDATE settlement_lines SET outcome = 'adjusted' WHERE outcome = 'waiting'`);
  closes(line(paymentId));
  await run();
});

describe('each kind, each resolution: what it books', () => {
  const missingHere = async () => {
    const paymentId = await captured();
    const twice = line(paymentId);
    closes(line(paymentId), twice);
    await run();
    return paymentId;
  };
  const missingThere = async () => {
    const paymentId = await captured();
    await run();
    return paymentId;
  };
  const tooMuch = async () => {
    const paymentId = await captured();
    closes(line(paymentId, { amountMinor: 1_100n }));
    await run();
    return paymentId;
  };
  const tooLittle = async () => {
    const paymentId = await captured();
    await refunded(paymentId, 400n);
    const [{ id }] = await database.ops('refunds').where({ payment_id: paymentId });
    closes(line(paymentId), line(paymentId, { kind: 'refund', reference: id, amountMinor: 350n }));
    await run();
    return paymentId;
  };
  const dearer = async () => {
    const paymentId = await captured();
    closes(line(paymentId, { feeMinor: 22n }));
    await run();
    return paymentId;
  };

  test.each<[string, () => Promise<string>, Partial<DifferenceRow>, Resolution, Record<string, bigint>]>([
    [
      'a second capture',
      missingHere,
      { kind: 'missing_here', reported_minor: 1_000n, fee_minor: 15n },
      'book',
      { bank_clearing: 985n, provider_fee: 15n, suspense: -1_000n },
    ],
    ['a second capture', missingHere, {}, 'write_off', { bank_clearing: 985n, provider_fee: 15n, tenant: -1_000n }],
    [
      'a second capture',
      missingHere,
      {},
      'provider_corrects',
      { bank_clearing: 985n, provider_fee: 15n, provider_receivable: -1_000n },
    ],
    [
      'a capture in no report',
      missingThere,
      { kind: 'missing_there' },
      'book',
      { provider_receivable: -1_000n, suspense: 1_000n },
    ],
    ['a capture in no report', missingThere, {}, 'write_off', { provider_receivable: -1_000n, tenant: 1_000n }],
    ['a capture in no report', missingThere, {}, 'provider_corrects', {}],
    [
      'a capture of more',
      tooMuch,
      { kind: 'different_amount', reported_minor: 1_100n, expected_minor: 1_000n },
      'book',
      { bank_clearing: 1_084n, provider_fee: 16n, provider_receivable: -1_000n, suspense: -100n },
    ],
    [
      'a capture of more',
      tooMuch,
      {},
      'write_off',
      { bank_clearing: 1_084n, provider_fee: 16n, provider_receivable: -1_000n, tenant: -100n },
    ],
    [
      'a capture of more',
      tooMuch,
      {},
      'provider_corrects',
      { bank_clearing: 1_084n, provider_fee: 16n, provider_receivable: -1_100n },
    ],
    [
      'a refund of less',
      tooLittle,
      { kind: 'different_amount', reported_minor: 350n, expected_minor: 400n },
      'write_off',
      { bank_clearing: -350n, provider_receivable: 400n, tenant: -50n },
    ],
    ['a fee of more', dearer, { kind: 'different_fee', reported_minor: 22n, expected_minor: 15n }, 'book', {}],
    ['a fee of more', dearer, {}, 'write_off', { provider_fee: -7n, tenant: 7n }],
    ['a fee of more', dearer, {}, 'provider_corrects', { provider_fee: -7n, provider_receivable: 7n }],
  ])('%s', async (_title, make, found, resolution, entries) => {
    const paymentId = await make();
    const [difference] = (await differencesOf(paymentId)).filter(({ status }) => status === 'open');
    expect(difference).toMatchObject({ ...found, status: 'open', tenant_id: tenant.tenantId });
    const booked = await moved(() => resolve(difference!.id, resolution));
    expect(booked).toEqual(entries);
    await expect(resolve(difference!.id, resolution)).rejects.toMatchObject({ code: 'invalid_state' });
    const note = await database.ops('audit_log').where({ target: difference!.id });
    expect(note).toMatchObject([{ action: 'reconciliation.resolve', actor: 'cli_test' }]);
    const after = await moved(async () => void (await run()));
    expect(after).toEqual({});
    expect((await differencesOf(paymentId)).filter(({ status }) => status === 'open')).toEqual([]);
  });
});

test('the line of a movement that was written off is no match any more', async () => {
  const paymentId = await captured();
  await run();
  const [missing] = await differencesOf(paymentId);
  await resolve(missing!.id, 'write_off');
  closes(line(paymentId));
  await run();
  const open = (await differencesOf(paymentId)).find(({ status }) => status === 'open');
  expect(open).toMatchObject({ kind: 'missing_here' });
  expect(await moved(() => resolve(open!.id, 'write_off'))).toMatchObject({ tenant: -1_000n });
});

test('promised by the processor, and then it comes', async () => {
  const paymentId = await captured();
  await run();
  const [missing] = await differencesOf(paymentId);
  await resolve(missing!.id, 'provider_corrects');
  expect(await run()).toMatchObject({ missingThere: 0 });
  closes(line(paymentId));
  await run();
  expect(await paymentOf(paymentId)).toMatchObject({ status: 'settled' });
});

test('a line of nothing of ours needs a tenant to be booked', async () => {
  const unknown = `pay_${randomUUID()}`;
  closes(line(unknown));
  await run();
  const [difference] = await differencesOf(unknown);
  expect(difference).toMatchObject({ kind: 'missing_here', tenant_id: null });
  await expect(resolve(difference!.id, 'book')).rejects.toMatchObject({ code: 'invalid_request' });
  await expect(resolve(difference!.id, 'book', 'ten_nobody')).rejects.toMatchObject({ code: 'invalid_request' });
  await resolve(difference!.id, 'book', tenant.tenantId);
  expect(await differencesOf(unknown)).toMatchObject([{ status: 'resolved', tenant_id: tenant.tenantId }]);
});

test('a wrong amount, and the right line after it: the wrong one stands for nothing', async () => {
  const paymentId = await captured();
  closes(line(paymentId, { amountMinor: 900n }));
  await run();
  expect(await differencesOf(paymentId)).toMatchObject([{ kind: 'different_amount' }]);
  closes(line(paymentId));
  await run();
  expect(await differencesOf(paymentId)).toMatchObject([{ kind: 'missing_here', movement: null, status: 'open' }]);
  const [difference] = await differencesOf(paymentId);
  await resolve(difference!.id, 'book');
});

test('a line that comes before what it stands for is matched when that is known', async () => {
  const paymentId = await captured();
  const early = line(`${paymentId}`, { kind: 'refund', amountMinor: 100n });
  const refundId = await refunded(paymentId, 100n);
  await database.system('refunds').where({ id: refundId }).update({ settled_at: null });
  const batchId = closes(
    { ...early, reference: refundId },
    line(paymentId),
    line(paymentId, { kind: 'chargeback', amountMinor: 900n }),
  );
  const view = await activities.bookSettlement({ processor: 'a', batchId }, false);
  expect(view).toEqual({ lines: 3, booked: 2, waiting: 1 });
  expect(await activities.bookSettlement({ processor: 'a', batchId }, true)).toMatchObject({ waiting: 1 });
  expect(await differencesOf(paymentId)).toMatchObject([{ kind: 'missing_here', status: 'open' }]);
  await database.tenant(tenant.tenantId, async (trx) => {
    const payment = await trx('payments').where({ id: paymentId }).forUpdate().first();
    const money = { amountMinor: 900n, currency: 'EUR' };
    const said = { word: 'charged_back', processor: 'a', caseId: paymentId, cause: 'inquiry', money } as const;
    await hear(trx, ledger, payment, undefined, said, 60_000);
  });
  expect(await activities.bookSettlement({ processor: 'a', batchId }, false)).toMatchObject({ waiting: 0 });
  expect(await differencesOf(paymentId)).toMatchObject([{ kind: 'missing_here', status: 'matched_later' }]);
});

test('late money and its return are matched too', async () => {
  const paymentId = await captured();
  const returnReference = await database.tenant(tenant.tenantId, async (trx) => {
    const payment = await trx('payments').where({ id: paymentId }).forUpdate().first();
    const receipt = await recordArrival(trx, ledger, payment, {
      processor: 'a',
      money: { amountMinor: 500n, currency: 'EUR' },
      isTaken: true,
      detail: 'late',
      cause: 'inquiry',
    });
    const { payment: noted } = await lockReceipt(trx, receipt.id);
    await recordReturned(trx, ledger, noted, receipt, 'returned');
    return receipt.reference;
  });
  closes(
    line(paymentId),
    line(paymentId, { amountMinor: 500n }),
    line(paymentId, { kind: 'refund', reference: returnReference, amountMinor: 500n }),
  );
  await run();
  expect(await differencesOf(paymentId)).toEqual([]);
});

test.each([
  [1_000n, 15n],
  [100n, 2n],
  [300n, 4n],
  [500n, 8n],
  [33n, 0n],
  [34n, 1n],
  [123_456_789_012n, 1_851_851_835n],
])('the expected fee of %d is %d, half to even, as the simulator charges it', async (amount, fee) => {
  const { rows } = await database.ops.raw("SELECT expected_fee('a', 'EUR', ?, now()) AS fee", [`${amount}`]);
  expect([BigInt(rows[0].fee), shareOf(amount, 15n)]).toEqual([fee, fee]);
});

test('fee terms: the currency’s own before the general ones, the latest that hold, and none at all', async () => {
  const terms = { processor: 'x', basis_points: 100, fixed_minor: 10n, valid_from: '2020-01-01' };
  await database.system('processor_fee_terms').insert([
    { ...terms, currency: null },
    { ...terms, currency: 'USD', basis_points: 200 },
    { ...terms, currency: 'USD', basis_points: 300, valid_from: '2021-01-01' },
  ]);
  const fee = async (processor: string, currency: string, at: string) => {
    const { rows } = await database.ops.raw('SELECT expected_fee(?, ?, 1000, ?) AS fee', [processor, currency, at]);
    return rows[0]?.fee ?? null;
  };
  expect(await fee('x', 'EUR', '2022-01-01')).toBe(20n);
  expect(await fee('x', 'USD', '2020-06-01')).toBe(30n);
  expect(await fee('x', 'USD', '2022-01-01')).toBe(40n);
  expect(await fee('x', 'USD', '2019-01-01')).toBeNull();
  expect(await fee('y', 'USD', '2022-01-01')).toBeNull();
});

async function analyze(): Promise<void> {
  const owner = new Client({ connectionString: place.adminUrl });
  await owner.connect();
  await owner.query('ANALYZE');
  await owner.end();
}

test('the audit sees what reports and books do not agree on, once the grace is over and until it is resolved', async () => {
  const [unreported, matched] = [await captured(), await captured()];
  const foreign = line(newId('payment'));
  closes(line(matched), foreign);
  await run();
  const seen = async (graceMs: number) => {
    const { findings } = await auditReports(database.ops, graceMs);
    const about = [unreported, matched, foreign.lineId];
    return findings.filter(({ subject }) => about.some((id) => subject.includes(id))).map(({ check }) => check);
  };
  expect(await seen(3_600_000)).toEqual([]);
  expect(await seen(0)).toEqual([
    'every line of a report is about something of ours',
    'what we booked has been in a report of its processor',
  ]);
  const differences = [...(await differencesOf(unreported)), ...(await differencesOf(foreign.paymentReference))];
  for (const { id } of differences) await resolve(id, 'write_off', tenant.tenantId);
  expect(await seen(0)).toEqual([]);
});

test('tens of thousands of lines', async () => {
  const COUNT = 20_000;
  const PART = 2_000;
  const matched = async () =>
    Number((await database.ops('settlement_lines').where({ outcome: 'matched' }).count())[0]!.count);
  const before = await matched();
  // In parts: a statement of the platform has a few seconds.
  for (let first = 1; first <= COUNT; first += PART) {
    await database.system.raw(
      `WITH made AS (
       INSERT INTO payments (id, tenant_id, organization_id, terminal_id, merchant_transaction_id, method_id, kind, brand,
         processor, currency, amount_minor, capture_mode, status, result_code, status_detail, request, authorized_minor,
         captured_minor)
       SELECT 'pay_bulk_' || n, :tenantId, :organizationId, :terminalId, 'bulk-' || n, 1, 'card', 'VISA', 'a', 'EUR', 1000,
         'automatic', 'captured', 0, '', '{}', 1000, 1000 FROM generate_series(:first::int, :last::int) n RETURNING id
     ), events AS (
       INSERT INTO payment_events (payment_id, tenant_id, from_status, to_status, result_code, cause, detail)
       SELECT id, :tenantId, 'initiated', 'captured', 0, 'test', '' FROM made
     ), accounts AS (
       SELECT max(id) FILTER (WHERE kind = 'provider_receivable') AS debit,
         max(id) FILTER (WHERE kind = 'merchant_payable') AS credit
       FROM ledger_accounts WHERE tenant_id = :tenantId AND currency = 'EUR'
     )
     INSERT INTO ledger_transfers (tenant_id, currency, debit_account_id, debit_guarded, credit_account_id,
       credit_guarded, amount_minor, phase, cause)
     SELECT :tenantId, 'EUR', debit, false, credit, false, 1000, 'posted', id || '/capture' FROM made, accounts`,
      {
        tenantId: tenant.tenantId,
        organizationId: tenant.organizationId,
        terminalId: tenant.terminalId,
        first,
        last: first + PART - 1,
      },
    );
    // A plan that was kept while the tables were small would read each of them whole for every row.
    if (first === 1) await analyze();
  }
  closes(...Array.from({ length: COUNT }, (_, n) => line(`pay_bulk_${n + 1}`)));
  const counts = await run();
  expect(counts).toMatchObject({ missingHere: 0, missingThere: 0, differentAmount: 0, differentFee: 0 });
  expect((await matched()) - before).toBe(COUNT);
});
