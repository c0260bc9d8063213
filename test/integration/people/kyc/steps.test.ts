import { CUSTOMER_STATUSES, CUSTOMER_TRANSITIONS, type CustomerStatus } from '../../../../src/domain/states/customer';
import type { Message } from '../../../../src/foundation/messages/messenger';
import { findCustomer, lockCustomer } from '../../../../src/people/customers/customer';
import type { DocumentRow } from '../../../../src/people/customers/documents';
import { eventsOf, moveCustomer } from '../../../../src/people/customers/status';
import { advance, type KycDependencies, kycDependencies } from '../../../../src/people/kyc/steps';
import { insertPerson, KEYS, openPlace, type Place } from '../customers/place';

const REMINDER_MS = 86_400_000;
const FRONT = { purpose: 'KYC', documentType: 'ID front side' };
const NOW = new Date('2030-01-01T00:00:00Z');
const after = (ms: number) => new Date(NOW.getTime() + ms);

let place: Place;
let sent: Message[];
let parts: KycDependencies;

beforeAll(async () => {
  place = await openPlace('verification');
  parts = {
    ...kycDependencies(KEYS, REMINDER_MS),
    messenger: { send: async (_trx, message) => `${sent.push(message)}` },
  };
});
afterAll(() => place?.close());
beforeEach(() => {
  sent = [];
});

const inTenant = <T>(work: Parameters<typeof place.database.tenant<T>>[1]) =>
  place.database.tenant(place.tenantId, work);
const look = (id: string, now = NOW) => inTenant(async (trx) => advance(trx, parts, await lockCustomer(trx, id), now));
const reviewed = (id: string, change: Partial<DocumentRow>) =>
  inTenant((trx) =>
    trx('customer_documents')
      .where({ customer_id: id })
      .whereNull('withdrawn_at')
      .update({ changed_at: trx.raw('clock_timestamp()'), ...change }),
  );
const move = (id: string, to: CustomerStatus) =>
  inTenant(async (trx) =>
    moveCustomer(trx, await lockCustomer(trx, id), to, { actor: 'an admin', reason: 'so it is' }),
  );
const history = async (id: string) =>
  (await inTenant(async (trx) => eventsOf(trx, await findCustomer(trx, id)))).map(
    ({ to_status, actor }) => `${to_status} by ${actor}`,
  );

async function person(status: CustomerStatus, documents = [FRONT]): Promise<string> {
  const owner = await insertPerson(place, status);
  await inTenant((trx) => parts.documents.sync(trx, { ...owner, status: 'under_verificaiton' }, documents));
  return owner.id;
}

test.each(CUSTOMER_STATUSES.flatMap((from) => CUSTOMER_STATUSES.map((to) => [from, to] as const)))(
  '%s → %s as the table says, and with a line in the history',
  async (from, to) => {
    const { id } = await insertPerson(place, from);
    if (!CUSTOMER_TRANSITIONS[from].includes(to))
      return expect(move(id, to)).rejects.toMatchObject({ code: 'invalid_state' });
    expect((await move(id, to)).status).toBe(to);
    expect(await history(id)).toEqual([`${from} by an admin`, `${to} by an admin`]);
  },
);

test('a customer becomes verified with the last required document, not before', async () => {
  const id = await person('under_verificaiton');
  expect(await look(id)).toMatchObject({ status: 'under_verificaiton', toReview: 1, ended: false });
  await reviewed(id, { status: 'rejected' });
  expect(await look(id)).toMatchObject({ status: 'under_verificaiton', toReview: 0, ended: false });
  await reviewed(id, { status: 'verified' });
  expect(await look(id)).toMatchObject({ status: 'verified', missing: [], ended: true });
  expect(await history(id)).toEqual(['under_verificaiton by an admin', 'verified by verification']);
  expect(await look(id)).toMatchObject({ status: 'verified', ended: true });
});

test('where a tenant requires nothing, nobody is verified but by hand', async () => {
  const id = await person('under_verificaiton');
  const settings = (value: object) =>
    place.database
      .system('tenants')
      .where({ id: place.tenantId })
      .update({ settings: JSON.stringify(value) });
  const { settings: before } = await place.database.system('tenants').where({ id: place.tenantId }).first('settings');
  await settings({ ...before, verification: { Person: [], Organization: [] } });
  await reviewed(id, { status: 'verified' });
  expect(await look(id)).toMatchObject({ status: 'under_verificaiton', missing: [] });
  await settings(before);
});

test('a document is reminded of once before it expires, and then does', async () => {
  const id = await person('under_verificaiton');
  await reviewed(id, { status: 'verified', expires_at: after(2 * REMINDER_MS) });
  expect(await look(id)).toMatchObject({ status: 'verified', nextAt: after(REMINDER_MS), ended: false });
  expect(sent).toEqual([]);

  expect(await look(id, after(REMINDER_MS))).toMatchObject({ status: 'verified', nextAt: after(2 * REMINDER_MS) });
  await look(id, after(REMINDER_MS + 1));
  expect(sent).toHaveLength(1);
  expect(sent[0]).toMatchObject({
    channel: 'email',
    to: `${id}@example.com`,
    subject: expect.stringContaining('ID front'),
  });

  const expired = await look(id, after(2 * REMINDER_MS));
  expect(expired).toMatchObject({ status: 'under_investigation', missing: [{ purpose: 'KYC' }], ended: false });
  const [row] = await inTenant((trx) => parts.documents.of(trx, [id]));
  expect(row).toMatchObject({ status: 'expired', verification_response: expect.stringContaining('Expired') });

  await reviewed(id, { status: 'verified', expires_at: null });
  expect(await look(id)).toMatchObject({ status: 'verified', ended: true });
  expect(await history(id)).toEqual([
    'under_verificaiton by an admin',
    'verified by verification',
    'under_investigation by verification',
    'verified by verification',
  ]);
});

test('what a person decides about a lapsed customer stays so', async () => {
  const id = await person('verified');
  await reviewed(id, { status: 'rejected' });
  expect(await look(id)).toMatchObject({ status: 'under_investigation' });
  await move(id, 'verified');
  expect(await look(id)).toMatchObject({ status: 'verified', ended: true });
});

test('an investigation that a person began is not ended by documents', async () => {
  const id = await person('verified');
  await move(id, 'under_investigation');
  await reviewed(id, { status: 'verified' });
  expect(await look(id)).toMatchObject({ status: 'under_investigation', ended: true });
});

test('a verified document that is taken out of the record is one that is lost', async () => {
  const id = await person('under_verificaiton');
  await reviewed(id, { status: 'verified', expires_at: after(REMINDER_MS * 9) });
  await look(id);
  await inTenant(async (trx) => parts.documents.sync(trx, await lockCustomer(trx, id), []));
  expect(await look(id)).toMatchObject({ status: 'under_investigation' });
});

test('a customer who is blacklisted is left alone', async () => {
  const id = await person('under_verificaiton');
  await move(id, 'blacklisted');
  await reviewed(id, { status: 'verified' });
  expect(await look(id)).toMatchObject({ status: 'blacklisted', ended: true });
});
