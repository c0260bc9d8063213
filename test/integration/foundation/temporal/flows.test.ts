import { randomUUID } from 'node:crypto';
import knex, { type Knex } from 'knex';
import type { Engine } from '../../../../src/foundation/temporal/engine';
import {
  type Flow,
  flowStanding,
  signalFlow,
  signalRunning,
  startFlow,
} from '../../../../src/foundation/temporal/flows';
import { SETTLEMENT_FLOW } from '../../../../src/money/reconciliation/flow';
import { Sweeps } from '../../../../workers/sweeps';
import { until } from '../../../e2e/client';
import { testDatabaseUrl } from '../../../setup/environment';
import { loneEngine } from '../../../setup/lone-engine';

/** Starting and finding flows, with the engine itself and no worker: what is started stays as it was started. */

interface Row {
  id: string;
}

let engine: Engine;
let system: Knex;

beforeAll(async () => {
  engine = await loneEngine();
  system = knex({ client: 'pg', connection: testDatabaseUrl(), pool: { min: 1, max: 1 } });
  await system.raw(`
    CREATE TEMPORARY TABLE rows (id text PRIMARY KEY, updated_at timestamptz NOT NULL);
    CREATE TEMPORARY TABLE lost_flows (workflow_id text PRIMARY KEY, flow text, object_id text, tenant_id text, failure text);
  `);
});
afterAll(async () => {
  await system?.destroy();
  await engine?.close();
});
beforeEach(() => system('rows').delete());

/** A flow like any other, under ids that no other test uses. */
function flowLike(overrides: Partial<Flow<Row>> = {}): Flow<Row> {
  const run = randomUUID();
  return {
    workflow: 'refund',
    queue: 'flows',
    id: ({ id }) => `${run}/${id}`,
    input: ({ id }) => ({ id }),
    summary: ({ id }) => `row ${id}`,
    attributes: () => ({ kind: 'test', tenant: null, provider: 'a' }),
    runs: 'once',
    signal: null,
    unheard: { none: 'a test' },
    open: { none: 'a test' },
    ...overrides,
  };
}

const counted = async (query: string) => Number((await engine.client.workflow.count(query)).count);

/** Waits until the engine's list, which is a moment behind, has so many running flows of a row. */
const listed = ([flow, id]: [Flow<Row>, string], count: number) =>
  until(
    `${id} is listed`,
    async () => (await counted(`ExecutionStatus = 'Running' AND WorkflowId = '${flow.id({ id })}'`)) === count,
  );

const look = (flow: Flow<Row>, id: string) => engine.client.workflow.getHandle(flow.id({ id })).describe();
const end = (flow: Flow<Row>, id: string) => engine.client.workflow.getHandle(flow.id({ id })).terminate('a test');

test('a flow is started once, however often; one that has ended runs again only where it may', async () => {
  const flow = flowLike();
  expect(await startFlow(engine, flow, { id: '1' })).toBe(true);
  const { runId } = await look(flow, '1');
  expect(await startFlow(engine, flow, { id: '1' })).toBe(true);
  expect((await look(flow, '1')).runId).toBe(runId);
  await end(flow, '1');
  expect(await startFlow(engine, flow, { id: '1' })).toBe(false);
  expect(await flowStanding(engine, flow.id({ id: '1' }))).toBe('ended');
  expect(await flowStanding(engine, 'nothing/1')).toBe('none');
  expect(await startFlow(engine, flow, { id: '1' }, { again: true })).toBe(true);
  expect((await look(flow, '1')).runId).not.toBe(runId);
  await end(flow, '1');
  expect(await startFlow(engine, { ...flow, runs: 'again' }, { id: '1' })).toBe(true);
});

test('a signal starts the flow where there is none, and reaches the one that runs', async () => {
  const flow = flowLike({ runs: 'again', signal: 'proceed' });
  const id = flow.id({ id: '1' });
  expect(await signalRunning(engine, id, 'callbackArrived', '7')).toBe(false);
  await signalFlow(engine, flow, { id: '1' });
  await signalFlow(engine, flow, { id: '1' }, { signal: 'callbackArrived', args: ['7'] });
  expect(await signalRunning(engine, id, 'callbackArrived', '8')).toBe(true);
  const { events } = await engine.client.workflow.getHandle(id).fetchHistory();
  const signals = events!.flatMap((event) => event.workflowExecutionSignaledEventAttributes?.signalName ?? []);
  expect(signals).toEqual(['proceed', 'callbackArrived', 'callbackArrived']);
});

test('a settlement is found by its kind and its processor', async () => {
  const batch = { processor: 'a' as const, batchId: randomUUID() };
  await startFlow(engine, SETTLEMENT_FLOW, batch);
  const { typedSearchAttributes } = await engine.client.workflow.getHandle(SETTLEMENT_FLOW.id(batch)).describe();
  const found = typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]);
  expect(Object.fromEntries(found)).toMatchObject({ TillwayKind: 'settlement', TillwayProvider: 'a' });
  expect(found.map(([name]) => name)).not.toContain('TillwayTenant');
});

const TIMERS = { firstAnswerMs: 1_000, lostFlowMs: 60_000 };
const sweepsOver = (...flows: Flow<Row>[]) =>
  new Sweeps(system, engine, TIMERS, Object.fromEntries(flows.map((flow, n) => [`flow${n}`, flow as Flow<unknown>])));

test('rows that their flow never heard of are brought to it; one that is refused is in nobody’s way', async () => {
  const found: number[] = [];
  const started = flowLike({
    unheard: async (_, firstAnswerMs) => {
      found.push(firstAnswerMs);
      return [{ id: '1' }, { id: '2' }];
    },
  });
  const refused = flowLike({
    unheard: async () => [{ id: '1' }],
    bring: async () => {
      throw new Error('refused');
    },
  });
  const signalled = flowLike({ signal: 'proceed', runs: 'again', unheard: async () => [{ id: '3' }] });
  await expect(sweepsOver(refused, started, signalled).bringUnheard()).rejects.toThrow('refused');
  expect(found).toEqual([1_000]);
  for (const [flow, id] of [
    [started, '1'],
    [started, '2'],
    [signalled, '3'],
  ] as const)
    expect((await look(flow, id)).status.name).toBe('RUNNING');
  expect(await sweepsOver(signalled).bringUnheard()).toBe(1);
});

test('a quiet row whose flow is gone gets a new one; rows that moved or have their flow are left alone', async () => {
  const flow = flowLike({ open: (db) => db('rows') });
  const long = new Date(Date.now() - 3_600_000);
  await system('rows').insert([
    { id: 'gone', updated_at: long },
    { id: 'moved', updated_at: new Date() },
    { id: 'runs', updated_at: long },
  ]);
  for (const id of ['gone', 'runs']) await startFlow(engine, flow, { id });
  await end(flow, 'gone');
  const { runId } = await look(flow, 'runs');
  await listed([flow, 'runs'], 1);
  await listed([flow, 'gone'], 0);
  const sweeps = sweepsOver(flow);
  expect(await sweeps.restartLost()).toBe(1);
  expect((await look(flow, 'gone')).status.name).toBe('RUNNING');
  expect((await look(flow, 'runs')).runId).toBe(runId);
  await expect(look(flow, 'moved')).rejects.toThrow();
  await listed([flow, 'gone'], 1);
  expect(await sweeps.restartLost()).toBe(0);
});

test('rows of many pages are started once each, by two processes at once too', async () => {
  const flow = flowLike({ open: (db) => db('rows'), runs: 'again' });
  const ids = Array.from({ length: 600 }, (_, n) => `row-${String(n).padStart(4, '0')}`);
  const updated_at = new Date(Date.now() - 3_600_000);
  await system.batchInsert(
    'rows',
    ids.map((id) => ({ id, updated_at })),
    500,
  );
  await startFlow(engine, flow, { id: 'row-0550' });
  const { runId } = await look(flow, 'row-0550');
  await listed([flow, 'row-0550'], 1);
  await Promise.all([sweepsOver(flow).restartLost(), sweepsOver(flow).restartLost()]);
  const run = flow.id({ id: '' });
  await until('all are listed', async () => (await counted(`WorkflowId STARTS_WITH '${run}'`)) >= ids.length);
  // One run of each: what was started before, and what the other process has started, was left alone.
  expect(await counted(`WorkflowId STARTS_WITH '${run}'`)).toBe(ids.length);
  expect((await look(flow, 'row-0550')).runId).toBe(runId);
  expect(await sweepsOver(flow).restartLost()).toBe(0);
});

test('who may not go on stops before the next page', async () => {
  const flow = flowLike({ open: (db) => db('rows') });
  await system('rows').insert({ id: 'gone', updated_at: new Date(Date.now() - 3_600_000) });
  expect(await sweepsOver(flow).restartLost(() => false)).toBe(0);
  await expect(look(flow, 'gone')).rejects.toThrow();
});

test('an id that a list filter cannot name counts as gone, and is left alone where it runs', async () => {
  const flow = flowLike({ open: (db) => db('rows'), id: ({ id }) => `${id}'s flow` });
  const id = randomUUID();
  await system('rows').insert({ id, updated_at: new Date(Date.now() - 3_600_000) });
  await startFlow(engine, flow, { id });
  const { runId } = await look(flow, id);
  await sweepsOver(flow).restartLost();
  expect((await look(flow, id)).runId).toBe(runId);
});

test('one that cannot be started is written down for operators, until it can', async () => {
  let isBroken = true;
  const flow = flowLike({
    open: (db) => db('rows'),
    input: ({ id }) => {
      if (isBroken) throw new TypeError('a fault');
      return { id };
    },
  });
  const id = randomUUID();
  await system('rows').insert({ id, updated_at: new Date(Date.now() - 3_600_000) });
  await expect(sweepsOver(flow).restartLost()).rejects.toThrow('a fault');
  await expect(sweepsOver(flow).restartOne(id)).rejects.toThrow('a fault');
  expect(await system('lost_flows')).toEqual([
    { workflow_id: flow.id({ id }), flow: 'refund', object_id: id, tenant_id: null, failure: 'TypeError' },
  ]);
  isBroken = false;
  expect(await sweepsOver(flow).restartOne(id)).toEqual({ workflowId: flow.id({ id }), restarted: true });
  expect(await system('lost_flows')).toEqual([]);
  await expect(sweepsOver(flow).restartOne('nothing')).rejects.toMatchObject({ code: 'not_found' });
});

test('the pages of the engine lead back to the page of the console', async () => {
  const flow = flowLike({ object: ({ id }) => id });
  await startFlow({ ...engine, consoleUrl: 'http://127.0.0.1:8080/console' }, flow, { id: 'pay_1' });
  const details = await (await look(flow, 'pay_1')).staticDetails();
  expect(details).toBe('[Open it in the console](http://127.0.0.1:8080/console/objects/pay_1/show)');
});
