import { AsyncLocalStorage } from 'node:async_hooks';
import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import type { Engine } from '../../../src/foundation/temporal/engine';
import type { Runtime } from './runtime';

/**
 * `up`: it hands a flow's first task to whoever starts that. `away`: takes nothing. `silent`: takes what it is told, and its
 * answer is lost; `slow`: the same, and the flow has begun when whoever told it gives up. `eager`: it hands a flow's first task
 * to another process too, as when the task was late.
 */
export type EngineState = 'up' | 'away' | 'silent' | 'slow' | 'eager';

interface Start {
  workflowId: string;
  args?: unknown[];
  workflowIdReusePolicy?: string;
  requestEagerStart?: boolean;
}

interface SignalWithStart extends Start {
  signal: string;
  signalArgs?: unknown[];
}

/** gRPC: UNAVAILABLE. */
const unavailable = () => Object.assign(new Error('the engine cannot be reached'), { code: 14 });

/** What the platform calls of the engine's client, over the runtime of the model. */
export class ModelEngine {
  private readonly states = new AsyncLocalStorage<EngineState>();

  constructor(private readonly runtime: Runtime) {}

  /** How the engine is for whoever asks. */
  get state(): EngineState {
    return this.states.getStore() ?? 'up';
  }

  /** Does `work`, for which the engine is so, also where the work goes on later. */
  during<T>(state: EngineState, work: () => Promise<T>): Promise<T> {
    return this.states.run(state, work);
  }

  /** As the platform takes it. */
  asEngine(): Engine {
    const workflow = {
      start: (type: string, options: Start) =>
        this.command(() => {
          const begins = this.start(type, options);
          return { eagerlyStarted: begins && options.requestEagerStart };
        }),
      signalWithStart: (type: string, options: SignalWithStart) =>
        this.command(() => {
          if (!this.running(options.workflowId)) this.start(type, options);
          this.running(options.workflowId)!.signal(options.signal, options.signalArgs ?? []);
        }),
      getHandle: (id: string) => ({
        signal: (signal: string, ...args: unknown[]) =>
          this.command(() => {
            const run = this.running(id);
            if (!run) throw new WorkflowNotFoundError('no such flow runs', id, undefined);
            run.signal(signal, args);
          }),
        describe: () =>
          this.command(() => {
            const run = this.runtime.runs.get(id);
            if (!run) throw new WorkflowNotFoundError('there is no such flow', id, undefined);
            return { status: { name: run.status.toUpperCase() } };
          }),
      }),
    };
    const workflowService = {
      listWorkflowExecutions: ({ query }: { query: string }) =>
        this.command(() => {
          const wanted = [...query.matchAll(/'([^']*)'/g)].map(([, word]) => word!);
          const running = wanted.filter((id) => this.running(id));
          return { executions: running.map((workflowId) => ({ execution: { workflowId } })) };
        }),
    };
    const connection = { withDeadline: (_deadline: number, send: () => Promise<unknown>) => send() };
    return {
      client: { workflow, workflowService },
      connection,
      acceptMs: 3_000,
      namespace: 'model',
      taskQueue: 'model',
    } as unknown as Engine;
  }

  private running(id: string) {
    const run = this.runtime.runs.get(id);
    return run?.status === 'running' ? run : undefined;
  }

  /** Answers false when the flow runs already. */
  private start(type: string, { workflowId, args = [], workflowIdReusePolicy }: Start): boolean {
    if (this.running(workflowId)) return false;
    if (this.runtime.runs.has(workflowId) && workflowIdReusePolicy !== 'ALLOW_DUPLICATE')
      throw new WorkflowExecutionAlreadyStartedError('the id is spent', workflowId, type);
    this.runtime.start(workflowId, type, args);
    return true;
  }

  private async command<T>(act: () => T): Promise<T> {
    if (this.state === 'away') throw unavailable();
    const answer = act();
    const { state } = this;
    if (state === 'slow') await this.states.run('up', () => this.runtime.work.all());
    if (state === 'slow' || state === 'silent') throw unavailable();
    return answer;
  }
}
