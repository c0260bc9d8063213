import {
  ScheduleAlreadyRunning,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
  WorkflowExecutionAlreadyStartedError,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { defineSearchAttributeKey, type SearchAttributePair } from '@temporalio/common';
import type { Knex } from 'knex';
import {
  type Queue,
  queueName,
  SEARCH_ATTRIBUTE,
  type SignalName,
  WORKFLOW,
  type WorkflowName,
} from '../../domain/flows';
import type { Engine } from './engine';

/** What is known of a flow when it starts. `tenant` is null where a flow serves several tenants. */
export type StartAttributes = { kind: string; tenant: string | null } & Partial<
  Record<'organization' | 'customer' | 'status' | 'waitsFor' | 'provider' | 'merchantTransactionId', string | null>
>;

/** Nothing to search for, and why. */
export interface Nothing {
  none: string;
}

/** How a workflow is started and found, for rows of one kind. */
export interface Flow<Row, Input = unknown> {
  workflow: WorkflowName;
  queue: Queue;
  /** The workflow's id: one per row. */
  id(row: Row): string;
  /** What the workflow is called with; undefined: nothing. */
  input(row: Row): Input;
  /** One line for the engine's UI; null: its id says it all. It is encrypted like every payload. */
  summary(row: Row): string | null;
  attributes(row: Row): StartAttributes;
  /** Whose page of the console the engine's UI leads back to. */
  object?(row: Row): string;
  /** Kept beside the flow, unindexed. */
  memo?(row: Row): Record<string, unknown>;
  /** `once`: an id whose flow has ended is spent. `again`: a further run finds in Postgres what was done. */
  runs: 'once' | 'again';
  /** The signal that comes with every start (signalWithStart); null: a start alone. */
  signal: SignalName | null;
  /** What brings a found row to the engine where that is neither a start nor the signal. */
  bring?(engine: Engine, system: Knex, row: Row): Promise<void>;
  /**
   * Rows whose flow never heard of them: the request died before it could tell, or the engine was away. `firstAnswerMs`
   * is how long a request may take to start its flow, in milliseconds.
   */
  unheard: ((system: Knex, firstAnswerMs: number) => PromiseLike<Row[]>) | Nothing;
  /**
   * Rows whose flow should be running. One that has not moved for long is looked for in the engine, and started anew
   * when it is gone. The table has `id` and `updated_at`.
   */
  open: ((system: Knex) => Knex.QueryBuilder<object, Row[]>) | Nothing;
  /** Which of the open rows have a flow, where not each has. */
  expected?(open: Knex.QueryBuilder<object, Row[]>): Knex.QueryBuilder<object, Row[]>;
  /** Which of these open rows are to be brought again, where that is not whose workflow does not run. */
  lost?(engine: Engine, system: Knex, rows: readonly Row[]): Promise<Row[]>;
}

export interface StartOptions {
  /** Hand the first task to the worker of this process. */
  eager?: boolean;
  /** Start a flow anew whose earlier run was lost: the step it begins with finds what was done. */
  again?: boolean;
  /** Called when the engine has taken the start, and has handed the first task to the worker of this process. */
  begunHere?: () => void;
}

/**
 * Starts the flow of a row, once however often it is called; one that runs is left alone. Answers false when the flow has
 * ended and may not run again. Rejects when the engine is away: it may have taken it all the same.
 */
export async function startFlow<Row, Input>(
  engine: Engine,
  flow: Flow<Row, Input>,
  row: Row,
  { eager = false, again = false, begunHere }: StartOptions = {},
): Promise<boolean> {
  try {
    const { eagerlyStarted } = await engine.client.workflow.start(WORKFLOW[flow.workflow], {
      ...startOf(engine, flow, row),
      workflowId: flow.id(row),
      requestEagerStart: eager,
      workflowIdReusePolicy: reusePolicy(again ? 'again' : flow.runs),
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    });
    if (eagerlyStarted) begunHere?.();
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}

/**
 * Signals the flow of a row, starting it where there is none. Without `signal` it is told to go on with what Postgres
 * says. Rejects when the engine is away.
 */
export async function signalFlow<Row, Input>(
  engine: Engine,
  flow: Flow<Row, Input>,
  row: Row,
  { signal = 'proceed', args = [] }: { signal?: SignalName; args?: unknown[] } = {},
): Promise<void> {
  await engine.client.workflow.signalWithStart(WORKFLOW[flow.workflow], {
    ...startOf(engine, flow, row),
    workflowId: flow.id(row),
    signal,
    signalArgs: args,
    workflowIdReusePolicy: reusePolicy(flow.runs),
  });
}

/** Creates a schedule of the engine, or has one that is there take over a changed interval. What ops paused stays paused. */
export async function startEvery<Row, Input>(
  engine: Engine,
  flow: Flow<Row, Input>,
  row: Row,
  { scheduleId, everyMs }: { scheduleId: string; everyMs: number },
): Promise<void> {
  const spec = { intervals: [{ every: everyMs }] };
  const action = scheduledStart(engine, flow, row);
  try {
    await engine.client.schedule.create({
      scheduleId,
      spec,
      action,
      policies: { overlap: ScheduleOverlapPolicy.SKIP },
    });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    await engine.client.schedule.getHandle(scheduleId).update((known) => ({ ...known, spec }));
  }
}

/** What a schedule of the engine starts for a row, each time under the flow's id and the time that it was due. */
export function scheduledStart<Row, Input>(
  engine: Engine,
  flow: Flow<Row, Input>,
  row: Row,
): ScheduleOptions['action'] {
  return {
    type: 'startWorkflow',
    workflowType: WORKFLOW[flow.workflow],
    workflowId: flow.id(row),
    ...startOf(engine, flow, row),
  };
}

/** Whether a flow runs or has run under an id, as far as the engine remembers. */
export const FLOW_STANDINGS = ['running', 'ended', 'none'] as const;
export type FlowStanding = (typeof FLOW_STANDINGS)[number];

/** Rejects when the engine is away. */
export async function flowStanding(engine: Engine, id: string): Promise<FlowStanding> {
  try {
    return (await engine.client.workflow.getHandle(id).describe()).status.name === 'RUNNING' ? 'running' : 'ended';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'none';
    throw error;
  }
}

/**
 * Those of the rows whose flow does not run, asked in one request: the engine's list, which may be a moment behind. One of
 * those listed is asked about by itself; where the engine does not have it, its list is of another time, and all count as gone.
 */
export async function flowsGone<Row>(
  engine: Engine,
  flow: Pick<Flow<Row>, 'id'>,
  rows: readonly Row[],
): Promise<Row[]> {
  const named = rows.map((row) => ({ row, id: flow.id(row) }));
  const { executions } = await engine.client.workflowService.listWorkflowExecutions({
    namespace: engine.namespace,
    pageSize: rows.length,
    query: `ExecutionStatus = 'Running' AND WorkflowId IN (${listed(named.map(({ id }) => id))})`,
  });
  const running = new Set(executions.map(({ execution }) => execution?.workflowId));
  const [sample] = named.filter(({ id }) => running.has(id));
  if (sample && (await flowStanding(engine, sample.id)) !== 'running') return [...rows];
  return named.filter(({ id }) => !running.has(id)).map(({ row }) => row);
}

/** Ids as the engine's list filters take them. One that would have to be escaped counts as not running. */
export function listed(ids: readonly string[]): string {
  return ids.map((id) => (/^[\w/.:-]+$/.test(id) ? `'${id}'` : "''")).join(', ');
}

/** Signals the flow that runs under the id. Answers false when none does. */
export async function signalRunning(
  engine: Engine,
  id: string,
  signal: SignalName,
  ...args: unknown[]
): Promise<boolean> {
  try {
    await engine.client.workflow.getHandle(id).signal(signal, ...args);
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

function startOf<Row, Input>(engine: Engine, flow: Flow<Row, Input>, row: Row) {
  const input = flow.input(row);
  return {
    taskQueue: queueName(engine.taskQueue, flow.queue),
    args: input === undefined ? [] : [input],
    staticSummary: flow.summary(row) ?? undefined,
    ...(flow.object && engine.consoleUrl && { staticDetails: wayBack(engine.consoleUrl, flow.object(row)) }),
    typedSearchAttributes: pairsOf(flow.attributes(row)),
    ...(flow.memo && { memo: flow.memo(row) }),
  };
}

/** Markdown, as the engine's UI shows it. */
const wayBack = (consoleUrl: string, objectId: string) =>
  `[Open it in the console](${consoleUrl}/objects/${encodeURIComponent(objectId)}/show)`;

const reusePolicy = (runs: Flow<never>['runs']) =>
  runs === 'again' ? WorkflowIdReusePolicy.ALLOW_DUPLICATE : WorkflowIdReusePolicy.REJECT_DUPLICATE;

function pairsOf(attributes: StartAttributes): SearchAttributePair[] {
  return Object.entries(attributes)
    .filter((entry): entry is [keyof StartAttributes, string] => typeof entry[1] === 'string')
    .map(([name, value]) => ({ key: defineSearchAttributeKey(SEARCH_ATTRIBUTE[name], 'KEYWORD'), value }));
}
