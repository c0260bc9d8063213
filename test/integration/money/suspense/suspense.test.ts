import { randomBytes, randomUUID } from 'node:crypto';
import type {
  Connector,
  IncomingTransferCapability,
  ProcessorEvent,
  SettlementLine,
} from '../../../../src/domain/connector';
import { newId } from '../../../../src/domain/ids';
import type { AssignAnswer, ReturnAnswer, TransferInquiry } from '../../../../src/domain/processor-answers';
import { Inbox, type InboxRow } from '../../../../src/edge/callbacks/inbox';
import { carryOutAndReport, IncomingTransfers } from '../../../../src/edge/callbacks/incoming-transfers';
import { loadConfig } from '../../../../src/foundation/config/config';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { openAdmin } from '../../../../src/foundation/db/migrate';
import { auditBooks } from '../../../../src/money/books-check/books-check';
import { auditTransfers } from '../../../../src/money/books-check/suspense-checks';
import { PLATFORM_TENANT } from '../../../../src/money/ledger/accounts';
import { Ledger } from '../../../../src/money/ledger/ledger';
import { lockPayment } from '../../../../src/money/payments/payment';
import { applyChange } from '../../../../src/money/payments/transition';
import { bookBatch } from '../../../../src/money/reconciliation/book-batch';
import { writeCatalogue } from '../../../../src/money/routing/method-catalogue';
import { matchWithNewPayments } from '../../../../src/money/suspense/arrival';
import { SuspenseService } from '../../../../src/money/suspense/service';
import type { UnmatchedTransferRow } from '../../../../src/money/suspense/unmatched-transfer';
import { CallbackSecrets } from '../../../../src/people/identity/callback-secrets';
import { type SeededTenant, seedSandbox } from '../../../../src/sandbox/seed/tenants';
import { createTestDatabase } from '../../../setup/environment';

/** Incoming transfers that match nothing, on the real database; the processor answers as each test says. */

const KEYS = `k1:${randomBytes(32).toString('base64')}`;
const GRACE_MS = 60_000;
const FOUR_EYES_MINOR = 5_000n;
const EUR = (amountMinor: bigint) => ({ amountMinor, currency: 'EUR' });

let place: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
let tenant: SeededTenant & { other: SeededTenant };
let inbox: Inbox;
let transfers: IncomingTransfers;
let service: SuspenseService;

/** What the processor says of a transfer: held, unless a test says otherwise. */
const standing = new Map<string, TransferInquiry>();
const answers: { assign?: AssignAnswer; giveBack?: ReturnAnswer } = {};
const calls: { call: string; key?: string; reference?: string }[] = [];
const reports = new Map<string, SettlementLine[]>();
const ledger = new Ledger();
const capability: IncomingTransferCapability = {
  assign: async ({ transferId, paymentReference, idempotencyKey: key }) => {
    calls.push({ call: 'assign', key, reference: paymentReference });
    if (answers.assign) return answers.assign;
    const assigned = { kind: 'assigned' as const, money: EUR(1n), paymentReference };
    standing.set(transferId, assigned);
    return assigned;
  },
  giveBack: async ({ transferId, returnReference, idempotencyKey: key }) => {
    calls.push({ call: 'giveBack', key, reference: returnReference });
    if (answers.giveBack) return answers.giveBack;
    const returned = { kind: 'returned' as const, money: EUR(1n) };
    standing.set(transferId, returned);
    return returned;
  },
  inquire: async (transferId) => {
    calls.push({ call: 'inquire' });
    return standing.get(transferId) ?? { kind: 'unknown', detail: 'nothing was said' };
  },
};
const connector = {
  processor: 'b',
  transfers: capability,
  settlementReport: async (batchId: string) => ({
    batchId,
    closedAt: new Date().toISOString(),
    lines: reports.get(batchId)!,
  }),
} as unknown as Connector;
const connectors = { get: () => connector, find: () => connector };

beforeAll(async () => {
  place = await createTestDatabase('suspense');
  database = openDatabase(place.logins, 8, 'test-suspense');
  await writeCatalogue(database.system);
  tenant = await seedSandbox(database.system, new CallbackSecrets(KEYS));
  inbox = new Inbox(database.system);
  transfers = new IncomingTransfers({ inbox, system: database.system, ledger, connectors, graceMs: GRACE_MS });
  service = new SuspenseService({ database, connectors }, FOUR_EYES_MINOR);
});
beforeEach(() => {
  calls.length = 0;
  answers.assign = undefined;
  answers.giveBack = undefined;
});
afterEach(async () => expect((await auditBooks(database.ops)).findings).toEqual([]));
afterAll(async () => {
  await database.close();
  await place.drop();
});

const ENDED = { resultCode: 302, detail: 'The payer did not pay in time.', cause: 'expiry' } as const;
const IBAN = () => `PT50${randomBytes(10).toString('hex').toUpperCase()}`;
const operator = (id: string) => ({ id, source: '127.0.0.1', requestId: 'req-1' });
const ANN = operator('cli_ann');
const BOB = operator('cli_bob');

/** A report of a transfer in the inbox, older than the time of grace unless it is `young`. */
async function reported(
  event: Partial<ProcessorEvent> = {},
  { young = false, said = 'held' as 'held' | TransferInquiry } = {},
): Promise<InboxRow> {
  const eventId = `evt_${randomUUID()}`;
  const whole: ProcessorEvent = {
    eventId,
    type: 'transfer_received',
    reference: IBAN(),
    processorStatus: 'transferencia_recebida',
    money: EUR(1_000n),
    transferId: `tr_${randomUUID()}`,
    reason: 'invoice 4711',
    payerName: 'Ada Lovelace',
    ...event,
  };
  if (!standing.has(whole.transferId!))
    standing.set(whole.transferId!, said === 'held' ? { kind: 'held', money: whole.money! } : said);
  const raw = { method: 'GET' as const, path: '', query: '', headers: {}, body: Buffer.alloc(0) };
  const row = await inbox.store('b', 'processor_b', whole, raw);
  return { ...row!, received_at: new Date(Date.now() - (young ? 0 : 2 * GRACE_MS)) };
}

/** A payment by bank transfer that waits for its payer, with an account of its own. */
async function waiting({
  of = tenant as SeededTenant,
  status = 'requires_action',
  currency = 'EUR',
  iban = IBAN(),
  withAccount = true,
} = {}): Promise<{ id: string; iban: string; reference: string }> {
  const id = newId('payment');
  const reference = `RF18${randomBytes(6).toString('hex').toUpperCase()}`;
  await database.tenant(of.tenantId, async (trx) => {
    await trx('payments').insert({
      id,
      tenant_id: of.tenantId,
      organization_id: of.organizationId,
      terminal_id: of.terminalId,
      merchant_transaction_id: randomUUID(),
      method_id: 61,
      kind: 'bank_transfer',
      brand: 'BANK_TRANSFER',
      processor: 'b',
      currency,
      amount_minor: 1_000n,
      capture_mode: 'automatic',
      status,
      result_code: 102,
      status_detail: '',
      request: '{}',
    });
    await trx('payment_events').insert({
      payment_id: id,
      tenant_id: of.tenantId,
      from_status: 'initiated',
      to_status: status,
      result_code: 102,
      cause: 'authorize',
      detail: '',
    });
    if (withAccount) await giveAccount(trx, of.tenantId, id, iban, reference);
  });
  return { id, iban, reference };
}

type Trx = Parameters<Parameters<Database['tenant']>[1]>[0];
const giveAccount = (trx: Trx, tenant_id: string, payment_id: string, iban: string, reference = IBAN()) =>
  trx('virtual_accounts').insert({ iban, reference, processor: 'b', tenant_id, payment_id });

const rowOf = (transferId: string): Promise<UnmatchedTransferRow> =>
  database.ops('unmatched_transfers').where({ transfer_id: transferId }).first();
const inboxOf = (id: string) => database.ops('callback_inbox').where({ id }).first();
const auditOf = (target: string) =>
  database.system('audit_log').where({ target }).orderBy('id').select('actor', 'action', 'result', 'detail');

/** What lies in suspense of processor B in the books of a tenant. */
async function suspenseOf(tenantId: string, currency = 'EUR'): Promise<bigint> {
  const balance = await database.tenant(tenantId, (trx) =>
    new Ledger().balance(trx, tenantId, currency, { kind: 'suspense', owner: 'b' }),
  );
  return -balance;
}

/** A transfer in suspense. */
async function suspended(event: Partial<ProcessorEvent> = {}): Promise<UnmatchedTransferRow> {
  const row = await reported(event);
  await transfers.place(row);
  calls.length = 0;
  return rowOf(row.event.transferId!);
}

const carryOut = (row: Pick<UnmatchedTransferRow, 'id'>) =>
  carryOutAndReport({ database, ledger, connectors, timers: loadConfig({}).timers }, inbox, { id: row.id }, 0);

describe('a transfer that names nothing', () => {
  test('waits for its payment for a while, and is then in suspense in the books of the platform', async () => {
    const young = await reported({}, { young: true });
    expect(await transfers.place(young)).toBeUndefined();
    expect(await inboxOf(young.id)).toMatchObject({ state: 'unmatched' });
    expect(await rowOf(young.event.transferId!)).toBeUndefined();
    const before = await suspenseOf(PLATFORM_TENANT);
    expect(await transfers.place({ ...young, received_at: new Date(0) })).toBeUndefined();
    const row = await rowOf(young.event.transferId!);
    expect(row).toMatchObject({
      tenant_id: PLATFORM_TENANT,
      status: 'open',
      mismatch: 'no_payment',
      amount_minor: 1_000n,
      payer_name: 'Ada Lovelace',
      review_since: expect.any(Date),
    });
    expect(await suspenseOf(PLATFORM_TENANT)).toBe(before + 1_000n);
    expect(await inboxOf(young.id)).toMatchObject({ state: 'applied', note: `in suspense as ${row.id}` });
  });

  test('is booked once, however often and by however many processes it is reported', async () => {
    const transferId = `tr_${randomUUID()}`;
    const before = await suspenseOf(PLATFORM_TENANT);
    const reports = await Promise.all(Array.from({ length: 6 }, () => reported({ transferId, reference: 'PT50X' })));
    await Promise.all([...reports, ...reports].map((row) => transfers.place(row)));
    expect(await suspenseOf(PLATFORM_TENANT)).toBe(before + 1_000n);
    expect(await database.ops('unmatched_transfers').where({ transfer_id: transferId })).toHaveLength(1);
  });

  test('is not suspended while the processor cannot say whether it is for a payment', async () => {
    const row = await reported({}, { said: { kind: 'unknown', detail: 'no answer' } });
    expect(await transfers.place(row)).toBeUndefined();
    expect(await rowOf(row.event.transferId!)).toBeUndefined();
    expect(await inboxOf(row.id)).toMatchObject({ state: 'unmatched', note: expect.stringContaining('no answer') });
  });

  test('goes to the payment that the processor counts it towards', async () => {
    const { id } = await waiting({ withAccount: false });
    const row = await reported({}, { said: { kind: 'assigned', money: EUR(1_000n), paymentReference: id } });
    expect(await transfers.place(row)).toMatchObject({ reference: id });
    expect(await rowOf(row.event.transferId!)).toBeUndefined();
  });

  test('is booked as well where the processor does not know it, or has no way to say', async () => {
    const before = await suspenseOf(PLATFORM_TENANT);
    const unknown = await reported({}, { said: { kind: 'not_found' } });
    await transfers.place(unknown);
    const nameless = await reported({ transferId: undefined });
    await transfers.place(nameless);
    expect((await rowOf(nameless.event_id)).status).toBe('open');
    expect(await suspenseOf(PLATFORM_TENANT)).toBe(before + 2_000n);
  });

  test('is left alone when the processor has returned it, and flagged when it states no amount', async () => {
    const returned = await reported({}, { said: { kind: 'returned', money: EUR(1_000n) } });
    await transfers.place(returned);
    expect(await inboxOf(returned.id)).toMatchObject({ state: 'ignored' });
    const empty = await reported({ money: undefined }, { said: { kind: 'not_found' } });
    await transfers.place(empty);
    expect(await inboxOf(empty.id)).toMatchObject({ state: 'flagged' });
  });
});

describe('a transfer that names a payment', () => {
  test('on whose account it came goes there at once, while that is open', async () => {
    const { id, iban } = await waiting();
    const row = await reported({ reference: iban }, { young: true });
    expect(await transfers.place(row)).toMatchObject({ reference: id });
    expect(calls).toEqual([]);
  });

  test('before the payment has its account waits for it', async () => {
    const iban = IBAN();
    const row = await reported({ reference: iban }, { young: true });
    expect(await transfers.place(row)).toBeUndefined();
    const { id } = await waiting({ iban });
    expect(await transfers.place(row)).toMatchObject({ reference: id });
    expect(await rowOf(row.event.transferId!)).toBeUndefined();
  });

  test.each([
    ['in another currency', 'other_currency', 'requires_action', { amountMinor: 700n, currency: 'USD' }],
    ['that is paid', 'payment_not_waiting', 'failed', EUR(700n)],
  ])('%s is in suspense in the books of its tenant', async (_, mismatch, status, money) => {
    const { iban } = await waiting({ of: tenant.other, status });
    const before = await suspenseOf(tenant.other.tenantId, money.currency);
    const row = await suspended({ reference: iban, money });
    expect(row).toMatchObject({ tenant_id: tenant.other.tenantId, status: 'open', mismatch });
    expect(await suspenseOf(tenant.other.tenantId, money.currency)).toBe(before + 700n);
  });

  test('several of them by its text is in suspense, in the books of their tenant', async () => {
    const [one, other] = [await waiting(), await waiting()];
    const row = await suspended({ reason: `${one.reference} and ${other.reference}` });
    expect(row).toMatchObject({ tenant_id: tenant.tenantId, mismatch: 'several_payments', status: 'open' });
    const stranger = await waiting({ of: tenant.other });
    const mixed = await suspended({ reason: `${one.reference} ${stranger.reference}` });
    expect(mixed.tenant_id).toBe(PLATFORM_TENANT);
  });

  test('by its text is matched with it without an operator', async () => {
    const { id, reference } = await waiting();
    const before = await suspenseOf(tenant.tenantId);
    const report = await reported({ reason: `for ${reference.toLowerCase()}` });
    expect(await transfers.place(report)).toBeUndefined();
    const row = await rowOf(report.event.transferId!);
    expect(row).toMatchObject({ status: 'matching', payment_id: id, decided_by: 'platform', review_since: null });
    expect(await suspenseOf(tenant.tenantId)).toBe(before + 1_000n);
    expect(await carryOut(row)).toMatchObject({ status: 'matched' });
    expect(await suspenseOf(tenant.tenantId)).toBe(before);
    expect(await inboxOf(report.id)).toMatchObject({ state: 'stored', reference: id });
  });
});

describe('a transfer whose payment appears when it is in suspense', () => {
  test('goes to that payment, once, and leaves suspense', async () => {
    const row = await suspended();
    const before = await suspenseOf(PLATFORM_TENANT);
    const { id } = await waiting({ iban: row.account });
    expect(await matchWithNewPayments(database.system)).toBe(1);
    expect(await matchWithNewPayments(database.system)).toBe(0);
    await carryOut(row);
    await carryOut(row);
    expect(await rowOf(row.transfer_id)).toMatchObject({ status: 'matched', payment_id: id });
    expect(await suspenseOf(PLATFORM_TENANT)).toBe(before - 1_000n);
    expect(await inboxOf(row.callback_id)).toMatchObject({ state: 'stored', reference: id });
    expect(calls.filter(({ call }) => call === 'assign')).toHaveLength(1);
  });

  test('is left to operators when the processor refuses, and not tried again', async () => {
    const row = await suspended();
    await waiting({ iban: row.account });
    await matchWithNewPayments(database.system);
    answers.assign = { kind: 'refused', detail: 'no' };
    await carryOut(row);
    expect(await rowOf(row.transfer_id)).toMatchObject({ status: 'open', decision: null });
    expect(await matchWithNewPayments(database.system)).toBe(0);
  });

  test('leaves suspense when the processor reports it again as counted, and only that report goes on', async () => {
    const row = await suspended();
    const before = await suspenseOf(PLATFORM_TENANT);
    const { id } = await waiting();
    standing.set(row.transfer_id, { kind: 'assigned', money: EUR(1_000n), paymentReference: id });
    const again = await reported({ transferId: row.transfer_id });
    expect(await transfers.place(again)).toMatchObject({ reference: id });
    // The process died before it noted that: the same report goes on, a third one does not.
    expect(await transfers.place(again)).toMatchObject({ reference: id });
    expect(await transfers.place(await reported({ transferId: row.transfer_id }))).toBeUndefined();
    expect(await rowOf(row.transfer_id)).toMatchObject({ status: 'matched', payment_id: id, callback_id: again.id });
    expect(await suspenseOf(PLATFORM_TENANT)).toBe(before - 1_000n);
    expect(await inboxOf(row.callback_id)).toMatchObject({ state: 'applied' });
  });
});

describe('an operator', () => {
  test('matches a transfer with a payment that waits: it leaves suspense, and its report goes to the payment', async () => {
    const row = await suspended();
    const { id } = await waiting();
    const before = await suspenseOf(PLATFORM_TENANT);
    const ordered = await service.match(row.id, { paymentId: id, reason: 'the payer called' }, ANN);
    expect(ordered).toMatchObject({
      status: 'matching',
      decided_by: 'cli_ann',
      needs_second: false,
      review_since: null,
    });
    expect(await suspenseOf(PLATFORM_TENANT)).toBe(before);
    expect(await carryOut(row)).toMatchObject({ status: 'matched' });
    expect(calls).toEqual([{ call: 'assign', key: `unmatched-transfer/${row.id}/1`, reference: id }]);
    expect(await suspenseOf(PLATFORM_TENANT)).toBe(before - 1_000n);
    expect(await inboxOf(row.callback_id)).toMatchObject({ state: 'stored', reference: id });
    const [, event] = await database.ops('payment_events').where({ payment_id: id }).orderBy('id');
    expect(event).toMatchObject({
      cause: 'operator cli_ann: match',
      detail: expect.stringContaining('the payer called'),
    });
    expect(await auditOf(row.id)).toMatchObject([
      { actor: 'cli_ann', action: 'suspense.match', result: 'matching', detail: { paymentId: id } },
    ]);
  });

  test('returns one to its sender, under a key and a reference of its own', async () => {
    const row = await suspended();
    const before = await suspenseOf(PLATFORM_TENANT);
    await service.giveBack(row.id, { reason: 'not ours' }, ANN);
    expect(await carryOut(row)).toMatchObject({ status: 'returned' });
    expect(calls).toEqual([{ call: 'giveBack', key: `unmatched-transfer/${row.id}/1`, reference: `${row.id}-1` }]);
    expect(await suspenseOf(PLATFORM_TENANT)).toBe(before - 1_000n);
    await expect(service.giveBack(row.id, { reason: 'again' }, BOB)).rejects.toMatchObject({ code: 'invalid_state' });
  });

  test('sees a lost answer asked about before anything is sent again, and under the same key', async () => {
    const row = await suspended();
    await service.giveBack(row.id, { reason: 'not ours' }, ANN);
    answers.giveBack = { kind: 'unknown', detail: 'no answer' };
    expect(await carryOut(row)).toMatchObject({ status: 'returning', askAgainMs: expect.any(Number) });
    // It never arrived: sent again. Then it had, and the answer was lost.
    expect(await carryOut(row)).toMatchObject({ status: 'returning' });
    standing.set(row.transfer_id, { kind: 'returning', money: EUR(1_000n) });
    expect(await carryOut(row)).toMatchObject({ status: 'returning' });
    standing.set(row.transfer_id, { kind: 'returned', money: EUR(1_000n) });
    expect(await carryOut(row)).toMatchObject({ status: 'returned' });
    expect(calls.map(({ call }) => call)).toEqual(['giveBack', 'inquire', 'giveBack', 'inquire', 'inquire']);
    expect(new Set(calls.flatMap(({ key }) => key ?? []))).toEqual(new Set([`unmatched-transfer/${row.id}/1`]));
  });

  test.each<[string, ReturnAnswer]>([
    ['refuses', { kind: 'refused', detail: 'account closed' }],
    ['does not know it', { kind: 'not_found' }],
    ['gets it back from the bank of the sender', { kind: 'return_declined', money: EUR(1_000n) }],
  ])('decides again when the processor %s, and the next order has another key', async (_, answer) => {
    const row = await suspended();
    await service.giveBack(row.id, { reason: 'not ours' }, ANN);
    answers.giveBack = answer;
    expect(await carryOut(row)).toMatchObject({ status: 'open', review: expect.any(String) });
    expect(await rowOf(row.transfer_id)).toMatchObject({
      status: 'open',
      decision: null,
      review_since: expect.any(Date),
    });
    answers.giveBack = undefined;
    await service.giveBack(row.id, { reason: 'once more' }, ANN);
    expect(await carryOut(row)).toMatchObject({ status: 'returned' });
    expect(calls.map(({ key }) => key)).toEqual([`unmatched-transfer/${row.id}/1`, `unmatched-transfer/${row.id}/2`]);
  });

  test("is overruled by the processor's own word", async () => {
    const row = await suspended();
    const { id } = await waiting();
    await service.giveBack(row.id, { reason: 'not ours' }, ANN);
    const counted = { kind: 'assigned' as const, money: EUR(1_000n), paymentReference: id };
    answers.giveBack = { kind: 'refused', detail: 'assigned', standing: counted };
    expect(await carryOut(row)).toMatchObject({ status: 'matched' });
    expect(await rowOf(row.transfer_id)).toMatchObject({ decision: 'match', payment_id: id, decided_by: 'platform' });
    const other = await suspended();
    await service.match(other.id, { paymentId: id, reason: 'its payer' }, ANN);
    answers.assign = { kind: 'refused', detail: 'returned', standing: { kind: 'returned', money: EUR(1_000n) } };
    expect(await carryOut(other)).toMatchObject({ status: 'returned' });
    expect(await rowOf(other.transfer_id)).toMatchObject({ decision: 'return', payment_id: null });
  });

  test('may match only with a payment that waits for such a transfer', async () => {
    const match = async (event: Partial<ProcessorEvent>, paymentId: string) =>
      service.match((await suspended(event)).id, { paymentId, reason: 'test' }, ANN);
    const { id } = await waiting();
    await expect(match({}, newId('payment'))).rejects.toMatchObject({ code: 'not_found' });
    await expect(match({ money: { amountMinor: 5n, currency: 'USD' } }, id)).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await expect(match({}, (await waiting({ status: 'expired' })).id)).rejects.toMatchObject({ code: 'invalid_state' });
    // One that names a payment of one tenant is not for a payment of another.
    const { iban } = await waiting({ of: tenant.other, status: 'cancelled' });
    await expect(match({ reference: iban }, id)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('is first of two at once', async () => {
    const row = await suspended();
    const { id } = await waiting();
    const both = await Promise.allSettled([
      service.match(row.id, { paymentId: id, reason: 'mine' }, ANN),
      service.giveBack(row.id, { reason: 'mine' }, BOB),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'invalid_state' } });
    expect(await auditOf(row.id)).toHaveLength(1);
  });
});

describe('above the limit', () => {
  const large = () => suspended({ money: EUR(FOUR_EYES_MINOR + 1n) });

  test('a second operator confirms what the first proposed', async () => {
    const row = await large();
    expect(await service.giveBack(row.id, { reason: 'not ours' }, ANN)).toMatchObject({
      status: 'proposed',
      needs_second: true,
    });
    expect(await carryOut(row)).toMatchObject({ status: 'proposed' });
    expect(calls).toEqual([]);
    await expect(service.confirm(row.id, ANN)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(service.giveBack(row.id, { reason: 'me too' }, BOB)).rejects.toMatchObject({ code: 'invalid_state' });
    const confirmed = await Promise.allSettled([
      service.confirm(row.id, BOB),
      service.confirm(row.id, operator('cli_eve')),
    ]);
    expect(confirmed.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await carryOut(row)).toMatchObject({ status: 'returned' });
    expect((await auditOf(row.id)).map(({ action, result }) => [action, result])).toEqual([
      ['suspense.return', 'proposed'],
      ['suspense.confirm', 'returning'],
    ]);
  });

  test('the limit itself needs one', async () => {
    const row = await suspended({ money: EUR(FOUR_EYES_MINOR) });
    expect(await service.giveBack(row.id, { reason: 'x' }, ANN)).toMatchObject({ status: 'returning' });
    await carryOut(row);
  });

  test('a proposal is withdrawn, and something else proposed', async () => {
    const row = await large();
    await service.giveBack(row.id, { reason: 'not ours' }, ANN);
    expect(await service.withdraw(row.id, { reason: 'it is' }, BOB)).toMatchObject({
      status: 'open',
      decision: null,
      review_since: expect.any(Date),
    });
    await expect(service.withdraw(row.id, { reason: 'again' }, BOB)).rejects.toMatchObject({ code: 'invalid_state' });
    const { id } = await waiting();
    await service.match(row.id, { paymentId: id, reason: 'it is' }, BOB);
    await database.tenant(tenant.tenantId, async (trx) => {
      const payment = await lockPayment(trx, id);
      await applyChange(trx, ledger, payment, { ...ENDED, to: 'expired' });
    });
    await expect(service.confirm(row.id, ANN)).rejects.toMatchObject({ code: 'invalid_state' });
    expect(await rowOf(row.transfer_id)).toMatchObject({ status: 'proposed' });
  });

  test('the database refuses a decision without the second operator', async () => {
    const row = await large();
    await service.giveBack(row.id, { reason: 'not ours' }, ANN);
    const forced = (change: object) => database.system('unmatched_transfers').where({ id: row.id }).update(change);
    await expect(forced({ status: 'returning' })).rejects.toMatchObject({
      constraint: 'unmatched_transfers_four_eyes',
    });
    await expect(forced({ status: 'returning', confirmed_by: ANN.id })).rejects.toMatchObject({
      constraint: 'unmatched_transfers_four_eyes',
    });
  });
});

describe('the books', () => {
  test('show money in suspense that no row has, and a row that is not booked', async () => {
    const admin = openAdmin(place.adminUrl);
    const found = async (change: (trx: Trx) => Promise<unknown>) => {
      const trx = await admin.transaction();
      try {
        await change(trx as Trx);
        return (await auditBooks(trx)).findings.map(({ check }) => check);
      } finally {
        await trx.rollback();
      }
    };
    const row = await suspended();
    const isBooked = 'an incoming transfer that matched nothing is booked when it came, and when it went on';
    const isWhole = 'suspense holds what waits in it, per tenant, processor and currency';
    const update = (change: object) => (trx: Trx) => trx('unmatched_transfers').where({ id: row.id }).update(change);
    const decided = { reason: 'x', decided_by: 'x', decided_at: new Date() };
    expect(await found(update({ amount_minor: 999n }))).toEqual([isBooked, isWhole]);
    expect(await found(update({ status: 'returned', decision: 'return', ...decided }))).toEqual([isBooked, isWhole]);
    expect(
      await found((trx) =>
        new Ledger().book(trx, tenant.tenantId, 'EUR', [
          {
            phase: 'posted',
            debit: { kind: 'provider_receivable', owner: 'b' },
            credit: { kind: 'suspense', owner: 'b' },
            amountMinor: 5n,
            cause: 'utr_none/arrived' as never,
          },
        ]),
      ),
    ).toEqual(['every entry is about something that is there', isWhole]);
    await admin.destroy();
  });

  test("agree with the processor's own books, or say where they do not", async () => {
    const [kept, back] = [await suspended(), await suspended()];
    await service.giveBack(back.id, { reason: 'x' }, ANN);
    const there = ({ transfer_id }: UnmatchedTransferRow, isHeld: boolean) => ({
      transferId: transfer_id,
      currency: 'EUR',
      amountMinor: 1_000n,
      isHeld,
    });
    const audit = async (...all: ReturnType<typeof there>[]) => {
      const { open, findings } = await auditTransfers(database.ops, 'b', all);
      return { open, subjects: findings.map(({ subject }) => subject) };
    };
    expect(await audit(there(kept, true), there(back, true))).toEqual({ open: 1, subjects: [] });
    await carryOut(back);
    expect(await audit(there(kept, true), there(back, false))).toEqual({ open: 0, subjects: [] });
    const unheard = { ...there(kept, true), transferId: 'tr_unheard' };
    expect(await audit(there(kept, false), there(back, true), unheard)).toEqual({
      open: 0,
      subjects: [kept.transfer_id, back.transfer_id, 'tr_unheard'],
    });
    const young = await reported({}, { young: true });
    await transfers.place(young);
    const waits = { ...there(kept, true), transferId: young.event.transferId! };
    expect(await audit(waits)).toEqual({ open: 1, subjects: [] });
  });

  test('agree with a settlement report about a transfer that came, was matched, or went back', async () => {
    const { id } = await waiting();
    const [kept, matched, returned] = [await suspended(), await suspended(), await suspended()];
    await service.match(matched.id, { paymentId: id, reason: 'x' }, ANN);
    await service.giveBack(returned.id, { reason: 'x' }, ANN);
    await carryOut(matched);
    await carryOut(returned);
    const line = (kind: SettlementLine['kind'], { transfer_id }: UnmatchedTransferRow, reference = transfer_id) => ({
      lineId: `line_${randomUUID()}`,
      kind,
      reference,
      paymentReference: transfer_id,
      money: EUR(1_000n),
      feeMinor: 0n,
    });
    const batchId = `bb_${randomUUID()}`;
    const [one, two, three] = [line('capture', kept), line('capture', matched), line('capture', returned)];
    const [four, five] = [line('refund', matched), line('refund', returned, `${returned.id}-1`)];
    const stranger = line('capture', { ...kept, transfer_id: 'tr_of_nobody' });
    reports.set(batchId, [one!, two!, three!, four!, five!, stranger]);
    const settling = { database, ledger, connectors };
    const view = await bookBatch(settling, { processor: 'b', batchId }, true);
    expect(view).toEqual({ lines: 6, booked: 5, waiting: 1 });
    const lines = await database.ops('settlement_lines').where({ batch_id: batchId, outcome: 'matched' });
    expect(lines.map(({ movement }) => movement).sort()).toEqual(
      [
        `${kept.id}/arrived`,
        `${matched.id}/arrived`,
        `${returned.id}/arrived`,
        `${matched.id}/matched`,
        `${returned.id}/returned`,
      ].sort(),
    );
    const differences = await database.ops('reconciliation_differences').where({ batch_id: batchId });
    expect(differences).toMatchObject([{ kind: 'missing_here', payment_reference: 'tr_of_nobody', tenant_id: null }]);
  });
});

test('the list filters by state, by what did not fit, and by what is for review', async () => {
  const row = await suspended({ reference: (await waiting({ of: tenant.other, status: 'failed' })).iban });
  const listed = async (filter: object) =>
    (await service.list({ limit: 200, ...filter })).map(({ id }) => id).includes(row.id);
  expect(await listed({ status: 'open', mismatch: 'payment_not_waiting', review: true })).toBe(true);
  expect(await listed({ tenantId: tenant.other.tenantId })).toBe(true);
  for (const filter of [{ status: 'matched' }, { mismatch: 'no_payment' }, { review: false }, { tenantId: 'ten_x' }])
    expect(await listed(filter)).toBe(false);
});
