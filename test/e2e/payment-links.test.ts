import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, type Json, until } from './client';

const { credentials } = sharedStack();
const BASE = '/payment-links/1.0.0/payment-links';

let actors: Actors;
let stranger: Actors;

beforeAll(async () => {
  [actors, stranger] = await Promise.all([actorsOf(credentials), actorsOf(credentials, credentials.other)]);
});

async function create(body: object = {}): Promise<Json> {
  const reply = await actors.merchant.post(BASE, body);
  if (reply.status !== 201) throw new Error(`not created: ${JSON.stringify(reply.body)}`);
  return reply.body;
}

const get = async (id: string): Promise<Json> => (await actors.merchant.get(`${BASE}/${id}`)).body;
const approve = (id: string) =>
  actors.tenantAdmin.post(`${BASE}/${id}/approve`, undefined, { organizationid: credentials.organizationId });

test('it waits until somebody approves it, once', async () => {
  const created = await create({ note: 'a note' });
  expect(created).toMatchObject({ status: 'waiting', note: 'a note' });
  const { paymentLinkId } = created;
  expect(await get(paymentLinkId)).toEqual(created);
  await approve(paymentLinkId);
  const approved = await until('it is approved', async () => {
    const now = await get(paymentLinkId);
    return now.status === 'approved' && now;
  });
  expect(approved).toMatchObject({ approvedAt: expect.any(String), approvedBy: expect.any(String) });
  expect(await approve(paymentLinkId)).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
});

test('it expires by itself', async () => {
  const { paymentLinkId } = await create({ expiresAt: new Date(Date.now() + 1_000).toISOString() });
  await until('it has expired', async () => (await get(paymentLinkId)).status === 'expired');
  expect(await approve(paymentLinkId)).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
});

test('a list has pages, newest first', async () => {
  const made = [await create(), await create(), await create()].map(({ paymentLinkId }) => paymentLinkId).reverse();
  const first = (await actors.merchant.get(`${BASE}?limit=2&status=waiting`)).body;
  expect(first.data.map(({ paymentLinkId }: Json) => paymentLinkId)).toEqual(made.slice(0, 2));
  const second = (await actors.merchant.get(`${BASE}?limit=2&status=waiting&cursor=${first.nextCursor}`)).body;
  expect(second.data[0].paymentLinkId).toBe(made[2]);
});

test('the same key makes one, and what cannot be is refused', async () => {
  const key = { 'idempotency-key': `k-${Date.now()}` };
  const [one, again] = [await actors.merchant.post(BASE, {}, key), await actors.merchant.post(BASE, {}, key)];
  expect(again.body).toEqual(one.body);
  const past = await actors.merchant.post(BASE, { expiresAt: '2020-01-01T00:00:00Z' });
  expect(past).toMatchObject({ status: 400, body: { details: [{ field: 'expiresAt' }] } });
});

test('nobody else sees it; a merchant cannot approve it', async () => {
  const { paymentLinkId } = await create();
  expect((await stranger.merchant.get(`${BASE}/${paymentLinkId}`)).status).toBe(404);
  expect((await actors.merchant.post(`${BASE}/${paymentLinkId}/approve`)).status).toBe(403);
});
