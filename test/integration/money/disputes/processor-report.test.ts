import { randomBytes, randomUUID } from 'node:crypto';
import { newId } from '../../../../src/domain/ids';
import { type Database, openDatabase, violates } from '../../../../src/foundation/db/database';
import { auditBooks } from '../../../../src/money/books-check/books-check';
import type { DisputeRow } from '../../../../src/money/disputes/dispute';
import { type Heard, hear, type Said } from '../../../../src/money/disputes/processor-report';
import { Ledger } from '../../../../src/money/ledger/ledger';
import * as bookings from '../../../../src/money/payments/bookings';
import { lockPayment, type PaymentRow, type RefundRow } from '../../../../src/money/payments/payment';
import { recordArrival } from '../../../../src/money/payments/receipt';
import { reserveRefund } from '../../../../src/money/payments/refunds';
import { applyChange } from '../../../../src/money/payments/transition';
import { writeCatalogue } from '../../../../src/money/routing/method-catalogue';
import { CallbackSecrets } from '../../../../src/people/identity/callback-secrets';
import { type SeededTenant, seedSandbox } from '../../../../src/sandbox/seed/tenants';
import { createTestDatabase } from '../../../setup/environment';
import { capturedPayment } from '../payments/captured';

const ledger = new Ledger();
const CASE = 'case_1';
const EUR = (amountMinor: bigint) => ({ amountMinor, currency: 'EUR' });

let place: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
let tenant: SeededTenant;

beforeAll(async () => {
  place = await createTestDatabase('disputes');
  database = openDatabase(place.logins, 8, 'test-disputes');
  await writeCatalogue(database.system);
  tenant = await seedSandbox(database.system, new CallbackSecrets(`k1:${randomBytes(32).toString('base64')}`));
});
afterEach(async () => expect((await auditBooks(database.ops)).findings).toEqual([]));
afterAll(async () => {
  await database.close();
  await place.drop();
});

const captured = () => capturedPayment(database, ledger, tenant);

/** Each test has cases of its own. */
const caseOf = (paymentId: string, caseId: string) => `${paymentId}/${caseId}`;

function says(paymentId: string, word: Said['word'], more: Partial<Said> = {}, caseId = CASE): Promise<Heard> {
  return database.tenant(tenant.tenantId, async (trx) => {
    const payment = await trx('payments').where({ id: paymentId }).forUpdate().first();
    const known = await trx('disputes')
      .where({ processor: 'a', case_id: caseOf(paymentId, caseId) })
      .forUpdate()
      .first();
    const said: Said = {
      processor: 'a',
      caseId: caseOf(paymentId, caseId),
      word,
      cause: 'inquiry',
      money: EUR(1_000n),
      ...more,
    };
    return hear(trx, ledger, payment, known, said, 60_000);
  });
}

const paymentOf = (id: string): Promise<PaymentRow> => database.ops('payments').where({ id }).first();
const movements = async (paymentId: string): Promise<string[]> => {
  const rows = await database
    .ops('ledger_transfers as t')
    .join('disputes as d', (on) => on.on(database.ops.raw("starts_with(t.cause, d.id || '/')")))
    .where('d.payment_id', paymentId)
    .orderBy('t.id')
    .select('t.cause');
  return rows.map(({ cause }) => cause.split('/')[1]);
};
const stepsOf = async ({ id }: DisputeRow): Promise<[string, bigint][]> =>
  (await database.ops('dispute_events').where({ dispute_id: id }).orderBy('id')).map((event) => [
    event.step,
    event.moved_minor,
  ]);
const refund = (paymentId: string, amountMinor: bigint) =>
  reserveRefund(database.tenant, ledger, {
    refundId: newId('refund'),
    tenantId: tenant.tenantId,
    organizationId: tenant.organizationId,
    paymentId,
    amountFor: () => amountMinor,
  });
/** The processor declines a refund that was under way. */
const declined = (paymentId: string, held: RefundRow) =>
  database.tenant(tenant.tenantId, async (trx) => {
    await trx('refunds').where({ id: held.id }).update({ status: 'declined' });
    await applyChange(trx, ledger, await lockPayment(trx, paymentId), {
      to: 'captured',
      resultCode: 0,
      detail: '',
      cause: 'inquiry',
      columns: { refund_reserved_minor: 0n },
      movements: bookings.refund(await lockPayment(trx, paymentId), held, 'void'),
    });
  });
/** What the merchant is owed in the end, over all of its payments. */
const payable = async (): Promise<bigint> => {
  const { rows } = await database.ops.raw(
    `SELECT coalesce(-sum(signed_minor), 0)::text AS owed FROM ledger_entries e JOIN ledger_accounts a ON a.id = e.account_id
     WHERE a.kind = 'merchant_payable' AND a.owner = ?`,
    [tenant.organizationId],
  );
  return BigInt(rows[0].owed);
};

const ends: [string, Said['word'][], string, string, string[], bigint][] = [
  ['charged back', ['charged_back'], 'open', 'charged_back', ['charged-back'], 0n],
  ['won', ['charged_back', 'chargeback_won'], 'won', 'captured', ['charged-back', 'won'], 1_000n],
  ['lost', ['charged_back', 'chargeback_lost'], 'lost', 'charged_back', ['charged-back'], 0n],
  [
    'back by second presentment',
    ['charged_back', 'second_presentment'],
    'open',
    'captured',
    ['charged-back', 'second-presentment'],
    1_000n,
  ],
  [
    'won after it',
    ['charged_back', 'second_presentment', 'chargeback_won'],
    'won',
    'captured',
    ['charged-back', 'second-presentment'],
    1_000n,
  ],
  [
    'lost after it',
    ['charged_back', 'second_presentment', 'chargeback_lost'],
    'lost',
    'charged_back',
    ['charged-back', 'second-presentment', 'lost'],
    0n,
  ],
  ['returned by the bank', ['returned'], 'lost', 'charged_back', ['charged-back'], 0n],
  [
    'won before the chargeback was told',
    ['chargeback_won', 'charged_back'],
    'won',
    'captured',
    ['charged-back', 'won'],
    1_000n,
  ],
  [
    'lost before the chargeback was told',
    ['chargeback_lost', 'charged_back'],
    'lost',
    'charged_back',
    ['charged-back'],
    0n,
  ],
];

test.each(ends)('%s: state, payment and books, each step once', async (_title, words, status, paid, booked, owed) => {
  const before = await payable();
  const paymentId = await captured();
  for (const word of words) for (let time = 0; time < 3; time += 1) await says(paymentId, word);
  const [dispute]: DisputeRow[] = await database.ops('disputes').where({ payment_id: paymentId });
  expect(dispute).toMatchObject({ status, amount_minor: 1_000n });
  expect(await paymentOf(paymentId)).toMatchObject({ status: paid });
  expect(await movements(paymentId)).toEqual(booked);
  expect((await payable()) - before).toBe(owed);
  expect(dispute!.closed_at === null).toBe(status === 'open');
});

test.each([
  ['lost', ['chargeback_lost'], 'lost', 0n],
  ['back by second presentment', ['second_presentment'], 'open', 1_000n],
  ['lost after it', ['chargeback_lost', 'second_presentment'], 'lost', 0n],
] as const)(
  'what was said of a dispute that did not fit is applied once it fits: %s',
  async (_, words, status, left) => {
    const before = await payable();
    const paymentId = await captured();
    const held = await refund(paymentId, 1_000n);
    for (const word of words) expect(await says(paymentId, word)).toMatchObject({ outcome: 'flagged' });
    expect(await payable()).toBe(before + 1_000n);
    await declined(paymentId, held);
    const { dispute } = await says(paymentId, 'charged_back');
    expect(dispute).toMatchObject({ status });
    expect((await payable()) - before).toBe(left);
  },
);

test('the timeline says what each step moved', async () => {
  const paymentId = await captured();
  await says(paymentId, 'charged_back', { reason: 'FRAUD' });
  await says(paymentId, 'second_presentment');
  const { dispute } = await says(paymentId, 'chargeback_lost');
  expect(await stepsOf(dispute!)).toEqual([
    ['charged_back', -1_000n],
    ['second_presentment', 1_000n],
    ['lost', -1_000n],
  ]);
  expect(dispute!.reason).toBe('FRAUD');
});

test('refund and chargeback together never exceed the capture: the chargeback is flagged, and opens once it fits', async () => {
  const paymentId = await captured();
  const held = await refund(paymentId, 400n);
  expect(await says(paymentId, 'charged_back')).toMatchObject({ outcome: 'flagged', dispute: { status: 'flagged' } });
  expect(await says(paymentId, 'chargeback_lost')).toMatchObject({ outcome: 'flagged' });
  expect(await movements(paymentId)).toEqual([]);
  expect(await paymentOf(paymentId)).toMatchObject({ status: 'captured', charged_back_minor: 0n });
  await declined(paymentId, held);
  expect(await says(paymentId, 'chargeback_lost')).toMatchObject({ outcome: 'applied', dispute: { status: 'lost' } });
  expect(await paymentOf(paymentId)).toMatchObject({ status: 'charged_back', charged_back_minor: 1_000n });
});

test('a flagged dispute that is won took nothing', async () => {
  const paymentId = await captured();
  await refund(paymentId, 1n);
  await says(paymentId, 'charged_back');
  expect(await says(paymentId, 'chargeback_won')).toMatchObject({ outcome: 'applied', dispute: { status: 'won' } });
  expect(await movements(paymentId)).toEqual([]);
});

test('two disputes of one payment stand side by side', async () => {
  const paymentId = await captured();
  await says(paymentId, 'charged_back', { money: EUR(600n) }, 'one');
  await says(paymentId, 'charged_back', { money: EUR(400n) }, 'two');
  expect(await says(paymentId, 'charged_back', { money: EUR(1n) }, 'three')).toMatchObject({ outcome: 'flagged' });
  await says(paymentId, 'chargeback_won', { money: EUR(600n) }, 'one');
  expect(await paymentOf(paymentId)).toMatchObject({ status: 'charged_back', charged_back_minor: 400n });
});

test('money that was charged back, or is contested, cannot be refunded', async () => {
  const paymentId = await captured();
  await says(paymentId, 'charged_back', { money: EUR(700n) });
  await expect(refund(paymentId, 1n)).rejects.toMatchObject({ code: 'invalid_state' });
  await says(paymentId, 'second_presentment', { money: EUR(700n) });
  await expect(refund(paymentId, 301n)).rejects.toMatchObject({ code: 'refund_exceeds_captured' });
  await refund(paymentId, 300n);
  await says(paymentId, 'chargeback_lost', { money: EUR(700n) });
  expect(await paymentOf(paymentId)).toMatchObject({ charged_back_minor: 700n, contested_minor: 0n });
});

test('the database itself refuses contested money beyond the capture', async () => {
  const paymentId = await captured();
  const contest = database.tenant(tenant.tenantId, (trx) =>
    trx('payments').where({ id: paymentId }).update({ contested_minor: 1_001n }),
  );
  const error: unknown = await contest.catch((reason: unknown) => reason);
  expect(violates(error, 'payments_refunds_within_capture')).toBe(true);
});

test.each<[string, Partial<Said>]>([
  ['another amount', { money: EUR(999n) }],
  ['another currency', { money: { amountMinor: 1_000n, currency: 'USD' } }],
])('an outcome of %s is flagged and changes nothing', async (_title, more) => {
  const paymentId = await captured();
  await says(paymentId, 'charged_back');
  expect(await says(paymentId, 'chargeback_won', more)).toMatchObject({
    outcome: 'flagged',
    dispute: { status: 'open' },
  });
  expect(await movements(paymentId)).toEqual(['charged-back']);
});

test('the opposite of the last word is flagged, its repetition is not', async () => {
  const paymentId = await captured();
  await says(paymentId, 'charged_back');
  await says(paymentId, 'chargeback_won');
  expect(await says(paymentId, 'chargeback_won')).toMatchObject({ outcome: 'ignored' });
  expect(await says(paymentId, 'chargeback_lost')).toMatchObject({ outcome: 'flagged', dispute: { status: 'won' } });
});

test('chargebacks of one case told at once are booked once', async () => {
  const paymentId = await captured();
  const heard = await Promise.all(Array.from({ length: 8 }, () => says(paymentId, 'charged_back')));
  expect(heard.filter(({ outcome }) => outcome === 'applied')).toHaveLength(1);
  expect(await movements(paymentId)).toEqual(['charged-back']);
});

describe('a chargeback at another processor than the one that serves the payment', () => {
  const receiptsOf = (paymentId: string) => database.ops('unapplied_receipts').where({ payment_id: paymentId });
  const chargeBack = (paymentId: string) => {
    const caseId = randomUUID();
    return database.tenant(tenant.tenantId, async (trx) => {
      const said: Said = { word: 'charged_back', processor: 'c', caseId, money: EUR(1_000n), cause: 'inquiry' };
      const known = await trx('disputes').where({ processor: 'c', case_id: caseId }).first();
      return hear(trx, ledger, await lockPayment(trx, paymentId), known, said, 60_000);
    });
  };

  test('touches nothing of the payment, and is for ops', async () => {
    const paymentId = await capturedPayment(database, ledger, tenant);
    expect(await chargeBack(paymentId)).toMatchObject({ outcome: 'flagged', dispute: { status: 'flagged' } });
    expect(await paymentOf(paymentId)).toMatchObject({ status: 'captured', charged_back_minor: 0n });
    expect(await movements(paymentId)).toEqual([]);
  });

  test('ends the return of what that processor took after all: the money goes back once', async () => {
    const paymentId = await capturedPayment(database, ledger, tenant);
    await database.tenant(tenant.tenantId, async (trx) =>
      recordArrival(trx, ledger, await lockPayment(trx, paymentId), {
        processor: 'c',
        money: EUR(1_000n),
        isTaken: true,
        detail: 'Processor c took money after all.',
        cause: 'inquiry',
      }),
    );
    expect(await chargeBack(paymentId)).toMatchObject({ outcome: 'flagged' });
    expect(await receiptsOf(paymentId)).toMatchObject([{ status: 'returned' }]);
    expect(await chargeBack(paymentId)).toMatchObject({ outcome: 'flagged' });
    expect(await paymentOf(paymentId)).toMatchObject({ status: 'captured', charged_back_minor: 0n });
    const booked = await database.ops('ledger_transfers').where('cause', 'like', 'rcp\\_%').select('cause');
    expect(booked.map(({ cause }) => cause.split('/')[1])).toEqual(['arrived', 'returned']);
  });
});
