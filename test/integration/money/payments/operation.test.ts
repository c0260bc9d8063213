import { randomBytes, randomUUID } from 'node:crypto';
import { newId } from '../../../../src/domain/ids';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import type { Engine } from '../../../../src/foundation/temporal/engine';
import { Vault } from '../../../../src/foundation/vault/vault';
import { auditBooks } from '../../../../src/money/books-check/books-check';
import { Ledger } from '../../../../src/money/ledger/ledger';
import * as bookings from '../../../../src/money/payments/bookings';
import type { PaymentRow } from '../../../../src/money/payments/payment';
import type { PaymentService } from '../../../../src/money/payments/service';
import { applyChange } from '../../../../src/money/payments/transition';
import { writeCatalogue } from '../../../../src/money/routing/method-catalogue';
import { CallbackSecrets } from '../../../../src/people/identity/callback-secrets';
import { type SeededTenant, seedSandbox } from '../../../../src/sandbox/seed/tenants';
import { createTestDatabase } from '../../../setup/environment';
import { loneEngine } from '../../../setup/lone-engine';
import { claimed } from './captured';
import { serviceWithoutWorkers } from './service-without-workers';

/** Orders of captures and cancellations, with the engine itself and no worker: nobody carries them out yet. */

const KEYS = `k1:${randomBytes(32).toString('base64')}`;
const ledger = new Ledger();
let place: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
let tenant: SeededTenant;
let engine: Engine;
let payments: PaymentService;

beforeAll(async () => {
  place = await createTestDatabase('operations');
  database = openDatabase(place.logins, 8, 'test-operations');
  await writeCatalogue(database.system);
  tenant = await seedSandbox(database.system, new CallbackSecrets(KEYS));
  engine = await loneEngine();
  const vault = new Vault({ keys: KEYS, hmacKey: KEYS.slice(3), cvvTtlMs: 60_000 });
  payments = serviceWithoutWorkers(database, vault, engine);
});
afterEach(async () => expect((await auditBooks(database.ops)).findings).toEqual([]));
afterAll(async () => {
  await engine?.close();
  await database.close();
  await place.drop();
});

/** A payment that was never sent, or that was authorized by hand. */
async function payment(status: 'initiated' | 'authorized'): Promise<PaymentRow> {
  const { tenantId, organizationId, terminalId } = tenant;
  return database.tenant(tenantId, async (trx) => {
    const [row]: PaymentRow[] = await trx('payments')
      .insert({
        id: newId('payment'),
        tenant_id: tenantId,
        organization_id: organizationId,
        terminal_id: terminalId,
        merchant_transaction_id: randomUUID(),
        method_id: 1,
        kind: 'card',
        brand: 'VISA',
        processor: 'a',
        currency: 'EUR',
        amount_minor: 1_000n,
        capture_mode: 'manual',
        status: 'initiated',
        result_code: 100,
        status_detail: '',
        request: '{}',
      })
      .returning('*');
    if (status === 'initiated') return row!;
    const sent = await claimed(trx, row!);
    return applyChange(trx, ledger, sent, {
      to: 'authorized',
      resultCode: 0,
      detail: 'authorized',
      cause: 'authorize',
      columns: { authorized_minor: 1_000n },
      movements: bookings.hold(sent, 1_000n),
    });
  });
}

const scope = () => ({ tenantId: tenant.tenantId, organizationId: tenant.organizationId });
const operations = (paymentId: string) => database.system('payment_operations').where({ payment_id: paymentId });
const signalsOf = async (paymentId: string): Promise<number> => {
  const { events } = await engine.client.workflow.getHandle(`payment/${paymentId}`).fetchHistory();
  return events!.filter((event) => event.workflowExecutionSignaledEventAttributes).length;
};

test.each(['capture', 'cancel'] as const)(
  'a %s is accepted and written down while no worker lives, once',
  async (name) => {
    const { id } = await payment('authorized');
    const operationId = newId('capture');
    const order = () => payments[name](scope(), id, { operationId });
    expect((await Promise.all([order(), order(), order()])).map(({ status }) => status)).toEqual(
      Array(3).fill('authorized'),
    );
    expect(await operations(id)).toMatchObject([{ id: operationId, status: 'pending', sends: 0 }]);
    // The flow was gone: it was started anew, and knows that something waits.
    expect(await signalsOf(id)).toBeGreaterThan(0);
    await expect(payments.cancel(scope(), id, { operationId: newId('cancellation') })).rejects.toMatchObject({
      code: 'invalid_state',
    });
  },
);

test('a payment that was never sent is cancelled at once, and never will be', async () => {
  const { id } = await payment('initiated');
  expect(await payments.cancel(scope(), id, { operationId: newId('cancellation') })).toMatchObject({
    status: 'cancelled',
    result_code: 110,
  });
  expect(await operations(id)).toMatchObject([{ kind: 'void', status: 'succeeded', sends: 0 }]);
  const { rows } = await database.app.raw('SELECT * FROM payment_claim_2(?, ?)', [tenant.tenantId, id]);
  expect(rows).toEqual([]);
});

test.each([
  ['more than was authorized', 'authorized', 1_001n, 'capture_exceeds_authorized'],
  ['what is not authorized', 'initiated', 1_000n, 'invalid_state'],
] as const)('a capture of %s is refused, and nothing is written down', async (_title, status, amountMinor, code) => {
  const { id } = await payment(status);
  const capture = payments.capture(scope(), id, { operationId: newId('capture'), amountFor: () => amountMinor });
  await expect(capture).rejects.toMatchObject({ code });
  expect(await operations(id)).toEqual([]);
});
