import type { Knex } from 'knex';
import { DomainError } from '../../../../src/domain/errors';
import { newId } from '../../../../src/domain/ids';
import { giveBackAllowance, type Spending, spendAllowance } from '../../../../src/money/limits/allowance';
import { insertPerson, openPlace, type Place } from '../../people/customers/place';

let place: Place;
let customerId: string;

beforeAll(async () => {
  place = await openPlace('allowance');
});
afterAll(() => place?.close());
beforeEach(async () => {
  customerId = (await insertPerson(place)).id;
});

const inTenant = <T>(work: (trx: Knex.Transaction) => Promise<T>) => place.database.tenant(place.tenantId, work);

/** Figures in euros and cents; without `customer` the tenant's. */
async function limit(
  columns: Record<string, bigint | number>,
  operation = 'p2p',
  customer: string | null = customerId,
) {
  const values = Object.fromEntries(Object.entries(columns).map(([name, value]) => [name, `${value}`]));
  await inTenant((trx) =>
    trx('limits')
      .insert({
        tenant_id: place.tenantId,
        customer_id: customer,
        operation,
        currency: 'EUR',
        ...values,
        updated_by: 'test',
      })
      .onConflict(trx.raw('ON CONSTRAINT limits_once') as never)
      .merge(),
  );
}

const spending = (amountMinor: bigint, changed: Partial<Spending> = {}): Spending => ({
  tenantId: place.tenantId,
  customerId,
  operation: 'p2p',
  currency: 'EUR',
  amountMinor,
  cause: newId('request'),
  ...changed,
});
const spend = (amountMinor: bigint, changed: Partial<Spending> = {}) =>
  inTenant((trx) => spendAllowance(trx, spending(amountMinor, changed)));
const refusal = (limitName: string) =>
  expect.objectContaining({
    code: 'limit_exceeded',
    message: expect.stringContaining(limitName),
    details: [{ field: limitName, message: expect.any(String) }],
  });
const counters = () =>
  inTenant((trx) =>
    trx('allowance_counters')
      .where({ customer_id: customerId })
      .first('day_minor', 'day_count', 'month_minor', 'month_count'),
  );
/** Makes everything counted so far as old as that. */
const age = (interval: string) =>
  place.database.system.transaction(async (trx) => {
    for (const table of ['allowance_counters', 'allowance_spendings'])
      await trx(table).where({ customer_id: customerId }).update('day', trx.raw('(day - ?::interval)::date', interval));
  });

test('without limits everything passes, and is counted for the limits to come', async () => {
  await spend(5_000n);
  await limit({ daily_minor: 6_000n });
  await expect(spend(1_001n)).rejects.toEqual(refusal('dailyAmount'));
  await spend(1_000n);
});

test('each limit is met exactly and not passed, and is named', async () => {
  await limit({ per_transaction_minor: 1_000n, daily_minor: 1_500n, daily_count: 3, monthly_minor: 2_000n });
  await expect(spend(1_001n)).rejects.toEqual(refusal('perTransaction'));
  await spend(1_000n);
  await expect(spend(501n)).rejects.toThrow('The limit dailyAmount is 15.00 for p2p in EUR, of which 10.00 is used');
  await spend(100n);
  await spend(100n);
  await expect(spend(1n)).rejects.toThrow('The limit dailyCount is 3 for p2p in EUR, of which 3 is used');
});

test('days and months end', async () => {
  await limit({ daily_minor: 1_000n, monthly_minor: 1_500n, monthly_count: 5 });
  await spend(1_000n);
  await expect(spend(1n)).rejects.toEqual(refusal('dailyAmount'));
  await age('31 days');
  await spend(1_000n);
  expect(await counters()).toEqual({ day_minor: '1000', day_count: 1, month_minor: '1000', month_count: 1 });
});

test('the next day of a month goes on with the month', async () => {
  await limit({ daily_minor: 1_000n, monthly_minor: 1_500n });
  await spend(1_000n);
  const firstOfMonth = new Date().getUTCDate() === 1;
  await age('1 day');
  if (firstOfMonth) return spend(1_000n);
  await expect(spend(501n)).rejects.toEqual(refusal('monthlyAmount'));
  await spend(500n);
});

test('a customer’s own limit goes before the tenant’s, figure by figure', async () => {
  await limit({ per_transaction_minor: 100n, daily_count: 2 }, 'link', null);
  await limit({ per_transaction_minor: 5_000n }, 'link');
  await spend(5_000n, { operation: 'link' });
  await spend(1n, { operation: 'link' });
  await expect(spend(1n, { operation: 'link' })).rejects.toEqual(refusal('dailyCount'));
  const other = (await insertPerson(place)).id;
  await expect(spend(101n, { operation: 'link', customerId: other })).rejects.toEqual(refusal('perTransaction'));
});

test('operations, currencies and customers are counted apart', async () => {
  await limit({ daily_minor: 1_000n });
  await spend(1_000n);
  await spend(1_000n, { operation: 'topup' });
  await spend(1_000n, { currency: 'USD' });
  await spend(1_000n, { customerId: (await insertPerson(place)).id });
  await expect(spend(1n)).rejects.toEqual(refusal('dailyAmount'));
});

test('fifty at once do not pass together what ten may', async () => {
  await limit({ daily_minor: 1_000n });
  const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => spend(100n)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
  for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(DomainError);
  expect(await counters()).toMatchObject({ day_minor: '1000', day_count: 10 });
});

test('a cause is counted once, also when it is asked twenty times at once', async () => {
  const cause = newId('request');
  await Promise.all(Array.from({ length: 20 }, () => spend(100n, { cause })));
  expect(await counters()).toMatchObject({ day_minor: '100', day_count: 1 });
});

test('what is rolled back was never spent', async () => {
  const failed = inTenant(async (trx) => {
    await spendAllowance(trx, spending(100n));
    throw new Error('insufficient funds, say');
  });
  await expect(failed).rejects.toThrow('insufficient');
  expect(await counters()).toBeUndefined();
});

test('a cause is given back once; asked again, it is checked and counted as any other', async () => {
  await limit({ daily_minor: 1_000n });
  const cause = newId('request');
  await spend(800n, { cause });
  const giveBack = () => inTenant((trx) => giveBackAllowance(trx, { tenantId: place.tenantId, cause }));
  await Promise.all([giveBack(), giveBack(), giveBack()]);
  expect(await counters()).toEqual({ day_minor: '0', day_count: 0, month_minor: '0', month_count: 0 });
  await spend(300n);
  await expect(spend(800n, { cause })).rejects.toEqual(refusal('dailyAmount'));
  await spend(700n, { cause });
  await spend(700n, { cause });
  expect(await counters()).toMatchObject({ day_minor: '1000', day_count: 2 });
  await giveBack();
  expect(await counters()).toMatchObject({ day_minor: '300', day_count: 1 });
  await inTenant((trx) => giveBackAllowance(trx, { tenantId: place.tenantId, cause: 'never spent' }));
});

test('what is given back after its day or month has ended raises nobody’s allowance of today', async () => {
  await limit({ daily_minor: 1_000n });
  const cause = newId('request');
  await spend(900n, { cause });
  await age('31 days');
  await spend(1_000n);
  await inTenant((trx) => giveBackAllowance(trx, { tenantId: place.tenantId, cause }));
  expect(await counters()).toEqual({ day_minor: '1000', day_count: 1, month_minor: '1000', month_count: 1 });
});
