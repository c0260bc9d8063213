import { randomUUID } from 'node:crypto';
import { createOrder } from '../../../../src/commerce/orders/steps';
import {
  decideOnLink,
  delegate,
  listDelegations,
  revokeDelegation,
} from '../../../../src/commerce/payment-links/approvals';
import { createPaymentLink, type NewPaymentLink } from '../../../../src/commerce/payment-links/create';
import { LinkTokens, type PaymentLinkRow } from '../../../../src/commerce/payment-links/payment-link';
import { Reminders } from '../../../../src/commerce/payment-links/reminders';
import { writeLinkSettings } from '../../../../src/commerce/payment-links/settings';
import { lookAtPaymentLink } from '../../../../src/commerce/payment-links/steps';
import { newId } from '../../../../src/domain/ids';
import type { PaymentStatus } from '../../../../src/domain/states/payment';
import { Messenger } from '../../../../src/foundation/messages/messenger';
import { Users } from '../../../../src/people/identity/users/user';
import { openPlace, type Place } from '../../people/customers/place';

const HOUR = 3_600_000;
const KEYS = `k1:${Buffer.alloc(32, 9).toString('base64')}`;
const tokens = new LinkTokens(KEYS.slice(3), 'https://pay.example');

let place: Place;
let organizationId: string;
let terminalId: string;

beforeAll(async () => {
  place = await openPlace('payment_links');
  await place.database.tenant(place.tenantId, async (trx) => {
    ({ terminal_id: terminalId, organization_id: organizationId } = await trx('merchant_accounts').first());
  });
});
afterEach(() => settle({}));
afterAll(() => place?.close());

const actor = (id: string) => ({ id, source: '127.0.0.1', requestId: 'req_test' });
const seller = actor('cli_seller');
const admin = { tenantId: '', isAdmin: true, by: actor('cli_admin') };
const as = (id: string, isAdmin = true) => ({ ...admin, tenantId: place.tenantId, isAdmin, by: actor(id) });

const settle = (changed: { approvalRequired?: boolean; fourEyes?: Record<string, bigint>; remindAfterMs?: number }) =>
  writeLinkSettings(
    place.database,
    place.tenantId,
    { approvalRequired: false, fourEyes: {}, requestTtlMs: HOUR, remindAfterMs: HOUR / 2, ...changed },
    admin.by,
  );

function create(changed: Partial<NewPaymentLink> = {}): Promise<PaymentLinkRow> {
  const id = newId('paymentLink');
  const link: NewPaymentLink = {
    id,
    terminalId,
    asked: { currency: 'EUR', minMinor: 1_000n, maxMinor: 50_000n },
    title: 'A gift',
    customFields: [],
    isApprovalAskedFor: false,
    expiresAt: new Date(Date.now() + 2 * HOUR),
    ...changed,
  };
  return place.database.tenant(place.tenantId, (trx) =>
    createPaymentLink(trx, { tenantId: place.tenantId, organizationId }, tokens, link, seller),
  );
}

const look = (link: Pick<PaymentLinkRow, 'id'>, now?: Date) => {
  const messenger = new Messenger(KEYS);
  const reminders = new Reminders({
    database: place.database,
    users: new Users(place.database, KEYS, KEYS.slice(3)),
    messenger,
  });
  const deps = { database: place.database, paymentLinks: { reminders, tokens } };
  return lookAtPaymentLink(deps, { paymentLinkId: link.id, tenantId: place.tenantId }, now);
};
const stored = (id: string): Promise<PaymentLinkRow> => place.database.system('payment_links').where({ id }).first();
const approve = (id: string, by: string, isAdmin = true) =>
  decideOnLink({ database: place.database, tokens }, as(by, isAdmin), id, { decision: 'approve' });

/** A payment by the link, as it stands. */
async function paid(link: PaymentLinkRow, status: PaymentStatus): Promise<string> {
  const id = newId('payment');
  await place.database.system('payments').insert({
    id,
    tenant_id: place.tenantId,
    organization_id: organizationId,
    terminal_id: terminalId,
    merchant_transaction_id: randomUUID(),
    method_id: 1,
    kind: 'card',
    brand: 'VISA',
    processor: 'a',
    currency: 'EUR',
    amount_minor: 1_000n,
    capture_mode: 'automatic',
    status: 'initiated',
    result_code: 100,
    status_detail: '',
    request: '{}',
    link_id: link.id,
  });
  await place.database.system('payments').where({ id }).update({ status });
  return id;
}

test('a link that nobody has to approve is active at once, until it expires', async () => {
  const link = await create();
  expect(link).toMatchObject({ status: 'active', approvals_needed: 0, most_minor: 50_000n });
  expect(await look(link)).toMatchObject({ status: 'active', ended: false, untilMs: link.expires_at.getTime() });
  expect((await stored(link.id)).look_at).toEqual(link.expires_at);
  expect(await look(link, link.expires_at)).toMatchObject({ status: 'expired', ended: true });
  expect((await stored(link.id)).look_at).toBeNull();
});

test('its address is found by a digest; the token itself is kept nowhere', async () => {
  const link = await create();
  const token = tokens.of(link.id);
  expect(token).toMatch(/^[\w-]{22}$/);
  expect(link.token_digest).toEqual(tokens.digest(token));
  expect(Object.values(link).map(String)).not.toContain(token);
});

test.each([
  ['the link asks for it', {}, { isApprovalAskedFor: true }, 1],
  ['the tenant asks for it', { approvalRequired: true }, {}, 1],
  ['its amount needs two people', { fourEyes: { EUR: 50_000n } }, {}, 2],
  ['its amount is below that', { fourEyes: { EUR: 50_001n } }, {}, 0],
  ['the amount of another currency', { fourEyes: { USD: 1n } }, {}, 0],
])('how many approvals it needs: %s', async (_, settings, changed, needed) => {
  await settle(settings);
  const link = await create(changed);
  expect(link).toMatchObject({ approvals_needed: needed, status: needed > 0 ? 'pending_approval' : 'active' });
});

test('two people approve, each once, and never who made it', async () => {
  await settle({ fourEyes: { EUR: 1n } });
  const { id } = await create();
  await expect(approve(id, seller.id)).rejects.toMatchObject({ code: 'forbidden' });
  expect(await approve(id, 'one')).toMatchObject({ status: 'pending_approval' });
  await expect(approve(id, 'one')).rejects.toMatchObject({ code: 'invalid_state' });
  expect(await approve(id, 'two')).toMatchObject({ status: 'active' });
  await expect(approve(id, 'three')).rejects.toMatchObject({ code: 'invalid_state' });
});

test('of ten who approve and reject at the same time, one rejection ends it', async () => {
  await settle({ fourEyes: { EUR: 1n } });
  const { id } = await create();
  const votes = Array.from({ length: 10 }, (_, index) =>
    decideOnLink({ database: place.database, tokens }, as(`voter ${index}`), id, {
      decision: 'reject',
      reason: 'no',
    }).catch(() => undefined),
  );
  const ended = (await Promise.all(votes)).filter((link) => link?.status === 'rejected');
  expect(ended).toHaveLength(1);
  expect(await stored(id)).toMatchObject({ status: 'rejected', status_detail: 'no', look_at: null });
});

test('a request that nobody answers expires, and its admins are reminded once before', async () => {
  const link = await create({ isApprovalAskedFor: true });
  const count = async () => (await place.database.system('messages').pluck('id')).length;
  const before = await count();
  expect(link.look_at).toEqual(link.remind_at);
  await look(link, link.remind_at!);
  await look(link, link.remind_at!);
  const admins = await place.database.system('users').where({ tenant_id: place.tenantId, role: 'tenant_admin' });
  expect((await count()) - before).toBe(admins.length);
  expect((await stored(link.id)).look_at).toEqual(link.request_expires_at);
  expect(await look(link, link.request_expires_at!)).toMatchObject({ status: 'expired' });
});

test('a delegate decides up to an amount, until it is taken back', async () => {
  const { database, tenantId } = place;
  const { id: client } = await database.system('clients').where({ tenant_id: tenantId, role: 'merchant' }).first('id');
  const [first, second, third] = await Promise.all([1, 2, 3].map(() => create({ isApprovalAskedFor: true })));
  await expect(approve(first!.id, client, false)).rejects.toMatchObject({ code: 'forbidden' });
  const given = { to: client, currency: 'EUR', mostMinor: 49_999n, endsAt: new Date(Date.now() + HOUR) };
  await delegate(database, tenantId, given, admin.by);
  await expect(approve(first!.id, client, false)).rejects.toMatchObject({ code: 'forbidden' });
  const { id } = await delegate(database, tenantId, { ...given, mostMinor: 50_000n }, admin.by);
  expect(await approve(second!.id, client, false)).toMatchObject({ status: 'active' });
  expect(await database.ops('payment_link_decisions').where({ link_id: second!.id }).first()).toMatchObject({
    on_behalf_of: admin.by.id,
  });
  await revokeDelegation(database, tenantId, id, admin.by);
  await expect(approve(third!.id, client, false)).rejects.toMatchObject({ code: 'forbidden' });
  expect(await listDelegations(database, tenantId)).toMatchObject([{ most_minor: 49_999n }]);
  const stranger = { ...given, to: 'cli_of_somebody_else' };
  await expect(delegate(database, tenantId, stranger, admin.by)).rejects.toMatchObject({ code: 'invalid_request' });
});

test('payments have it looked at, and as many as it takes make it paid, also after its time', async () => {
  const link = await create({ maxPayments: 2 });
  await look(link);
  await paid(link, 'failed');
  await paid(link, 'captured');
  expect((await stored(link.id)).look_at!.getTime()).toBeLessThanOrEqual(Date.now() + 1_000);
  expect(await look(link)).toMatchObject({ status: 'active' });
  await look(link, link.expires_at);
  await paid(link, 'settled');
  expect((await stored(link.id)).look_at).not.toBeNull();
  expect(await look(link)).toMatchObject({ status: 'paid', ended: true });
});

test('what was decided cannot be changed, not even by the owner of the tables', async () => {
  const { id } = await create({ isApprovalAskedFor: true });
  await approve(id, 'somebody');
  await expect(
    place.database.tenant(place.tenantId, (trx) => trx('payment_link_decisions').delete()),
  ).rejects.toThrow();
});

test('an order is held for its link, which is one, and given up with it', async () => {
  const { database, tenantId } = place;
  const order = await database.tenant(tenantId, (trx) =>
    createOrder(trx, {
      id: newId('order'),
      tenantId,
      organizationId,
      currency: 'EUR',
      lines: [{ description: 'A chair', unitMinor: 9_900n, quantity: 1 }],
      reservedUntil: new Date(Date.now() + 1_000),
      createdBy: seller.id,
    }),
  );
  const orderRow = () => database.system('orders').where({ id: order.id }).first();
  const link = await create({ asked: { orderId: order.id } });
  expect(link).toMatchObject({ most_minor: 9_900n, currency: 'EUR', max_payments: 1, order_id: order.id });
  expect((await orderRow()).reserved_until).toEqual(link.expires_at);
  await expect(create({ asked: { orderId: order.id } })).rejects.toMatchObject({ code: 'invalid_state' });
  await look(link, link.expires_at);
  expect(await orderRow()).toMatchObject({ status: 'expired' });
  await expect(create({ asked: { orderId: order.id } })).rejects.toMatchObject({ code: 'invalid_state' });
});
