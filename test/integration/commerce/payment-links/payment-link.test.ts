import type { PaymentLinkRow } from '../../../../src/commerce/payment-links/payment-link';
import { advancePaymentLink } from '../../../../src/commerce/payment-links/steps';
import { newId } from '../../../../src/domain/ids';
import { openPlace, type Place } from '../../people/customers/place';

const HOUR_MS = 3_600_000;

let place: Place;
let announced: string[];

beforeAll(async () => {
  place = await openPlace('payment_links');
});
beforeEach(() => {
  announced = [];
});
afterAll(() => place?.close());

/** One of the sandbox's merchant, which waits for another hour. */
function paymentLink(overrides: Partial<PaymentLinkRow> = {}): Promise<PaymentLinkRow> {
  return place.database.tenant(place.tenantId, async (trx) => {
    const { id: organization_id } = await trx('organizations').first('id');
    const [row] = await trx('payment_links')
      .insert({
        id: newId('paymentLink'),
        tenant_id: place.tenantId,
        organization_id,
        status: 'waiting',
        expires_at: new Date(Date.now() + HOUR_MS),
        created_by: 'a merchant',
        ...overrides,
      })
      .returning('*');
    return row;
  });
}

const firstAnswers = {
  announce: async (_trx: unknown, subject: string) => {
    announced.push(subject);
  },
};
const look = (paymentLinkId: string, now?: Date, tenantId = place.tenantId) =>
  advancePaymentLink({ database: place.database, firstAnswers }, { paymentLinkId, tenantId }, now);
/** When the workers look at it, should its flow be gone. */
const dueAt = async (id: string) => (await place.database.system('payment_links').where({ id }).first()).look_at;

test('what nobody approves waits until its time is up', async () => {
  const { id, expires_at } = await paymentLink();
  const now = new Date(expires_at.getTime() - 1_000);
  expect(await look(id, now)).toMatchObject({ status: 'waiting', nextInMs: 1_000, ended: false });
  expect(await dueAt(id)).toEqual(expires_at);
  expect(await look(id, expires_at)).toMatchObject({ status: 'expired', ended: true });
  expect(await dueAt(id)).toBeNull();
  expect(announced).toEqual([id, id]);
});

test('an approval takes effect once, also where the time is up by then', async () => {
  const { id, expires_at } = await paymentLink({ approved_by: 'an admin', approved_at: new Date() });
  const approved = await look(id, expires_at);
  expect(approved).toMatchObject({ status: 'approved', ended: true });
  const [one, other] = await Promise.all([look(id), look(id, expires_at)]);
  expect([one, other]).toEqual([approved, approved]);
});

test('another tenant sees nothing of it', async () => {
  const { id } = await paymentLink();
  await expect(look(id, undefined, place.otherTenantId)).rejects.toMatchObject({ code: 'not_found' });
});

test('the database refuses what must never be', async () => {
  const constraint = expect.stringMatching(/^payment_links_.*check/);
  await expect(paymentLink({ status: 'unheard of' as 'waiting' })).rejects.toMatchObject({ constraint });
  await expect(paymentLink({ status: 'approved' })).rejects.toMatchObject({ constraint });
});
