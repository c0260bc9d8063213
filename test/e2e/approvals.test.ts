import { newUuid } from '../../src/domain/ids';
import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, type Caller, type Json, until } from './client';
import { Goods, ITEMS } from './goods';
import { ACCOUNTS, PAYOUTS, Seller } from './sellers';

const { credentials, apiUrl } = sharedStack();
const APPROVALS = '/approvals/1.0.0/approvals';
const LINKS = '/payment-links/1.0.0/links';

let actors: Actors;
let stranger: Actors;
let shop: Seller;
let goods: Goods;

beforeAll(async () => {
  [actors, stranger] = await Promise.all([actorsOf(credentials), actorsOf(credentials, credentials.other)]);
  // Of its own, and with an account that nobody has verified yet.
  shop = await Seller.create(credentials, actors, null);
  goods = new Goods({ ...actors, merchant: shop.merchant });
});

/** What waits of the seller, by what it is about. */
async function waiting(): Promise<Map<string, Json>> {
  const { body } = await actors.tenantAdmin.get(`${APPROVALS}?organizationId=${shop.organizationId}&limit=200`);
  return new Map(body.data.map((approval: Json) => [approval.subjectId, approval]));
}
const decide = (body: Json, caller: Caller = actors.tenantAdmin, headers = {}) =>
  caller.post(`${APPROVALS}/decisions`, body, headers);
async function link(): Promise<Json> {
  const gift = { amount: { min: '5.00', max: '500.00' }, currency: 'EUR', title: 'A gift', approval: 'required' };
  return (await shop.merchant.post(LINKS, gift)).body;
}

test('items, links and accounts wait in one list, and are decided in one go, each by its own rules', async () => {
  await shop.name(ACCOUNTS.settles);
  const [one, two] = [await goods.added({ price: '8.00' }), await goods.added()];
  const { linkId } = await link();
  const list = await waiting();
  expect(list.get(one.itemId)).toMatchObject({ kind: 'item', title: 'Blue mug', amount: '8.00', needs: 1 });
  expect(list.get(linkId)).toMatchObject({ kind: 'payment_link', amount: '500.00', currency: 'EUR', approvedBy: [] });
  expect(list.get(linkId).dueAt).toEqual(expect.any(String));
  const account = [...list.values()].find(({ kind }) => kind === 'payout_account');
  // It changes after it was looked at.
  await goods.change(two.itemId, { name: 'Red mug' });
  const ids = [one.itemId, two.itemId, linkId, account.subjectId].map((id) => list.get(id).approvalId);
  const { status, body } = await decide({ decision: 'approve', approvalIds: [...ids, 'itm_none', 'nonsense'] });
  expect(status).toBe(200);
  expect(body.data).toMatchObject([
    { approvalId: ids[0], status: 'approved' },
    { approvalId: ids[1], error: { code: 'invalid_state' } },
    { approvalId: ids[2], status: 'active' },
    { approvalId: ids[3], status: 'verified' },
    { error: { code: 'not_found' } },
    { error: { code: 'not_found' } },
  ]);
  expect([...(await waiting()).keys()]).toEqual([two.itemId]);
  expect((await shop.merchant.get(`${LINKS}/${linkId}`)).body.status).toBe('active');
  expect((await shop.merchant.get(`${PAYOUTS}/account`)).body.history[0].status).toBe('verified');

  const again = await decide({ decision: 'approve', approvalIds: ids });
  expect(again.body.data.map(({ status: now }: Json) => now)).toEqual(['approved', undefined, 'active', 'verified']);
  const other = await decide({ decision: 'reject', approvalIds: [ids[0]], reason: 'On second thoughts.' });
  expect(other.body.data).toMatchObject([{ error: { code: 'invalid_state' } }]);
  const { approvalId } = (await waiting()).get(two.itemId);
  const rejected = await decide({ decision: 'reject', approvalIds: [approvalId], reason: 'Not red.' });
  expect(rejected.body.data).toMatchObject([{ status: 'rejected' }]);
  expect((await goods.item(two.itemId)).reason).toBe('Not red.');
});

test('two requests at once, and the same request again, decide once', async () => {
  const items = await Promise.all(Array.from({ length: 12 }, () => goods.added()));
  const list = await waiting();
  const approvalIds = items.map(({ itemId }) => list.get(itemId).approvalId);
  const key = { 'idempotency-key': newUuid() };
  const body = { decision: 'approve', approvalIds };
  const [first, second] = await Promise.all([decide(body, actors.tenantAdmin, key), decide(body)]);
  for (const reply of [first, second])
    expect(reply.body.data).toEqual(approvalIds.map((approvalId) => ({ approvalId, status: 'approved' })));
  const replay = await decide(body, actors.tenantAdmin, key);
  expect([replay.headers.get('idempotent-replayed'), replay.body]).toEqual(['true', first.body]);
});

test('documents and customers of a tenant wait too', async () => {
  const { tenantAdmin } = actors;
  const customer = {
    customerType: 'Person',
    customerName: 'Ada',
    organizationId: shop.organizationId,
    customerStatus: 'under_verificaiton',
    person: {
      firstName: { name: 'Ada' },
      lastName: { name: 'Lovelace' },
      email: `${newUuid()}@example.com`,
      documents: [{ purpose: 'KYC', documentType: 'ID front side', name: 'Identity card' }],
    },
  };
  const created = await tenantAdmin.post('/customer/1.0.0/create', customer);
  expect(created.status).toBe(201);
  const { customerId } = created.body;
  const list = [...(await waiting()).values()];
  const document = list.find(({ kind }) => kind === 'document');
  expect(document).toMatchObject({
    title: `ID front side of ${customerId}`,
    organizationId: shop.organizationId,
    customerId,
  });
  const own = list.find(({ subjectId }) => subjectId === customerId);
  // Not before the document that is required of it.
  const early = await decide({ decision: 'approve', approvalIds: [own.approvalId] });
  expect(early.body.data).toMatchObject([{ error: { code: 'invalid_state' } }]);
  const never = await decide({ decision: 'reject', approvalIds: [own.approvalId], reason: 'No.' });
  expect(never.body.data).toMatchObject([{ error: { code: 'invalid_state' } }]);
  // A file comes after it was looked at.
  const upload = await fetch(`${apiUrl}/customer/1.0.0/${customerId}/documents/${document.subjectId}/file`, {
    method: 'PUT',
    headers: { ...tenantAdmin.headers, 'content-type': 'application/pdf' },
    body: '%PDF-1.7\n',
  });
  expect(upload.status).toBe(200);
  const blind = await decide({ decision: 'approve', approvalIds: [document.approvalId] });
  expect(blind.body.data).toMatchObject([{ error: { code: 'invalid_state' } }]);
  const { approvalId } = (await waiting()).get(document.subjectId);
  const approved = await decide({ decision: 'approve', approvalIds: [approvalId] });
  expect(approved.body.data).toMatchObject([{ status: 'verified' }]);
  await until('the customer is verified by its flow', async () => !(await waiting()).has(customerId));
});

test('nobody decides for others, and a rejection needs a reason', async () => {
  const { itemId } = await goods.added();
  const { approvalId } = (await waiting()).get(itemId);
  const foreign = await decide({ decision: 'approve', approvalIds: [approvalId] }, stranger.tenantAdmin);
  expect(foreign.body.data).toMatchObject([{ error: { code: 'not_found' } }]);
  expect((await stranger.tenantAdmin.get(`${APPROVALS}?limit=200`)).body.data).not.toContainEqual(
    expect.objectContaining({ subjectId: itemId }),
  );
  for (const caller of [shop.merchant, actors.ops]) expect((await caller.get(APPROVALS)).status).toBe(403);
  expect((await decide({ decision: 'reject', approvalIds: [approvalId] })).status).toBe(400);
  expect((await decide({ decision: 'approve', approvalIds: [] })).status).toBe(400);
  expect((await actors.tenantAdmin.get(`${ITEMS}/${itemId}`)).body.status).toBe('pending_approval');
});
