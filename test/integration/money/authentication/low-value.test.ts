import { randomBytes, randomUUID } from 'node:crypto';
import { newId } from '../../../../src/domain/ids';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import type { Engine } from '../../../../src/foundation/temporal/engine';
import { Vault } from '../../../../src/foundation/vault/vault';
import { AuthenticationPolicies } from '../../../../src/money/authentication/policies';
import { Ledger } from '../../../../src/money/ledger/ledger';
import { type PaymentOrder, withdrawPayment } from '../../../../src/money/payments/accept';
import { failAbandonedPayments } from '../../../../src/money/payments/orphans';
import type { PaymentRow } from '../../../../src/money/payments/payment';
import type { PaymentService } from '../../../../src/money/payments/service';
import { writeCatalogue } from '../../../../src/money/routing/method-catalogue';
import { CallbackSecrets } from '../../../../src/people/identity/callback-secrets';
import { type SeededTenant, seedSandbox } from '../../../../src/sandbox/seed/tenants';
import { until } from '../../../e2e/client';
import { createTestDatabase } from '../../../setup/environment';
import { loneEngine } from '../../../setup/lone-engine';
import { serviceWithoutWorkers } from '../payments/service-without-workers';

/** How low values are counted for each card (RTS, article 16), with the engine itself and no worker. */

const KEYS = `k1:${randomBytes(32).toString('base64')}`;
const MANY = 20;
let place: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
let tenant: SeededTenant;
let engine: Engine;
let vault: Vault;
let payments: PaymentService;
let number: string;

const serviceWith = (running: Engine): PaymentService => serviceWithoutWorkers(database, vault, running);

beforeAll(async () => {
  place = await createTestDatabase('low_value');
  database = openDatabase(place.logins, 8, 'test-low-value', 60_000);
  await writeCatalogue(database.system);
  tenant = await seedSandbox(database.system, new CallbackSecrets(KEYS));
  engine = await loneEngine();
  vault = new Vault({ keys: KEYS, hmacKey: KEYS.slice(3), cvvTtlMs: 60_000 });
  const actor = { id: 'test', source: 'test', requestId: 'req_test' } as never;
  const policies = new AuthenticationPolicies(database);
  await policies.replace(tenant.tenantId, actor, { require: 'always', exemptions: ['low_value'] });
  payments = serviceWith(engine);
});
beforeEach(() => {
  number = `4${randomBytes(8).readBigUInt64BE().toString().padStart(15, '0').slice(-15)}`;
});
afterAll(async () => {
  await engine?.close();
  await database?.close();
  await place?.drop();
});

const orderOf = (more: Partial<PaymentOrder> = {}): PaymentOrder => ({
  paymentId: newId('payment'),
  tenantId: tenant.tenantId,
  organizationId: tenant.organizationId,
  terminalId: tenant.terminalId,
  merchantTransactionId: randomUUID(),
  method: { id: 1, kind: 'card', brand: 'VISA' },
  processor: 'a',
  amountMinor: 1_000n,
  currency: 'EUR',
  captureMode: 'automatic',
  details: { threeDS: 'none', storeCard: false, route: { processors: ['a'], reason: 'test' } },
  card: { number, holder: 'A Payer', expiryMonth: '12', expiryYear: '2030', cvv: '123' },
  requestId: 'req_test',
  ...more,
});
const run = () =>
  database
    .system('low_value_runs')
    .where({ tenant_id: tenant.tenantId, fingerprint: vault.fingerprintsOf(number).fingerprint })
    .first('uses', 'sum_minor');
const isLetOff = ({ request }: PaymentRow): boolean => request.authentication?.exemption === 'low_value';
const times = <T>(count: number, work: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, work));

test('a payment counts once, however often its client repeats it, also at the same time', async () => {
  const order = orderOf();
  expect((await payments.create(order)).request).toMatchObject({ threeDS: 'none' });
  await times(MANY, () => payments.create(order));
  expect(await run()).toEqual({ uses: 1, sum_minor: 1_000n });
});

test('at the limit the repeats of the last that is let off are answered with it; of others, none is let off', async () => {
  await times(4, () => payments.create(orderOf()));
  const last = orderOf();
  const repeated = await times(MANY, () => payments.create(last));
  expect(repeated.every(isLetOff)).toBe(true);
  expect(await run()).toEqual({ uses: 5, sum_minor: 5_000n });
  const others = await times(MANY, () => payments.create(orderOf()));
  for (const { request } of others)
    expect(request).toMatchObject({ threeDS: 'required', authentication: { asked: 'none' } });
  expect(others.some(isLetOff)).toBe(false);
  expect(isLetOff(await payments.create(last))).toBe(true);
  expect(await run()).toEqual({ uses: 5, sum_minor: 5_000n });
});

test.each([
  ['five in a row', 100n, 5],
  ['100 euros together', 3_000n, 3],
])('of many at once no more are let off than %s', async (_title, amountMinor, most) => {
  const made = await times(MANY, () => payments.create(orderOf({ amountMinor })));
  expect(made.filter(isLetOff)).toHaveLength(most);
  expect(await run()).toEqual({ uses: most, sum_minor: amountMinor * BigInt(most) });
});

test('what is given back while a payment is counted is not lost', async () => {
  await payments.create(orderOf());
  await payments.create(orderOf());
  const giving = await database.system.transaction();
  const { fingerprint } = vault.fingerprintsOf(number);
  await giving('low_value_runs').where({ fingerprint }).update({ uses: 1, sum_minor: 1_000n });
  const created = payments.create(orderOf({ amountMinor: 500n }));
  await until('the payment waits for what is given back', async () =>
    Boolean(await database.system('pg_locks').where({ granted: false, locktype: 'transactionid' }).first('pid')),
  );
  await giving.commit();
  expect(isLetOff(await created)).toBe(true);
  expect(await run()).toEqual({ uses: 2, sum_minor: 1_500n });
});

test('a request that is refused counts nothing', async () => {
  const order = orderOf();
  await payments.create(order);
  const { merchantTransactionId } = order;
  await expect(payments.create(orderOf({ merchantTransactionId }))).rejects.toMatchObject({
    code: 'duplicate_transaction',
  });
  expect(await run()).toEqual({ uses: 1, sum_minor: 1_000n });
});

describe('a payment that is taken back', () => {
  const unavailable = () => {
    const start = async () => {
      throw new Error('the engine is away');
    };
    return serviceWith({ ...engine, client: { workflow: { start, signalWithStart: start } } as never });
  };

  test('gives back what it counted', async () => {
    await expect(unavailable().create(orderOf())).rejects.toMatchObject({ code: 'unavailable' });
    expect(await run()).toBeUndefined();
    await payments.create(orderOf());
    const order = orderOf({ amountMinor: 300n });
    await expect(unavailable().create(order)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await run()).toEqual({ uses: 1, sum_minor: 1_000n });
    expect(isLetOff(await payments.create(order))).toBe(true);
    expect(await run()).toEqual({ uses: 2, sum_minor: 1_300n });
  });

  test('gives it back where the process died before anything was sent', async () => {
    const before = new Date(Date.now() - 600_000);
    const { id } = await payments.create(orderOf());
    await database.system('payments').where({ id }).update({ created_at: before });
    await database.system('low_value_runs').update({ began_at: before });
    expect(await failAbandonedPayments(database.system, new Ledger(), 0)).toBe(1);
    expect(await run()).toBeUndefined();
  });

  test('gives nothing back to the run that began after its own', async () => {
    const accepted = await payments.create(orderOf());
    await database.system('low_value_runs').delete();
    await payments.create(orderOf({ amountMinor: 500n }));
    expect(await withdrawPayment(database, accepted)).toBe(true);
    expect(await run()).toEqual({ uses: 1, sum_minor: 500n });
  });

  test('gives nothing back that it did not count', async () => {
    await times(5, () => payments.create(orderOf()));
    await expect(unavailable().create(orderOf())).rejects.toMatchObject({ code: 'unavailable' });
    expect(await run()).toEqual({ uses: 5, sum_minor: 5_000n });
  });
});
