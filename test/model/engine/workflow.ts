import { randomUUID } from 'node:crypto';
import { ContinuedAsNew, currentRun, type FlowRun } from './flow-run';

/**
 * Stands in for `@temporalio/workflow` in the model: what the flows in `workflows/` use of it, over runs of this process and
 * the clock of the model. Their own code runs as it is.
 */

function run(): FlowRun {
  const found = currentRun.getStore();
  if (!found) throw new Error('no flow is running here');
  return found;
}

interface Named {
  name: string;
  type: 'signal' | 'update' | 'query';
}

export const defineSignal = (name: string): Named => ({ name, type: 'signal' });
export const defineUpdate = (name: string): Named => ({ name, type: 'update' });
export const defineQuery = (name: string): Named => ({ name, type: 'query' });

/** Nothing in the model queries or updates a flow. */
export function setHandler({ name, type }: Named, handler: (...args: unknown[]) => unknown): void {
  if (type === 'signal') run().onSignal(name, handler);
}

/** Steps by their names. How long one may take and how it is repeated is the engine's business here. */
export function proxyLocalActivities(): object {
  return new Proxy(
    {},
    {
      get:
        (_, name) =>
        (...args: unknown[]) =>
          run().step(String(name), args),
    },
  );
}

export const proxyActivities = proxyLocalActivities;

export async function condition(holds: () => boolean, timeoutMs?: number): Promise<boolean | undefined> {
  const held = await run().until(holds, timeoutMs);
  return timeoutMs === undefined ? undefined : held;
}

export const sleep = (ms: number): Promise<void> => run().sleep(ms);

export const continueAsNew = (...args: unknown[]): Promise<never> => Promise.reject(new ContinuedAsNew(args));

export const workflowInfo = () => ({ continueAsNewSuggested: run().isLong, taskQueue: 'model' });

export const patched = () => true;

export const uuid4 = () => randomUUID();

export const setCurrentDetails = () => undefined;

export const upsertSearchAttributes = () => undefined;

export const CancellationScope = { nonCancellable: <T>(work: () => Promise<T>): Promise<T> => work() };
