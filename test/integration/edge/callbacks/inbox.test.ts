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
