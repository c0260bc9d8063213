import { randomBytes, randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { newId } from '../../../../src/domain/ids';
import type { CustomerRecord } from '../../../../src/people/customers/profile';
import { CustomerService } from '../../../../src/people/customers/service';
import { eventsOf } from '../../../../src/people/customers/status';
import { KEYS, openPlace, type Place, STAFF } from './place';

/** More than are written down at once, and not in whole parts. */
const COUNT = 450;

let place: Place;
let customers: CustomerService;

beforeAll(async () => {
  place = await openPlace('bulk');
  customers = new CustomerService(place.database, {
    vaultKeys: KEYS,
    hmacKey: randomBytes(32).toString('base64'),
  });
  await create(randomUUID(), [{ ...records()[0]!, id: 'there' }]);
});
afterAll(() => place?.close());

const records = (members: (at: number) => object = () => ({})): CustomerRecord[] =>
  Array.from({ length: COUNT }, (_, at) => ({
    id: `${randomUUID()}-é"\\{}`,
    customerType: 'Person',
    customerName: `No. ${at}`,
    person: {
      email: `${randomUUID()}@example.com`,
      telephoneNumbers: [{ number: '+447911123456' }, { number: '00447911123456' }],
    },
    ...members(at),
  }));

const create = (token: string, list: CustomerRecord[], tenantId = place.tenantId) =>
  customers.bulk.create(tenantId, STAFF, {
    token,
    request: () => inspect(list, { maxArrayLength: null }),
    records: list,
  });

const TABLES = ['customers', 'customer_identifiers', 'customer_secrets', 'customer_bulk_requests'];

/** How many rows of the tenant each table has. */
const counts = () =>
  place.database.tenant(place.tenantId, async (trx) => {
    const found: number[] = [];
    for (const table of TABLES) found.push(Number((await trx(table).count().first())!.count));
    return found;
  });

test('customers are written down in their order, each with its history and what it is found by', async () => {
  const list = records((at) => ({
    ...(at % 3 === 0 && { id: undefined, customerStatus: 'on_hold' }),
    ...(at === COUNT - 1 && { person: { email: 'last@example.com', pinCode: '1234', documents: [{ name: 'A' }] } }),
  }));
  const { customerIds, replayed } = await create(randomUUID(), list);
  expect([customerIds.length, replayed]).toEqual([COUNT, false]);
  await place.database.tenant(place.tenantId, async (trx) => {
    const rows = await trx('customers').whereIn('id', customerIds).orderBy('id');
    expect(rows.map(({ id }) => id)).toEqual(customerIds);
    expect(rows.map(({ reference, status }) => [reference, status])).toEqual(
      list.map(({ id, customerStatus }) => [id ?? null, customerStatus ?? 'new']),
    );
    expect(new Set(rows.map(({ created_at, status_since }) => `${+created_at} ${+status_since}`)).size).toBe(1);
    const profiles = await customers.register.open(trx, rows.slice(0, 3));
    expect(profiles.map(({ profile }) => profile.customerName)).toEqual(['No. 0', 'No. 1', 'No. 2']);
    for (const row of rows)
      expect(await eventsOf(trx, row)).toEqual([
        { from_status: null, to_status: row.status, actor: STAFF.id, reason: 'created', at: row.created_at },
      ]);
    const identifiers = await trx('customer_identifiers').where({ customer_id: customerIds[1] }).orderBy('type');
    // Two spellings of one number are one.
    expect(identifiers.map(({ type }) => type)).toEqual(['email', 'phone']);
    const [own, email] = [list[1]!.id!, list[1]!.person!.email!];
    for (const sought of [own, ` ${own.normalize('NFD')} `, ` ${email.toUpperCase()}`])
      expect(await customers.keys.identifiers.named(trx, place.tenantId, sought)).toContain(customerIds[1]);
    const last = { customer_id: customerIds.at(-1) };
    expect(await trx('customer_secrets').where(last).pluck('kind')).toEqual(['pin']);
    expect(await trx('customer_documents').where(last)).toHaveLength(1);
    expect(await trx('customer_verifications').whereIn('customer_id', customerIds)).toHaveLength(COUNT / 3);
  });
});

test.each<[string, (at: number) => object, object]>([
  ['breaks a rule of the table', (at) => (at === COUNT - 1 ? { customerStatus: 'no status' } : {}), { code: '23514' }],
  ['cannot be sealed', (at) => (at === COUNT - 1 ? { wrong: 1n } : {}), TypeError as never],
  [
    'has the id of another one',
    (at) => (at === 0 || at === COUNT - 1 ? { id: 'twice' } : {}),
    { code: 'duplicate_customer', details: [{ field: `[${COUNT - 1}].id` }] },
  ],
  [
    'has the id of one who is there, as another one has',
    (at) => (at === 7 || at === COUNT - 1 ? { id: 'there' } : {}),
    { code: 'duplicate_customer', details: [{ field: '[7].id' }, { field: `[${COUNT - 1}].id` }] },
  ],
  [
    'is of a foreign organization',
    (at) => (at === COUNT - 1 ? { organizationId: 'org_elsewhere' } : {}),
    { code: 'invalid_request', details: [{ field: `[${COUNT - 1}].organizationId` }] },
  ],
])('nothing is left when the last one %s, and the name of the request is free', async (_what, members, expected) => {
  const token = randomUUID();
  const before = await counts();
  const error = await create(token, records(members)).catch((thrown: unknown) => thrown);
  if (typeof expected === 'function') expect(error).toBeInstanceOf(expected);
  else expect(error).toMatchObject(expected);
  expect(await counts()).toEqual(before);
  const right = await create(token, records());
  expect([right.customerIds.length, right.replayed]).toEqual([COUNT, false]);
});

test.each<[string, (at: number) => object]>([
  ['with ids of their own', () => ({})],
  ['without', () => ({ id: undefined })],
])(
  'of requests of one name at once, %s, one creates the customers, and all answer their ids',
  async (_what, members) => {
    const [token, list, before] = [randomUUID(), records(members), await counts()];
    const answers = await Promise.all([create(token, list), create(token, list), create(token, list)]);
    expect(answers.map(({ replayed }) => replayed).sort()).toEqual([false, true, true]);
    expect(new Set(answers.map(({ customerIds }) => customerIds.join())).size).toBe(1);
    expect((await counts())[0]! - before[0]!).toBe(COUNT);
    await expect(create(token, records(members))).rejects.toMatchObject({ code: 'bulk_token_reused' });
    await expect(create(token, [...list].reverse())).rejects.toMatchObject({ code: 'bulk_token_reused' });
  },
);

test('nothing is left when somebody else takes an id meanwhile', async () => {
  const before = await counts();
  const list = records();
  const other = await place.database.app.transaction();
  await other.raw("SELECT set_config('tillway.tenant', ?, true)", [place.tenantId]);
  await customers.register.insert(other, place.tenantId, STAFF, await customers.register.prepare([list.at(-1)!]));
  const creating = create(randomUUID(), list).catch((error: unknown) => error);
  await untilSomebodyWaits();
  await other.commit();
  expect(await creating).toMatchObject({ code: 'duplicate_customer', details: [{ field: `[${COUNT - 1}].id` }] });
  // One customer with an e-mail address and a telephone number.
  const added = (await counts()).map((count, at) => count - before[at]!);
  expect(added).toEqual([1, 2, 0, 0]);
});

test('a customer who is created again under the same id is the one who is there, also with an id of the tenant’s own', async () => {
  const [record] = records() as [CustomerRecord];
  const [ours, other] = [newId('customer'), newId('customer')];
  const first = await customers.register.create(place.tenantId, STAFF, ours, record);
  const before = await counts();
  expect(await customers.register.create(place.tenantId, STAFF, ours, record)).toEqual(first);
  await expect(customers.register.create(place.tenantId, STAFF, other, record)).rejects.toMatchObject({
    code: 'duplicate_customer',
    details: [{ field: 'id' }],
  });
  expect(await counts()).toEqual(before);
});

async function untilSomebodyWaits(): Promise<void> {
  for (;;) {
    const { rows } = await place.database.system.raw(
      "SELECT FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'",
    );
    if (rows.length > 0) return;
  }
}

test('row-level security holds for what is written at once', async () => {
  const list = records().slice(0, 2);
  const prepared = await customers.register.prepare(list);
  const foreign = place.database.tenant(place.otherTenantId, (trx) =>
    customers.register.insert(trx, place.tenantId, STAFF, prepared),
  );
  await expect(foreign).rejects.toMatchObject({ code: '42501' });
});
