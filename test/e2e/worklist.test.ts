import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, CARDS, type Caller, type Json, secondOperator, send, signedByA, until } from './client';

/** What needs a person: listed with why and what to do, and done by the acts that the list names. */

const { credentials } = sharedStack();
const LIST = '/ops/1.0.0/worklist';
let actors: Actors;
let ann: Caller;
let bob: Caller;

beforeAll(async () => {
  actors = await actorsOf(credentials);
  ann = actors.ops;
  bob = await secondOperator(actors);
});

/** Every entry of a kind, page by page. */
async function listed(query: string): Promise<Json[]> {
  const entries: Json[] = [];
  for (let cursor = ''; ; ) {
    const { status, body } = await ann.get(`${LIST}?limit=3&${query}${cursor && `&cursor=${cursor}`}`);
    expect(status).toBe(200);
    entries.push(...body.data);
    if (body.nextCursor === null) return entries;
    cursor = body.nextCursor;
  }
}
const entryOf = (kind: string, objectId: string): Promise<Json> =>
  until(`${objectId} on the list`, async () =>
    (await listed(`kind=${kind}`)).find((entry) => entry.objectId === objectId),
  );
/** Does what an entry offers, with what it asks for. */
function act(by: Caller, entry: Json, name: string, answers: object = {}) {
  const offered = entry.acts.find((one: Json) => one.act === name);
  if (!offered) throw new Error(`${name} is not offered: ${JSON.stringify(entry.acts)}`);
  const reason = offered.asks.includes('reason') ? { reason: 'seen in the portal of A' } : {};
  return by.post(offered.path, { ...offered.body, ...reason, ...answers });
}

/** A paid payment about which its processor reports another amount, signed rightly. */
async function flagged(): Promise<{ paymentId: string; callbackId: string }> {
  const { body } = await actors.merchant.pay(CARDS.visa, { capture: 'manual' });
  const { paymentId } = body.data;
  const sent = await actors.simulator.callback({ reference: paymentId, event: 'captured', amount: '10.01' });
  expect(sent).toBeDefined();
  const callbackId = await until('the callback flagged', async () => {
    const inbox = (await ann.get(`/ops/1.0.0/callbacks?reference=${paymentId}&state=flagged`)).body.data;
    return inbox[0]?.callbackId;
  });
  return { paymentId, callbackId };
}

test('a proposal is on the list until another operator confirms it, as the list says', async () => {
  const { body } = await actors.merchant.pay(CARDS.visa, { capture: 'manual', amount: '5000.00' });
  const { paymentId } = body.data;
  const order = { objectId: paymentId, act: 'cancel', reason: 'the merchant has closed' };
  const { interventionId } = (await ann.post('/ops/1.0.0/interventions', order)).body;
  const entry = await entryOf('intervention', interventionId);
  expect(entry).toMatchObject({ amount: '5000.00', currency: 'EUR', tenantId: credentials.tenantId });
  expect(entry.why).toContain(`proposes to cancel ${paymentId}: the merchant has closed`);
  expect((await act(ann, entry, 'confirm')).status).toBe(403);
  expect((await act(bob, entry, 'confirm')).status).toBe(200);
  await actors.merchant.until(paymentId, 'cancelled');
  expect((await listed('kind=intervention')).map(({ objectId }) => objectId)).not.toContain(interventionId);
});

test('a flagged callback is on the list; its bytes are shown, it is replayed, and dismissed', async () => {
  const { paymentId, callbackId } = await flagged();
  const entry = await entryOf('callback', callbackId);
  expect(entry).toMatchObject({ tenantId: credentials.tenantId, kind: 'callback' });
  expect(entry.why).toContain(paymentId);
  const whole = (await ann.get(`/ops/1.0.0/callbacks/${callbackId}`)).body;
  expect(JSON.stringify(whole.body)).toContain(paymentId);
  expect(whole).toMatchObject({ hiddenCardNumbers: 0, headers: { 'content-type': expect.any(String) } });
  expect(whole.sha256).toMatch(/^[0-9a-f]{64}$/);
  expect(whole.headers).not.toHaveProperty('authorization');
  const replayed = await act(ann, entry, 'replay');
  expect(replayed.body).toMatchObject({ state: 'stored', attempts: 0 });
  const again = await entryOf('callback', callbackId);
  expect((await act(bob, again, 'dismiss')).body).toMatchObject({ state: 'ignored' });
  expect((await act(bob, again, 'dismiss')).status).toBe(409);
  expect((await listed('kind=callback')).map(({ objectId }) => objectId)).not.toContain(callbackId);
});

test('failed signatures are counted, and each is listed', async () => {
  const forged = signedByA('a wrong secret', { reference: 'pay_x' });
  expect((await send(`${credentials.apiUrl}/callbacks/processor_a`, forged)).status).toBe(401);
  const entry = await entryOf('security', 'processor_a');
  expect(entry.why).toMatch(/^\d+ callbacks to processor_a had a missing or wrong signature/);
  const events = (await ann.get('/ops/1.0.0/security-events?kind=callback_signature&receiver=processor_a')).body.data;
  expect(events[0]).toMatchObject({ kind: 'callback_signature', detail: { receiver: 'processor_a' } });
});

test('the list is whole page by page, in the order of waiting, and narrowed by tenant', async () => {
  await flagged();
  const all = (await ann.get(`${LIST}?limit=200`)).body.data;
  const sinces = all.map(({ since }: Json) => since);
  expect(sinces).toEqual([...sinces].sort());
  const mine = await listed(`tenantId=${credentials.tenantId}`);
  expect(mine.length).toBeGreaterThan(0);
  expect(new Set(mine.map(({ tenantId }) => tenantId))).toEqual(new Set([credentials.tenantId]));
  const keys = mine.map(({ kind, objectId }) => `${kind} ${objectId}`);
  expect(new Set(keys).size).toBe(keys.length);
  expect((await actors.tenantAdmin.get(LIST)).status).toBe(403);
});

test('an audit of the books runs once at a time and says what each check found', async () => {
  const reason = { reason: 'month end' };
  const ordered = await until('a free place', async () => {
    const answer = await ann.post('/ops/1.0.0/audits', reason);
    return answer.status === 202 && answer.body;
  });
  const done = await until('its result', async () => {
    const { body } = await ann.get(`/ops/1.0.0/audits/${ordered.auditId}`);
    return body.finishedAt && body;
  });
  expect(done.status).toBe('done');
  expect(done.checks.length).toBeGreaterThan(20);
  const found = done.checks.reduce((sum: number, { findings }: Json) => sum + findings, 0);
  expect(done.findings).toBe(found);
  expect(done.inOrder).toBe(found === 0);
  const findings = (await ann.get(`/ops/1.0.0/audits/${ordered.auditId}/findings?limit=200`)).body.data;
  expect(findings.length).toBe(Math.min(found, 200));
});

test('the flow of an open payment runs, so restarting it does nothing; what is not open is not found', async () => {
  const { body } = await actors.merchant.pay(CARDS.challenge);
  const { paymentId } = body.data;
  const restart = (objectId: string) => ann.post('/ops/1.0.0/flows/restart', { objectId, reason: 'looks stuck' });
  const answer = await until('the flow in the list of the engine', async () => {
    const { body: said } = await restart(paymentId);
    return said.restarted === false && said;
  });
  expect(answer).toEqual({ workflowId: `payment/${paymentId}`, restarted: false });
  expect((await restart('pay_nothing')).status).toBe(404);
});

test('operators learn where the pages of the engine are', async () => {
  expect((await ann.get('/ops/1.0.0/engine')).body).toMatchObject({ namespace: 'default', uiUrl: expect.any(String) });
});
