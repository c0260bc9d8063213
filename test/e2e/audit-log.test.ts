import { parse } from 'csv-parse/sync';
import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, CARDS, type Caller, type Json } from './client';
import { Transfers } from './p2p';
import { addressOf } from './staff';

/** Who did what: read by those who answer for it. */

const { credentials } = sharedStack();
const { tenantId } = credentials;
const AUDIT = '/identity/1.0.0/audit';
const USERS = '/identity/1.0.0/users';

let actors: Actors;
let stranger: Actors;
/** A user of our tenant to whom three things were done. */
let userId: string;

beforeAll(async () => {
  [actors, stranger] = await Promise.all([actorsOf(credentials), actorsOf(credentials, credentials.other)]);
  const invitation = { email: addressOf(), name: 'Ada Lovelace', role: 'tenant_admin' };
  userId = (await actors.tenantAdmin.post(USERS, invitation)).body.userId;
  await actors.tenantAdmin.post(`${USERS}/${userId}/disable`);
  await actors.tenantAdmin.post(`${USERS}/${userId}/enable`);
});

const read = async (who: Caller, query: Record<string, string>, headers = {}): Promise<Json[]> => {
  const { status, body } = await who.get(`${AUDIT}?${new URLSearchParams(query)}`, headers);
  expect(status).toBe(200);
  return body.data;
};
const actionsOf = (lines: Json[]) => lines.map(({ action }) => action);

test('says who did what to whom, newest first', async () => {
  const lines = await read(actors.tenantAdmin, { target: userId });
  expect(actionsOf(lines)).toEqual(['user.enable', 'user.disable', 'user.invite']);
  expect(lines[1]).toMatchObject({
    tenantId,
    actor: credentials.clients.tenantAdmin.clientId,
    actorName: expect.any(String),
    targetName: 'Ada Lovelace',
    result: 'done',
    source: expect.any(String),
    detail: { requestId: expect.any(String) },
  });
});

test('the filters narrow, and each page goes on where the last one ended', async () => {
  const { tenantAdmin } = actors;
  const all = await read(tenantAdmin, { target: userId });
  expect(await read(tenantAdmin, { target: userId, action: 'user.disable' })).toEqual([all[1]]);
  expect(await read(tenantAdmin, { target: userId, actor: all[0]!.actor })).toEqual(all);
  expect(await read(tenantAdmin, { target: userId, actor: userId })).toEqual([]);
  const { at } = all[1]!;
  expect(await read(tenantAdmin, { target: userId, from: at })).toEqual(all.filter((line) => line.at >= at));
  expect(await read(tenantAdmin, { target: userId, to: at })).toEqual(all.filter((line) => line.at < at));
  const paged: Json[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = new URLSearchParams({ target: userId, limit: '1', ...(cursor && { cursor }) });
    const { body } = await tenantAdmin.get(`${AUDIT}?${query}`);
    paged.push(...body.data);
    cursor = body.nextCursor;
  }
  expect(paged).toEqual(all);
});

test('a cursor of another list is an empty page', async () => {
  for (const key of ['42', '2026-99-99T00:00:00.000Z/1', '2026-01-01T00:00:00.000Z/x']) {
    const cursor = Buffer.from(`1:${key}`).toString('base64url');
    expect(await read(actors.tenantAdmin, { cursor })).toEqual([]);
  }
});

test('a tenant has its own lines only; an operator has all, or those of the tenant that the header names', async () => {
  expect(await read(stranger.tenantAdmin, { target: userId })).toEqual([]);
  expect((await stranger.tenantAdmin.get(AUDIT, { tenantid: tenantId })).status).toBe(403);
  const own = await read(stranger.tenantAdmin, { limit: '200' });
  expect(new Set(own.map((line) => line.tenantId))).toEqual(
    new Set(own.length > 0 ? [credentials.other.tenantId] : []),
  );
  expect(await read(actors.ops, { target: userId })).toHaveLength(3);
  expect(await read(actors.ops, { target: userId }, { tenantid: tenantId })).toHaveLength(3);
  expect(await read(actors.ops, { target: userId }, { tenantid: credentials.other.tenantId })).toEqual([]);
  expect((await actors.merchant.get(AUDIT)).status).toBe(403);
});

test('what was done to an operator is of no tenant, and only operators read it', async () => {
  const { body } = await actors.ops.post(USERS, { email: addressOf(), name: 'Grace Hopper', role: 'ops' });
  const [line, ...others] = await read(actors.ops, { target: body.userId });
  expect(others).toEqual([]);
  expect(line).toMatchObject({ action: 'user.invite', targetName: 'Grace Hopper' });
  expect(line!.tenantId).toBeUndefined();
  expect(await read(actors.tenantAdmin, { target: body.userId })).toEqual([]);
});

test('who is removed has no name any more, and what was done stays', async () => {
  const { tenantAdmin } = actors;
  const { body } = await tenantAdmin.post(USERS, { email: addressOf(), name: 'Ada', role: 'tenant_admin' });
  const { headers, apiUrl } = tenantAdmin;
  await fetch(`${apiUrl}${USERS}/${body.userId}`, { method: 'DELETE', headers });
  const lines = await read(tenantAdmin, { target: body.userId });
  expect(actionsOf(lines)).toEqual(['user.remove', 'user.invite']);
  for (const line of lines) expect(line).not.toHaveProperty('targetName');
});

test('as a table', async () => {
  const { body } = await actors.tenantAdmin.get(`${AUDIT}?target=${userId}`, { accept: 'text/csv' });
  const rows: Json[] = parse(body, { bom: true, columns: true });
  expect(actionsOf(rows)).toEqual(['user.enable', 'user.disable', 'user.invite']);
});

describe('what moves money', () => {
  test('of merchants: each payment, capture, cancellation and refund, once however often it is repeated', async () => {
    const { merchant } = actors;
    const { paymentId } = await merchant.paid(CARDS.visa, { capture: 'manual' }, ['authorized']);
    const capture = () => merchant.capture(paymentId, undefined, `capture ${paymentId}`);
    await capture();
    await capture();
    const { body } = await merchant.refund(paymentId, { amount: '1.00' });
    const lines = (await read(actors.tenantAdmin, { target: paymentId })).reverse();
    expect(actionsOf(lines)).toEqual(['payment.create', 'payment.capture', 'payment.refund']);
    for (const line of lines)
      expect(line).toMatchObject({
        tenantId,
        actor: credentials.clients.merchant.clientId,
        result: 'done',
        detail: { requestId: expect.stringMatching(/^req_/) },
      });
    expect(lines[2]!.detail.refundId).toBe(body.data.refund.refundId);
    const other = await merchant.paid(CARDS.visa, { capture: 'manual' }, ['authorized']);
    await merchant.cancel(other.paymentId);
    const [last] = await read(actors.tenantAdmin, { target: other.paymentId });
    expect(last).toMatchObject({ action: 'payment.cancel', actor: credentials.clients.merchant.clientId });
  });

  test('of nobody, where it was refused', async () => {
    const { merchant } = actors;
    const { paymentId } = await merchant.paid(CARDS.visa);
    expect((await merchant.refund(paymentId, { amount: '99.00' })).status).toBe(422);
    expect((await merchant.capture(paymentId)).status).toBe(409);
    expect(actionsOf(await read(actors.tenantAdmin, { target: paymentId }))).toEqual(['payment.create']);
  });

  test('of customers', async () => {
    const admin = new Transfers(actors.tenantAdmin, actors);
    const [sender, payee] = [await admin.member('5.00'), await admin.member()];
    const { body } = await admin.send(sender.customerId, payee.customerId);
    const lines = await read(actors.tenantAdmin, { target: sender.customerId });
    const moved = lines.find(({ action }) => action === 'customer.transfer_sent');
    expect(moved!.detail).toMatchObject({ transferId: body.transferId });
    expect(actionsOf(lines)).toContain('customer.topup_create');
  });
});
