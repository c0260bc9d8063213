import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { Connector } from '../../../../src/domain/connector';
import { newId } from '../../../../src/domain/ids';
import type { PaymentInquiry } from '../../../../src/domain/processor-answers';
import type { Config } from '../../../../src/foundation/config/config';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { openAdmin } from '../../../../src/foundation/db/migrate';
import { auditBooks } from '../../../../src/money/books-check/books-check';
import { Ledger } from '../../../../src/money/ledger/ledger';
import { listAttempts } from '../../../../src/money/payments/attempt-list';
import { lockPayment } from '../../../../src/money/payments/payment';
import { lockReceipt, recordArrival, recordReturned } from '../../../../src/money/payments/receipt';
import { reserveRefund } from '../../../../src/money/payments/refunds';
import { askAboutLateCharges } from '../../../../src/money/payments/steps/late-charge';
import { writeCatalogue } from '../../../../src/money/routing/method-catalogue';
import { CallbackSecrets } from '../../../../src/people/identity/callback-secrets';
import { type SeededTenant, seedSandbox } from '../../../../src/sandbox/seed/tenants';
import { createTestDatabase } from '../../../setup/environment';
import { capturedPayment, claimed } from './captured';

/** Attempts as rows, on the real database. */

const KEYS = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
const ledger = new Ledger();
let place: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
let admin: Knex;
let tenant: SeededTenant;

beforeAll(async () => {
  place = await createTestDatabase('attempts');
  database = openDatabase(place.logins, 4, 'test-attempts');
  admin = openAdmin(place.adminUrl);
  await writeCatalogue(database.system);
  tenant = await seedSandbox(database.system, new CallbackSecrets(KEYS));
});
afterEach(async () => expect((await auditBooks(database.ops)).findings.slice(0, 5)).toEqual([]));
afterAll(async () => {
  await admin.destroy();
  await database.close();
  await place.drop();
});

const within = <T>(work: (trx: Knex.Transaction) => Promise<T>) => database.tenant(tenant.tenantId, work);
const attemptsOf = (id: string) => database.system('payment_attempts').where({ payment_id: id }).orderBy('number');

interface Old {
  status: string;
  attempts?: number;
  processor?: string;
  processors?: string[];
  result_code?: number;
  provider_reference?: string;
}

/** A payment as it was accepted, or as a version wrote it that had no rows for attempts. */
async function payment({ processors, ...columns }: Old, connection: Knex = database.system): Promise<string> {
  const id = newId('payment');
  await connection('payments').insert({
    id,
    tenant_id: tenant.tenantId,
    organization_id: tenant.organizationId,
    terminal_id: tenant.terminalId,
    merchant_transaction_id: randomUUID(),
    method_id: 1,
    kind: 'card',
    brand: 'VISA',
    processor: 'a',
    currency: 'EUR',
    amount_minor: 1_000n,
    capture_mode: 'manual',
    result_code: 100,
    status_detail: 'as it was',
    request: JSON.stringify(processors ? { route: { processors, reason: 'a rule' } } : {}),
    ...columns,
  });
  return id;
}

const MIGRATION = '20261122000600_create_payment_attempts';

/** The steps of the schema from the one that makes attempts, undone and done again around `work`. */
async function beforeAttempts(work: () => Promise<void>): Promise<void> {
  let undone: string;
  do {
    const [, [name]]: [number, string[]] = await admin.migrate.down();
    undone = name!;
  } while (!undone.includes(MIGRATION));
  try {
    await work();
  } finally {
    await admin.migrate.latest();
  }
}

test('payments of the version before get their attempts', async () => {
  const ids: Record<string, string> = {};
  await beforeAttempts(async () => {
    const old = async (name: string, columns: Old) => {
      ids[name] = await payment({ attempts: 1, ...columns }, admin);
    };
    await old('never sent', { status: 'initiated', attempts: 0 });
    await old('being sent', { status: 'initiated' });
    await old('asked', { status: 'requires_action', provider_reference: 'ref-1' });
    await old('declined', { status: 'failed', result_code: 200 });
    await old('nothing charged', { status: 'failed', result_code: 501 });
    await old('expired', { status: 'expired', result_code: 302 });
    await old('third', { status: 'pending', processor: 'a', processors: ['c', 'g', 'a', 'b'] });
    await admin('payment_operations').insert({
      id: 'can_old',
      tenant_id: tenant.tenantId,
      payment_id: ids.asked,
      kind: 'void',
      amount_minor: 1_000n,
      status: 'failed',
      cause: 'void',
    });
    await admin('unapplied_receipts').insert({
      id: 'rcp_old',
      tenant_id: tenant.tenantId,
      organization_id: tenant.organizationId,
      payment_id: ids.expired,
      processor: 'b',
      money: 'charge',
      currency: 'EUR',
      amount_minor: 1_000n,
      is_taken: false,
      status: 'returned',
      status_detail: 'released',
      reference: 'rcp_old',
      idempotency_key: 'receipt/rcp_old',
    });
  });
  const became = async (name: string) =>
    (await attemptsOf(ids[name]!)).map(({ processor, status, sends }) => `${processor} ${status} ${sends}`);
  expect(await became('never sent')).toEqual([]);
  expect(await became('being sent')).toEqual(['a pending 1']);
  expect(await became('asked')).toEqual(['a requires_action 1']);
  expect(await became('declined')).toEqual(['a declined 1']);
  expect(await became('nothing charged')).toEqual(['a nothing_charged 1']);
  expect(await became('expired')).toEqual(['a voided 1', 'b voided 0']);
  expect(await became('third')).toEqual(['c nothing_charged 1', 'g nothing_charged 1', 'a pending 1']);
  expect(await attemptsOf(ids.asked!)).toMatchObject([{ processor_reference: 'ref-1', sent_at: expect.any(Date) }]);
  expect(await database.system('payment_operations').where({ id: 'can_old' }).first()).toMatchObject({
    processor: 'a',
  });
});

/** What a process of the version before sends to `payment_move`: nothing of the attempt. */
const moveAsBefore = (id: string, version: number, columns: object) =>
  database.app.raw(
    `SELECT * FROM payment_move(?, ?, ?, ?, 'routing', 'EUR', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', false, NULL, NULL)`,
    [tenant.tenantId, id, version, JSON.stringify(columns)],
  );

test.each([
  [{ status: 'requires_action', provider_reference: 'ref-2' }, 'requires_action'],
  [{ status: 'failed', result_code: 200 }, 'declined'],
  [{ status: 'failed', result_code: 501 }, 'nothing_charged'],
  [{ status: 'cancelled', result_code: 110 }, 'voided'],
  [{ review_reason: 'x' }, 'pending'],
])('a process of the version before that writes %j leaves the attempt %s', async (columns, status) => {
  const id = await payment({ status: 'initiated' });
  const { version } = await within((trx) => claimed(trx, { id, tenant_id: tenant.tenantId }));
  await moveAsBefore(id, version, columns);
  const reference = 'provider_reference' in columns ? columns.provider_reference : null;
  expect(await attemptsOf(id)).toMatchObject([{ processor: 'a', status, sends: 1, processor_reference: reference }]);
});

test('a fail-over of the version before opens an attempt at the next processor', async () => {
  const id = await payment({ status: 'initiated' });
  const { version } = await within((trx) => claimed(trx, { id, tenant_id: tenant.tenantId }));
  await moveAsBefore(id, version, { processor: 'b', submitted_at: new Date(), provider_reference: null });
  expect(await attemptsOf(id)).toMatchObject([
    { number: 1, processor: 'a', status: 'nothing_charged' },
    { number: 2, processor: 'b', status: 'pending', sends: 1 },
  ]);
});

test('a claim that is repeated counts the sends of its attempt', async () => {
  const id = await payment({ status: 'initiated' });
  await within((trx) => claimed(trx, { id, tenant_id: tenant.tenantId }));
  const [{ sent_at: before }] = await attemptsOf(id);
  await within((trx) => claimed(trx, { id, tenant_id: tenant.tenantId }));
  const [again] = await attemptsOf(id);
  expect(again).toMatchObject({ number: 1, sends: 2, status: 'pending' });
  expect(again.sent_at.getTime()).toBeGreaterThanOrEqual(before.getTime());
});

test('money of a processor that was never asked makes an attempt of its own, with its return', async () => {
  const id = await capturedPayment(database, ledger, tenant);
  const arrive = () =>
    within(async (trx) =>
      recordArrival(trx, ledger, await lockPayment(trx, id), {
        processor: 'c',
        money: { amountMinor: 1_000n, currency: 'EUR' },
        isTaken: true,
        detail: 'Processor c took money after all.',
        cause: 'inquiry',
      }),
    );
  const receipt = await arrive();
  expect((await arrive()).id).toBe(receipt.id);
  const listed = () => within(async (trx) => listAttempts(trx, await lockPayment(trx, id)));
  expect(await listed()).toMatchObject([
    { number: 1, processor: 'a', status: 'captured', operations: [{ kind: 'authorize', status: 'succeeded' }] },
    { number: 2, processor: 'c', status: 'captured', operations: [{ kind: 'return', status: 'pending' }] },
  ]);
  await within(async (trx) => {
    const locked = await lockReceipt(trx, receipt.id);
    await recordReturned(trx, ledger, locked.payment, locked.receipt, 'returned');
  });
  expect((await listed())[1]).toMatchObject({ operations: [{ kind: 'return', status: 'succeeded', amount: '10.00' }] });
});

test('a refund belongs to the attempt that took the money', async () => {
  const paymentId = await capturedPayment(database, ledger, tenant);
  const { tenantId, organizationId } = tenant;
  const refundId = newId('refund');
  await reserveRefund(database.tenant, ledger, { refundId, tenantId, organizationId, paymentId });
  expect(await database.system('refunds').where({ id: refundId }).first()).toMatchObject({ processor: 'a' });
  await expect(database.system('refunds').where({ id: refundId }).update({ processor: 'b' })).rejects.toMatchObject({
    constraint: 'refunds_of_attempt',
  });
});

describe('a processor that did not know a payment when its time was over', () => {
  const timers = { inquiryFirstMs: 0, reviewAfterMs: 60_000 } as Config['timers'];
  const answers: PaymentInquiry[] = [];
  const asked: string[] = [];
  const connector = {
    inquirePayment: async (id: string) => {
      asked.push(id);
      return answers.shift() ?? { kind: 'not_found' };
    },
  } as unknown as Connector;
  const round = (more: Partial<Config['timers']> = {}) =>
    askAboutLateCharges({ database, ledger, connectors: { get: () => connector }, timers: { ...timers, ...more } });
  const EUR = { amountMinor: 1_000n, currency: 'EUR' };

  /** A payment that has failed because nobody knew it. */
  async function unknownThere(): Promise<string> {
    const id = await payment({ status: 'initiated' });
    const { version } = await within((trx) => claimed(trx, { id, tenant_id: tenant.tenantId }));
    const attempt = { status: 'nothing_charged', askAgainMs: 0 };
    await moveAsBefore(id, version, { status: 'failed', result_code: 501, attempt });
    asked.length = 0;
    return id;
  }
  const nextOf = async (id: string): Promise<Date | null> => (await attemptsOf(id))[0].ask_again_at;

  test('is asked again, with pauses that grow, and not for ever', async () => {
    const id = await unknownThere();
    await round({ inquiryFirstMs: 20_000 });
    expect(asked).toEqual([id]);
    expect((await nextOf(id))!.getTime()).toBeGreaterThan(Date.now() + 15_000);
    await round();
    expect(asked).toEqual([id]);
    const hourAgo = new Date(Date.now() - 3_600_000);
    await admin('payment_attempts').where({ payment_id: id }).update({ ask_again_at: hourAgo, updated_at: hourAgo });
    await round();
    expect([asked, await nextOf(id)]).toEqual([[id, id], null]);
  });

  test.each([
    ['captured', true],
    ['authorized', false],
  ] as const)('and says %s: it goes back', async (kind, isTaken) => {
    const id = await unknownThere();
    answers.push({ kind, processorReference: 'there', money: EUR });
    await round();
    expect(await database.system('unapplied_receipts').where({ payment_id: id })).toMatchObject([
      { processor: 'a', processor_reference: 'there', is_taken: isTaken, status: 'returning', amount_minor: 1_000n },
    ]);
    expect(await nextOf(id)).toBeNull();
    expect(await database.system('payments').where({ id }).first()).toMatchObject({ status: 'failed' });
  });

  test.each([
    { kind: 'unknown', detail: 'no answer' },
    { kind: 'pending', detail: 'works on it' },
    { kind: 'not_found' },
  ] as PaymentInquiry[])('and says $kind: nothing moves', async (answer) => {
    const id = await unknownThere();
    answers.push(answer);
    await round({ inquiryFirstMs: 20_000 });
    expect(await database.system('unapplied_receipts').where({ payment_id: id })).toEqual([]);
    expect(await nextOf(id)).not.toBeNull();
  });
});

test('the audit finds a payment that does not stand as its attempt does', async () => {
  const id = await capturedPayment(database, ledger, tenant);
  const set = (columns: object) => admin('payment_attempts').where({ payment_id: id }).update(columns);
  await set({ status: 'voided' });
  const { findings } = await auditBooks(database.ops);
  expect(findings).toMatchObject([{ subject: id, detail: 'captured, and voided at processor a' }]);
  await set({ status: 'captured' });
});
