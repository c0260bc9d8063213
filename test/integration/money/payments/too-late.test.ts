import { randomUUID } from 'node:crypto';
import { newId } from '../../../../src/domain/ids';
import type { PaymentStanding } from '../../../../src/domain/processor-answers';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { FirstAnswers } from '../../../../src/foundation/temporal/first-answer';
import { auditBooks } from '../../../../src/money/books-check/books-check';
import { Ledger } from '../../../../src/money/ledger/ledger';
import { orderExpiry, orderOperation } from '../../../../src/money/payments/operation';
import type { OperationRow } from '../../../../src/money/payments/payment';
import { type Booking, bookAnswer, bookOperationAnswer } from '../../../../src/money/payments/steps/book-answer';
import { writeCatalogue } from '../../../../src/money/routing/method-catalogue';
import { CallbackSecrets } from '../../../../src/people/identity/callback-secrets';
import { type SeededTenant, seedSandbox } from '../../../../src/sandbox/seed/tenants';
import { createTestDatabase } from '../../../setup/environment';
import { claimed } from './captured';

/** Transfers that payers send when nobody waits for them any more, in whatever amount, on the real database. */

const KEYS = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
const HOUR = 3_600_000;
let place: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
let tenant: SeededTenant;
let deps: Booking;

beforeAll(async () => {
  place = await createTestDatabase('too-late');
  database = openDatabase(place.logins, 4, 'test-too-late');
  await writeCatalogue(database.system);
  tenant = await seedSandbox(database.system, new CallbackSecrets(KEYS));
  deps = {
    database,
    ledger: new Ledger(),
    firstAnswers: new FirstAnswers(),
    connectors: { get: () => ({ inFlightMs: 1_000 }) as never },
    timers: { authorizationTtlMs: HOUR, payerActionTtlMs: HOUR, payerTransferTtlMs: HOUR, reviewAfterMs: HOUR },
  } as unknown as Booking;
});
afterEach(async () => expect((await auditBooks(database.ops)).findings.slice(0, 5)).toEqual([]));
afterAll(async () => {
  await database.close();
  await place.drop();
});

/** A bank transfer of 100.00 EUR that is asked for; its payer's time is up. */
async function askedFor() {
  const id = newId('payment');
  await database.tenant(tenant.tenantId, async (trx) => {
    await trx('payments').insert({
      id,
      tenant_id: tenant.tenantId,
      organization_id: tenant.organizationId,
      terminal_id: tenant.terminalId,
      merchant_transaction_id: randomUUID(),
      method_id: 1,
      kind: 'bank_transfer',
      brand: 'BANK_TRANSFER',
      processor: 'b',
      currency: 'EUR',
      amount_minor: 10_000n,
      capture_mode: 'automatic',
      status: 'initiated',
      result_code: 100,
      status_detail: '',
      request: '{}',
    });
    await claimed(trx, { id, tenant_id: tenant.tenantId });
  });
  const input = { paymentId: id, tenantId: tenant.tenantId };
  const expiresAt = new Date().toISOString();
  const action = { type: 'redirect', url: 'https://bank.example', method: 'GET', expiresAt } as never;
  await bookAnswer(
    deps,
    input,
    { kind: 'payer_action', processorReference: 'there-1', action, detail: 'Waiting for the transfer.' },
    'inquiry',
  );
  return input;
}

const taken = (amountMinor: bigint) =>
  ({ kind: 'captured', processorReference: 'there-1', money: { amountMinor, currency: 'EUR' } }) as const;

const stands = async (id: string) => ({
  ...(await database.system('payments').where({ id }).first('status', 'captured_minor', 'review_reason')),
  operations: await database.system('payment_operations').where({ payment_id: id }).pluck('status'),
  returning: await database.system('unapplied_receipts').where({ payment_id: id }).pluck('amount_minor'),
});

type Input = Awaited<ReturnType<typeof askedFor>>;
type Way = (input: Input, standing: Extract<PaymentStanding, { kind: 'captured' }>) => Promise<unknown>;
const expiry = async (input: Input) => (await orderExpiry(database, input)) as OperationRow;

/** How we may learn of it, and what then becomes of the void. */
const WAYS: [string, string[], Way][] = [
  ['asked when the time is up', [], (input, standing) => bookAnswer(deps, input, standing, 'inquiry')],
  [
    'asked after a void at expiry whose answer was lost',
    ['succeeded'],
    async (input, standing) => {
      await expiry(input);
      await bookAnswer(deps, input, standing, 'inquiry');
    },
  ],
  [
    'told as the reason why the void at expiry is refused',
    ['succeeded'],
    async (input, standing) => {
      const refused = { kind: 'refused', detail: 'it is paid', standing } as const;
      await bookOperationAnswer(deps, await expiry(input), refused);
    },
  ],
];

describe.each(WAYS)('%s', (_, operations, learn) => {
  test.each([6_000n, 11_000n])('another amount goes back whole, and the payment expires (%s)', async (amount) => {
    const input = await askedFor();
    await learn(input, taken(amount));
    expect(await stands(input.paymentId)).toEqual({
      status: 'expired',
      captured_minor: 0n,
      review_reason: 'late money',
      operations,
      returning: [amount],
    });
  });

  test('the amount that was asked for pays it', async () => {
    const input = await askedFor();
    await learn(input, taken(10_000n));
    const paid = await stands(input.paymentId);
    expect(paid).toMatchObject({ status: 'captured', captured_minor: 10_000n, returning: [] });
  });
});

test('a payment that was cancelled gives back whatever comes', async () => {
  const input = await askedFor();
  await orderOperation(deps, input, { operationId: randomUUID(), kind: 'void' });
  await bookAnswer(deps, input, taken(11_000n), 'inquiry');
  const gone = await stands(input.paymentId);
  expect(gone).toMatchObject({ status: 'cancelled', operations: ['succeeded'], returning: [11_000n] });
});
