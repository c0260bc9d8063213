import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, CARDS, type Json, type Merchant, outOfBalance, transfersOf, until } from './client';

const { credentials } = sharedStack();
const RECONCILIATION = '/reconciliation/1.0.0';
let actors: Actors;
let merchant: Merchant;

beforeAll(async () => {
  actors = await actorsOf(credentials);
  merchant = actors.merchant;
});
afterAll(async () => expect(await outOfBalance(actors)).toEqual([]));

/** Longer than the sandbox takes to settle; what other tests are doing meanwhile is then no difference. */
const GRACE_MS = 6_000;

/** A run from its start to its end. */
async function reconciled(graceMs = GRACE_MS): Promise<Json> {
  const { status, body } = await actors.ops.post(`${RECONCILIATION}/runs`, { processor: 'a', graceMs });
  expect(status).toBe(202);
  return until('the run is done', async () => {
    const run = (await actors.ops.get(`${RECONCILIATION}/runs/${body.runId}`)).body;
    return run.status === 'done' && run;
  });
}

const differencesOf = async (paymentReference: string): Promise<Json[]> =>
  (await actors.ops.get(`${RECONCILIATION}/differences?paymentReference=${paymentReference}`)).body.data;
const resolve = (differenceId: string, resolution: string) =>
  actors.ops.post(`${RECONCILIATION}/differences/${differenceId}/resolve`, {
    resolution,
    reason: 'seen in the portal',
  });

/** A payment whose settlement goes wrong in this way, and the first difference that a run then finds about it. */
async function misreported(fault: string, order: { delayMs?: number } = {}): Promise<[string, Json]> {
  const { body } = await merchant.pay(CARDS.visa, { capture: 'manual' });
  const { paymentId } = body.data;
  await actors.simulator.fault('settlement', fault, { reference: paymentId, ...order });
  await merchant.capture(paymentId);
  const found = await until(`${fault} is found`, async () => {
    await reconciled();
    return (await differencesOf(paymentId))[0];
  });
  return [paymentId, found];
}

test.each([
  ['omit_line', { kind: 'missing_there', expected: '10.00', status: 'open' }],
  ['extra_line', { kind: 'missing_here', reported: '10.00', status: 'open' }],
  ['wrong_amount', { kind: 'different_amount', reported: '11.00', expected: '10.00', status: 'open' }],
  ['wrong_fee', { kind: 'different_fee', reported: '0.22', expected: '0.15', status: 'open' }],
  ['omit_batch', { kind: 'missing_there', expected: '10.00', status: 'open' }],
])('%s is found, resolved once, and stays resolved', async (fault, expected) => {
  const [paymentId, difference] = await misreported(fault);
  const { tenantId } = credentials;
  expect(difference).toMatchObject({ ...expected, tenantId, processor: 'a', line: { paymentReference: paymentId } });
  const resolved = await resolve(difference.differenceId, 'write_off');
  expect([resolved.status, resolved.body]).toMatchObject([
    200,
    { status: 'resolved', resolution: 'write_off', resolvedBy: credentials.clients.ops.clientId },
  ]);
  expect((await resolve(difference.differenceId, 'write_off')).status).toBe(409);
  const booked = await transfersOf(actors, `adjustment/${difference.differenceId}`);
  expect(booked.length).toBeGreaterThan(0);
  await reconciled();
  expect(await differencesOf(paymentId)).toHaveLength(1);
});

test('a line that comes late closes its difference by itself', async () => {
  const [paymentId, difference] = await misreported('omit_line', { delayMs: 12_000 });
  expect(difference).toMatchObject({ kind: 'missing_there', status: 'open' });
  await until('it came', async () => (await differencesOf(paymentId))[0].status === 'matched_later');
  await merchant.until(paymentId, 'settled');
  expect((await resolve(difference.differenceId, 'book')).status).toBe(409);
});

test('who may see and do what', async () => {
  expect((await merchant.get(`${RECONCILIATION}/differences`)).status).toBe(403);
  expect((await actors.tenantAdmin.get(`${RECONCILIATION}/runs`)).status).toBe(403);
  expect((await actors.tenantAdmin.post(`${RECONCILIATION}/runs`, { processor: 'a' })).status).toBe(403);
  expect((await actors.ops.post(`${RECONCILIATION}/runs`, { processor: 'z' })).status).toBe(400);
  expect((await actors.ops.get(`${RECONCILIATION}/runs/rec_unknown`)).status).toBe(404);
  expect((await resolve('dif_unknown', 'book')).status).toBe(404);
  expect(
    (await actors.ops.post(`${RECONCILIATION}/differences/dif_unknown/resolve`, { resolution: 'book' })).status,
  ).toBe(400);
  const { tenantAdmin: stranger } = await actorsOf(credentials, credentials.other);
  const foreign = (await stranger.get(`${RECONCILIATION}/differences`)).body.data;
  expect(foreign.filter(({ tenantId }: Json) => tenantId !== credentials.other.tenantId)).toEqual([]);
  const own = (await actors.tenantAdmin.get(`${RECONCILIATION}/differences?limit=200`)).body.data;
  expect(new Set(own.map(({ tenantId }: Json) => tenantId))).toEqual(new Set(own.length ? [credentials.tenantId] : []));
});
