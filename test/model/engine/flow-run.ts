import { AsyncLocalStorage } from 'node:async_hooks';

/** What a flow asks of the engine that runs it. */
export interface FlowRun {
  /** Runs a step, again and again until it has an answer or an error that will stay. */
  step(name: string, args: unknown[]): Promise<unknown>;
  onSignal(name: string, handler: (...args: unknown[]) => unknown): void;
  /** Resolves with true once `holds`, with false when `timeoutMs` is over before. */
  until(holds: () => boolean, timeoutMs?: number): Promise<boolean>;
  sleep(ms: number): Promise<void>;
  /** The history has become long: the flow should go on as a new run. */
  readonly isLong: boolean;
}

/** The flow whose code is running. */
export const currentRun = new AsyncLocalStorage<FlowRun>();

/** Thrown by a flow that goes on as a new run. */
export class ContinuedAsNew extends Error {
  override readonly name = 'ContinuedAsNew';

  constructor(readonly args: unknown[]) {
    super('goes on as a new run');
  }
}
