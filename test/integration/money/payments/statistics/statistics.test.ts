import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { typeidUnboxed } from 'typeid-js';
import { idAt, newId } from '../../../../../src/domain/ids';
import { endedWithoutMoney, hasTakenMoney, PAYMENT_STATUSES } from '../../../../../src/domain/states/payment';
import { type Database, openDatabase } from '../../../../../src/foundation/db/database';
import { openAdmin } from '../../../../../src/foundation/db/migrate';
import { countPayments } from '../../../../../src/money/payments/counting';
import { paymentStatistics, type StatisticsQuery } from '../../../../../src/money/payments/statistics';
import { writeCatalogue } from '../../../../../src/money/routing/method-catalogue';
import { CallbackSecrets } from '../../../../../src/people/identity/callback-secrets';
import { newSecret } from '../../../../../src/people/identity/clients';
import { type SeededTenant, seedSandbox } from '../../../../../src/sandbox/seed/tenants';
import { createTestDatabase } from '../../../../setup/environment';
import { countedDirectly } from './counted-directly';

/** Statistics from sums that workers keep some seconds behind, against the rows that they are about. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LAG_MS = 72 * HOUR_MS;
const ZONES = ['UTC', 'Europe/Lisbon', 'Asia/Kolkata', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu'];

let place: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
let admin: Knex;
let shop: SeededTenant;
let otherTerminal: string;
/** The same numbers in every run. */
let seed = 7;
const random = (below: number) => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return Math.floor((seed / 2_147_483_648) * below);
};
const oneOf = <T>(list: readonly T[]): T => list[random(list.length)]!;

beforeEach(async () => {
  place = await createTestDatabase('statistics');
  database = openDatabase(place.logins, 12, 'test-statistics', 30_000);
  admin = openAdmin(place.adminUrl);
  await writeCatalogue(database.system);
  const secrets = new CallbackSecrets(`k1:${Buffer.alloc(32, 7).toString('base64')}`);
  shop = await seedSandbox(database.system, secrets);
  const accountId = newId('merchantAccount');
  otherTerminal = typeidUnboxed('trm');
  await database.system('merchant_accounts').insert({
    id: accountId,
    tenant_id: shop.tenantId,
    organization_id: shop.organizationId,
    terminal_id: otherTerminal,
    callback_secret_sealed: secrets.seal(newSecret(), accountId),
  });
});
afterEach(async () => {
  await database?.close();
  await admin?.destroy();
  await place?.drop();
});

/** Over the day on which clocks change in Lisbon, and the present hour. */
const NOW = Date.now();
const TIMES = [Date.parse('2026-03-27T00:00:00Z'), NOW - 3 * DAY_MS, NOW - 2 * HOUR_MS];
const spread = [4 * DAY_MS, 3 * DAY_MS, 2 * HOUR_MS];

/** A payment as it is accepted, without an event. */
async function accept(trx: Knex, createdAt?: number): Promise<string> {
  const which = random(3);
  const at = createdAt ?? TIMES[which]! + random(spread[which]!);
  const id = `${idAt('payment', at - random(2) * HOUR_MS).slice(0, 14)}${newId('payment').slice(14)}`;
  await trx('payments').insert({
    id,
    tenant_id: shop.tenantId,
    organization_id: shop.organizationId,
    terminal_id: oneOf([shop.terminalId, otherTerminal]),
    merchant_transaction_id: randomUUID(),
    method_id: 1,
    kind: oneOf(['card', 'bank_redirect']),
    brand: 'VISA',
    processor: 'a',
    currency: oneOf(['EUR', 'EUR', 'USD']),
    amount_minor: BigInt(1 + random(10_000)),
    capture_mode: 'automatic',
    status: 'initiated',
    result_code: 100,
    status_detail: '',
    request: '{}',
    created_at: new Date(at),
  });
  return id;
}

async function note(trx: Knex, id: string): Promise<void> {
  await trx.raw(
    `INSERT INTO payment_events (payment_id, tenant_id, from_status, to_status, result_code, cause, detail)
     SELECT id, tenant_id, status, status, result_code, 'inquiry', '' FROM payments WHERE id = ?`,
    [id],
  );
}

/** Something becomes of a payment, with its event; a refund of it is asked for, succeeds or is taken back. */
async function change(trx: Knex, id: string): Promise<void> {
  const status = oneOf(PAYMENT_STATUSES.slice(1));
  const part = hasTakenMoney(status) ? oneOf([1, 2]) : 0;
  await trx.raw(
    `UPDATE payments SET status = :status, result_code = :code, authorized_minor = amount_minor,
       captured_minor = CASE :part::integer WHEN 0 THEN 0 ELSE greatest(1, amount_minor / :part::integer) END, refunded_minor = 0,
       charged_back_minor = CASE WHEN :status = 'charged_back' THEN 1 ELSE 0 END, version = version + 1 WHERE id = :id`,
    { id, status, part, code: oneOf([200, 205, 300]) },
  );
  if (random(3) === 0) {
    const asked = NOW - random(3 * DAY_MS);
    const refund = `${idAt('refund', asked).slice(0, 14)}${newId('refund').slice(14)}`;
    await trx.raw(
      `INSERT INTO payment_attempts (payment_id, processor, tenant_id, number, status, detail, sends, sent_at)
       SELECT id, 'a', tenant_id, 1, 'captured', '', 1, created_at FROM payments WHERE id = ? ON CONFLICT DO NOTHING`,
      [id],
    );
    await trx.raw(
      `INSERT INTO refunds (id, tenant_id, organization_id, payment_id, processor, currency, amount_minor, status, result_code,
         status_detail, cause, created_at)
       SELECT ?, tenant_id, organization_id, id, 'a', currency, 1 + amount_minor / 3, ?, 0, '', 'requested', ?
       FROM payments WHERE id = ?`,
      [refund, oneOf(['pending', 'succeeded']), new Date(asked), id],
    );
  }
  if (random(3) === 0)
    await trx('refunds')
      .where({ payment_id: id })
      .update({ status: oneOf(['succeeded', 'declined']) });
  await note(trx, id);
}

function anyQuery(): StatisticsQuery {
  const interval = oneOf(['hour', 'day'] as const);
  const round = oneOf([1, HOUR_MS, DAY_MS]);
  const from = Math.floor((oneOf(TIMES) - random(2 * DAY_MS)) / round) * round;
  const to = oneOf([from + 1 + random(HOUR_MS), from + 1 + random(10 * DAY_MS), NOW + DAY_MS, from + 92 * DAY_MS]);
  const ends = Math.min(Math.max(to, from + 1), from + (interval === 'hour' ? 31 : 92) * DAY_MS);
  return {
    from: new Date(from).toISOString(),
    to: new Date(ends).toISOString(),
    interval,
    timeZone: oneOf(ZONES),
    currency: oneOf([undefined, undefined, 'USD']),
  };
}

const WHOLE: StatisticsQuery = {
  from: new Date(NOW - 80 * DAY_MS).toISOString(),
  to: new Date(NOW + 10 * DAY_MS).toISOString(),
  interval: 'day',
  timeZone: 'Europe/Lisbon',
};

/** What is answered is what the rows say, in one state of the database. Answers how many payments that was about. */
async function expectExact(query: StatisticsQuery, terminalId?: string): Promise<bigint> {
  const { answered, direct } = await database.app.transaction(
    async (trx) => {
      await trx.raw("SELECT set_config('tillway.tenant', ?, true)", [shop.tenantId]);
      const { tenantId, organizationId } = shop;
      const scope = { tenantId, organizationId, ...(terminalId && { terminalId }) };
      const here = { ...database, tenant: <T>(_: string, work: (trx: Knex.Transaction) => Promise<T>) => work(trx) };
      const direct = await countedDirectly(trx, scope, query);
      return { direct, answered: await paymentStatistics(here, scope, query, LAG_MS) };
    },
    { isolationLevel: 'repeatable read' },
  );
  expect({ query, terminalId, answered }).toEqual({ query, terminalId, answered: direct });
  return direct.reduce((sum, { accepted }) => sum + accepted.count, 0n);
}

async function expectExactAnyhow(times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) await expectExact(anyQuery(), oneOf([undefined, otherTerminal]));
}

const counting = () => database.system('payment_counting').first();
const lastEvent = async (): Promise<bigint> => (await database.system('payment_events').max({ id: 'id' }))[0]!.id;

test('random changes and random questions: before anything is counted, behind, between and after rounds', async () => {
  const ids: string[] = [];
  let seen = 0n;
  for (let round = 0; round < 9; round += 1) {
    for (let n = 0; n < 40; n += 1)
      await database.tenant(shop.tenantId, async (trx) => {
        const id = random(2) === 0 || ids.length === 0 ? await accept(trx) : oneOf(ids);
        ids.push(id);
        if (random(4) > 0) await change(trx, id);
      });
    await expectExactAnyhow(4);
    if (round > 2 && round % 3 !== 0) await countPayments(database.system);
    seen += await expectExact(WHOLE);
    await expectExactAnyhow(4);
  }
  expect(seen).toBeGreaterThan(500n);
  expect((await counting()).is_complete).toBe(true);
  while (await countPayments(database.system));
  expect((await counting()).through_id).toBe(await lastEvent());
  // Nothing is counted twice.
  await countPayments(database.system);
  await expectExactAnyhow(20);
});

test('one round for much less than there is leaves the rest for the next, and is exact in between', async () => {
  for (let n = 0; n < 30; n += 1) await database.tenant(shop.tenantId, async (trx) => change(trx, await accept(trx)));
  const some = async () => (await database.system.raw('SELECT payment_count_up(7) AS more')).rows[0].more;
  expect(await some()).toBe(true);
  expect(await counting()).toMatchObject({ through_id: 7n, is_complete: false });
  await expectExact(WHOLE);
  while (await some()) await expectExact(WHOLE);
  expect((await counting()).is_complete).toBe(true);
  expect(await expectExact(WHOLE)).toBeGreaterThan(0n);
});

test('the count does not pass an event that is under way, and a payment that is taken back leaves nothing', async () => {
  await countPayments(database.system);
  const early = await database.app.transaction();
  await early.raw("SELECT set_config('tillway.tenant', ?, true)", [shop.tenantId]);
  const slow = await accept(early, NOW - 90_000);
  await change(early, slow);
  await database.tenant(shop.tenantId, async (trx) => change(trx, await accept(trx, NOW - 60_000)));
  const gone = await database.tenant(shop.tenantId, (trx) => accept(trx, NOW - 60_000));
  const { through_id } = await counting();
  expect(await countPayments(database.system)).toBe(false);
  expect((await counting()).through_id).toBe(through_id);
  expect(await expectExact(WHOLE)).toBe(2n);
  await early.commit();
  await countPayments(database.system);
  expect((await counting()).through_id).toBe(await lastEvent());
  expect(await expectExact(WHOLE)).toBe(3n);
  await database.tenant(shop.tenantId, (trx) => trx('payments').where({ id: gone }).delete());
  expect(await expectExact(WHOLE)).toBe(2n);
});

test('a day of many is found by the ids of its hours: not every payment is read, row-level security or not', async () => {
  const rows = 30_000;
  const first = NOW - 300 * DAY_MS;
  const ids = Array.from({ length: rows }, (_, n) => {
    const at = first + n * Math.floor((299 * DAY_MS) / rows);
    return { id: `${idAt('payment', at).slice(0, 14)}${newId('payment').slice(14)}`, at: new Date(at) };
  });
  await database.tenant(shop.tenantId, async (trx) => {
    const model = await accept(trx, first);
    await trx.raw(
      `INSERT INTO payments (id, tenant_id, organization_id, terminal_id, merchant_transaction_id, method_id, kind, brand,
         processor, currency, amount_minor, authorized_minor, captured_minor, capture_mode, status, result_code, status_detail,
         request, created_at)
       SELECT n.id, p.tenant_id, p.organization_id, p.terminal_id, n.id, p.method_id, p.kind, p.brand, p.processor, p.currency,
         p.amount_minor, p.amount_minor, p.amount_minor, p.capture_mode, 'captured', 200, '', p.request, n.at
       FROM payments p, unnest(?::text[], ?::timestamptz[]) AS n(id, at) WHERE p.id = ?`,
      [ids.map(({ id }) => id), ids.map(({ at }) => at), model],
    );
    await trx.raw(
      `INSERT INTO payment_events (payment_id, tenant_id, from_status, to_status, result_code, cause, detail)
       SELECT id, tenant_id, 'initiated', status, result_code, 'inquiry', '' FROM payments WHERE status = 'captured'`,
    );
  });
  while (await countPayments(database.system));
  await admin.raw('VACUUM ANALYZE payments');
  await admin.raw('ANALYZE');
  const { rows: pages } = await admin.raw(`SELECT relpages FROM pg_class WHERE relname = 'payments'`);
  const read = (days: number) =>
    database.tenant(shop.tenantId, async (trx) => {
      const till = NOW - 20 * DAY_MS + 1_234;
      const { rows: plan } = await trx.raw(
        `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT * FROM payment_statistics(?, NULL, ?, ?, 'day', 'Europe/Lisbon', NULL,
           '72 hours', '5 minutes')`,
        [shop.organizationId, new Date(till - days * DAY_MS), new Date(till)],
      );
      const [{ Plan: top }] = plan[0]['QUERY PLAN'];
      return top['Shared Hit Blocks'] + top['Shared Read Blocks'];
    });
  for (const days of [1, 90]) {
    await read(days);
    expect(await read(days)).toBeLessThan(pages[0].relpages);
  }
});

/** Rolls a change back. */
const UNDONE = new Error('undone');

test('many payments change at once, some for long, while rounds run: each state that can be read is exact', async () => {
  await countPayments(database.system);
  let changing = true;
  const writers = Array.from({ length: 5 }, async (_, writer) => {
    const ids: string[] = [];
    for (let n = 0; n < 20; n += 1)
      await database
        .tenant(shop.tenantId, async (trx) => {
          if (n % 3 === 0) {
            const id = await accept(trx);
            if ((n + writer) % 7 === 0) throw UNDONE;
            ids.push(id);
          }
          if (ids.length > 0)
            await change(trx, oneOf(ids.slice(0, -1).concat(n % 3 === 0 ? [] : ids.slice(-1))) ?? ids[0]!);
          if ((n + writer) % 5 === 0) await trx.raw('SELECT pg_sleep(0.03)');
        })
        .catch((error) => {
          if (error !== UNDONE) throw error;
        });
  });
  const rounds = [1, 2].map(async () => {
    while (changing) await countPayments(database.system);
  });
  const reader = (async () => {
    while (changing) await expectExact(WHOLE);
  })();
  await Promise.all(writers).finally(() => {
    changing = false;
  });
  await Promise.all([...rounds, reader]);
  while (await countPayments(database.system));
  await expectExactAnyhow(10);
});

test('only a round that sees what has ended may count, and events get their numbers one by one', async () => {
  const round = database.system.transaction((trx) => countPayments(trx), { isolationLevel: 'repeatable read' });
  await expect(round).rejects.toMatchObject({ code: '25000' });
  const { rows } = await admin.raw("SELECT cache_size FROM pg_sequences WHERE sequencename = 'payment_events_id_seq'");
  expect(rows).toEqual([{ cache_size: 1n }]);
});

test('a tenant reads no sums of another, and the application writes none', async () => {
  await database.tenant(shop.tenantId, async (trx) => change(trx, await accept(trx, NOW - 60_000)));
  while (await countPayments(database.system));
  const seen = await database.tenant(newId('tenant'), async (trx) => [
    await trx('payment_sums'),
    await trx('payment_counted'),
    await trx('payment_shares'),
  ]);
  expect(seen).toEqual([[], [], []]);
  for (const table of ['payment_sums', 'payment_counted', 'payment_counting'])
    await expect(database.app(table).delete()).rejects.toMatchObject({ code: '42501' });
});

test('SQL and program say the same: what each status counts as, and how ids of a time begin', async () => {
  const { rows } = await admin.raw('SELECT s, payment_stand(s) AS stand FROM unnest(?::text[]) s', [
    [...PAYMENT_STATUSES],
  ]);
  const standOf = (status: (typeof PAYMENT_STATUSES)[number]) =>
    hasTakenMoney(status) ? 'taken' : !endedWithoutMoney(status) ? 'open' : status === 'failed' ? 'refused' : 'unpaid';
  expect(rows).toEqual(PAYMENT_STATUSES.map((s) => ({ s, stand: standOf(s) })));
  for (const ms of [-5, 0, NOW, NOW + 1, Date.parse('9999-12-31T23:59:59.999Z')]) {
    const made = await admin.raw("SELECT id_made_at('pay', ?) AS id", [new Date(ms)]);
    expect(idAt('payment', ms).startsWith(made.rows[0].id)).toBe(true);
  }
});
