import { openAdmin } from '../../../../src/foundation/db/migrate';
import { findCustomer, lockCustomer } from '../../../../src/people/customers/customer';
import { eventsOf, moveCustomer } from '../../../../src/people/customers/status';
import { createTestDatabase } from '../../../setup/environment';
import { insertPerson, openPlace, type Place, STAFF } from './place';

let place: Place;
beforeAll(async () => {
  place = await openPlace('history');
});
afterAll(() => place.close());

const WHY = { actor: 'an admin', reason: 'so it is' };

const moved = async (id: string) =>
  place.database.tenant(place.tenantId, async (trx) => {
    const waiting = await moveCustomer(trx, await lockCustomer(trx, id), 'under_verificaiton', WHY);
    await moveCustomer(trx, waiting, 'verified', WHY);
  });

const history = async (id: string) =>
  place.database.tenant(place.tenantId, async (trx) =>
    (await eventsOf(trx, await findCustomer(trx, id))).map(
      ({ from_status, to_status, actor }) => `${from_status} to ${to_status} by ${actor}`,
    ),
  );

const MOVES = ['new to under_verificaiton by an admin', 'under_verificaiton to verified by an admin'];

test('a history begins with who created the customer, and as what', async () => {
  const { id } = await insertPerson(place, 'new');
  expect(await history(id)).toEqual([`null to new by ${STAFF.id}`]);
  await moved(id);
  expect(await history(id)).toEqual([`null to new by ${STAFF.id}`, ...MOVES]);
});

test('nobody changes who created a customer', async () => {
  const { id } = await insertPerson(place, 'new');
  await expect(place.database.system('customers').where({ id }).update({ created_by: 'another' })).rejects.toThrow(
    'append-only',
  );
});

test('of a customer from before, the first event says it; of all, once the migration is undone', async () => {
  const { adminUrl, drop } = await createTestDatabase('history');
  const admin = openAdmin(adminUrl);
  const tenant_id = 'ten_old';
  const customer = (id: string, rest: object) => ({
    id,
    tenant_id,
    customer_type: 'Person',
    status: 'verified',
    ...rest,
  });
  const sealed = { profile_sealed: Buffer.alloc(1), profile_key: Buffer.alloc(1) };
  const of = (id: string) =>
    admin.transaction(async (trx) => eventsOf(trx, await trx('customers').where({ id }).first()));
  const event = (customer_id: string, from_status: string | null, to_status: string, actor: string) =>
    admin('customer_events').insert({ customer_id, tenant_id, from_status, to_status, actor, reason: 'r' });
  try {
    await admin('tenants').insert({ id: tenant_id, name: 'Old' });
    await admin('customers').insert([
      customer('cus_old', { ...sealed }),
      customer('cus_new', { ...sealed, created_by: 'she' }),
      customer('cus_moved', { ...sealed, created_by: 'he' }),
    ]);
    await event('cus_old', null, 'new', 'they');
    await event('cus_old', 'new', 'verified', 'an admin');
    await event('cus_moved', 'new', 'verified', 'an admin');
    const before = await Promise.all(['cus_old', 'cus_new', 'cus_moved'].map(of));
    const brief = before.map((events) =>
      events.map(({ from_status, to_status, actor }) => [from_status, to_status, actor]),
    );
    expect(brief).toEqual([
      [
        [null, 'new', 'they'],
        ['new', 'verified', 'an admin'],
      ],
      [[null, 'verified', 'she']],
      [
        [null, 'new', 'he'],
        ['new', 'verified', 'an admin'],
      ],
    ]);
    while (await admin.schema.hasColumn('customers', 'created_by')) await admin.migrate.down();
    for (const [at, id] of ['cus_old', 'cus_new', 'cus_moved'].entries()) {
      const rows = await admin('customer_events').where({ customer_id: id }).orderBy('id');
      expect(rows.map(({ from_status, to_status, actor }) => [from_status, to_status, actor])).toEqual(brief[at]);
    }
  } finally {
    await admin.destroy();
    await drop();
  }
});
