import { ApplicationFailure } from '@temporalio/common';
import type { Agenda } from '../agenda';
import { ContinuedAsNew, currentRun, type FlowRun } from './flow-run';
import type { Work } from './work';

type Steps = Record<string, (...args: never[]) => Promise<unknown>>;
type Flows = Record<string, (input: never) => Promise<unknown>>;

/** The pauses between two tries of a step, as in workflows/options.ts. */
const FIRST_RETRY_MS = 200;
const LONGEST_RETRY_MS = 10_000;

type Ending = 'completed' | 'failed' | 'terminated';

interface PendingStep {
  name: string;
  args: unknown[];
  tries: number;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

interface Wait {
  holds: () => boolean;
  callOff: (() => void) | undefined;
  resolve: (held: boolean) => void;
}

/** One run of a flow, with what the engine would keep of it. */
export class Run implements FlowRun {
  status: 'running' | Ending = 'running';
  error?: unknown;
  isLong = false;
  /** Its code has run, so that somebody may have been told of it. */
  hasBegun = false;
  private readonly handlers = new Map<string, (...args: unknown[]) => unknown>();
  private unheard: { signal: string; args: unknown[] }[] = [];
  private readonly waits = new Set<Wait>();
  private readonly steps = new Set<PendingStep>();
  /** Goes up when a process dies: what an earlier one was at is nobody's any more. */
  private process = 0;

  constructor(
    readonly id: string,
    readonly type: string,
    private readonly engine: Runtime,
  ) {}

  step(name: string, args: unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const step: PendingStep = { name, args, tries: 0, resolve, reject };
      this.steps.add(step);
      this.take(step);
    });
  }

  onSignal(name: string, handler: (...args: unknown[]) => unknown): void {
    this.handlers.set(name, handler);
    const waiting = this.unheard.filter(({ signal }) => signal === name);
    this.unheard = this.unheard.filter(({ signal }) => signal !== name);
    for (const { args } of waiting) handler(...args);
    this.look();
  }

  signal(signal: string, args: unknown[]): void {
    const handler = this.handlers.get(signal);
    if (handler) handler(...args);
    else this.unheard.push({ signal, args });
    this.look();
  }

  until(holds: () => boolean, timeoutMs?: number): Promise<boolean> {
    if (holds()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const callOff =
        timeoutMs === undefined
          ? undefined
          : this.engine.after(timeoutMs, () => {
              this.waits.delete(wait);
              resolve(false);
            });
      const wait: Wait = { holds, callOff, resolve };
      this.waits.add(wait);
    });
  }

  async sleep(ms: number): Promise<void> {
    await this.until(() => false, ms);
  }

  /** The process that is at the steps of this run dies; another one takes them up again from what the engine knows. */
  loseProcess(): void {
    this.process += 1;
    for (const step of this.steps) this.take(step);
  }

  end(status: Ending, error?: unknown): void {
    if (this.status !== 'running') return;
    this.status = status;
    this.error = error;
    this.process += 1;
    this.steps.clear();
    for (const { callOff } of this.waits) callOff?.();
    this.waits.clear();
  }

  /** Wakes whoever waits for something that is true by now. */
  private look(): void {
    for (const wait of this.waits) {
      if (!wait.holds()) continue;
      this.waits.delete(wait);
      wait.callOff?.();
      wait.resolve(true);
    }
  }

  private take(step: PendingStep): void {
    const { process } = this;
    const isMine = () => this.process === process && this.steps.has(step);
    this.engine.work.add(async () => {
      if (!isMine()) return;
      try {
        const value = await this.engine.perform(step.name, step.args);
        if (!isMine()) return;
        // The process dies before the engine hears of it: the step is repeated.
        if (this.engine.forgets()) return this.take(step);
        this.steps.delete(step);
        step.resolve(value);
      } catch (error) {
        if (!isMine()) return;
        if (error instanceof ApplicationFailure && error.nonRetryable) {
          this.steps.delete(step);
          step.reject(error);
        } else this.again(step, error);
      } finally {
        setImmediate(() => this.look());
      }
    });
  }

  private again(step: PendingStep, error: unknown): void {
    this.engine.failures.push({ step: step.name, error });
    const pause = Math.min(FIRST_RETRY_MS * 2 ** step.tries, LONGEST_RETRY_MS);
    step.tries += 1;
    const { process } = this;
    this.engine.after(pause, () => {
      if (this.process === process) this.take(step);
    });
  }
}

/**
 * Runs the platform's flows in this process: the code of `workflows/`, step by step, on the clock of the model. What it
 * keeps of a flow is what the engine keeps: where it stands, its timers and signals.
 */
export class Runtime {
  /** The latest run of every id. */
  readonly runs = new Map<string, Run>();
  /** Errors of steps that were tried again. */
  readonly failures: { step: string; error: unknown }[] = [];
  /** Flows that failed. */
  readonly failed: Run[] = [];
  private forgetNext = false;

  constructor(
    readonly work: Work,
    private readonly agenda: Agenda,
    private readonly flows: Flows,
    private readonly steps: Steps,
  ) {}

  start(id: string, type: string, args: unknown[]): Run {
    const flow = this.flows[type];
    if (!flow) throw new Error(`the model has no flow ${type}`);
    const run = new Run(id, type, this);
    this.runs.set(id, run);
    this.work.add(async () => {
      if (run.status !== 'running') return;
      run.hasBegun = true;
      void currentRun
        .run(run, () => flow(args[0] as never))
        .then(
          () => run.end('completed'),
          (error: unknown) => this.ended(run, error),
        );
    });
    return run;
  }

  /** Ends a flow as an operator may: by hand, or with all that the engine knows of it. */
  lose(run: Run, { forgotten }: { forgotten: boolean }): void {
    run.end('terminated');
    if (forgotten) this.runs.delete(run.id);
  }

  /** A process that works on flows dies, and another one starts. With `unheard`, right after the next step. */
  die({ unheard }: { unheard: boolean }): void {
    this.forgetNext = unheard;
    if (unheard) return;
    this.work.die();
    for (const run of this.runs.values()) if (run.status === 'running') run.loseProcess();
  }

  perform(name: string, args: unknown[]): Promise<unknown> {
    const step = this.steps[name];
    if (!step) throw new Error(`the model has no step ${name}`);
    return step(...(args as never[]));
  }

  /** Whether the process dies right after this step, before the engine hears of it. */
  forgets(): boolean {
    const forgotten = this.forgetNext;
    this.forgetNext = false;
    return forgotten;
  }

  /** Answers how it is called off. */
  after(ms: number, act: () => void): () => void {
    return this.agenda.enter(Date.now() + ms, act);
  }

  private ended(run: Run, error: unknown): void {
    if (run.status !== 'running') return;
    if (error instanceof ContinuedAsNew) {
      run.end('completed');
      this.start(run.id, run.type, error.args);
      return;
    }
    run.end('failed', error);
    this.failed.push(run);
  }
}
