import { newId } from '../../../../src/domain/ids';
import { Inbox } from '../../../../src/edge/callbacks/inbox';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { createTestDatabase } from '../../../setup/environment';

let place: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;

beforeAll(async () => {
  place = await createTestDatabase('inbox');
  database = openDatabase(place.logins, 4, 'test-inbox');
});
afterAll(async () => {
  await database.close();
  await place.drop();
});

test('a callback that the version before stored is read in the words of this one', async () => {
  const inbox = new Inbox(database.system);
  const id = newId('callback');
  const reference = newId('payment');
  await database.system('callback_inbox').insert({
    id,
    processor: 'a',
    receiver: 'processor_a',
    event_id: id,
    reference,
    type: 'captured',
    event: JSON.stringify({
      eventId: id,
      type: 'captured',
      reference,
      providerStatus: 'PAID',
      providerReference: 'a_1',
    }),
    raw: Buffer.alloc(0),
    next_attempt_at: new Date(0),
  });
  const event = { eventId: id, type: 'captured', reference, processorStatus: 'PAID', processorReference: 'a_1' };
  await expect(inbox.read(id)).resolves.toMatchObject({ event });
  const { rows } = await inbox.takeDue(10, 1_000, 1_000);
  expect(rows.map((row) => row.event)).toEqual([event]);
});

test('what matches nothing is given up after a while, but never money that has come in', async () => {
  const inbox = new Inbox(database.system);
  const stored = async (type: 'captured' | 'transfer_received', reference: string) => {
    const eventId = newId('callback');
    const event = { eventId, reference, type, processorStatus: 'x' };
    const raw = { method: 'GET' as const, path: '', query: '', headers: {}, body: Buffer.alloc(0) };
    const { id } = (await inbox.store('b', 'processor_b', event, raw))!;
    await inbox.mark(id, 'unmatched');
    await database
      .system('callback_inbox')
      .where({ id })
      .update({ received_at: new Date(0) });
    return id;
  };
  const ids = [
    await stored('captured', newId('payment')),
    await stored('transfer_received', newId('payment')),
    await stored('transfer_received', 'PT50'),
  ];
  await inbox.ignoreUnmatched(1_000);
  const rows = await Promise.all(ids.map((id) => inbox.read(id)));
  expect(rows.map((row) => row!.state)).toEqual(['ignored', 'ignored', 'unmatched']);
});
