import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { bundleWorkflowCode, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { closedLoop } from './load';
import { PAYER_MS } from './payer';

/** What the parent asks for; answered with a Measurement. */
export interface BareOrder {
  /** `waits`: flows are only started; they go on waiting, and what they do first is not waited for. */
  shape: 'oneStep' | 'twoSteps' | 'waits';
  concurrency: number;
  durationMs: number;
}

/**
 * The bare engine: client and worker in one process, eager start, the caller answered in process by the activity, no
 * database, no processor. What a payment costs beyond this is ours.
 */
async function main(): Promise<void> {
  Runtime.install({ telemetryOptions: { logging: { filter: 'ERROR', forward: {} } }, logger: silent });
  // As ours, so that both speak to the engine in the same way.
  const connection = await NativeConnection.connect({ address: process.argv[2]!, grpcCompression: { codec: 'none' } });
  const waiting = new Map<string, () => void>();
  let steps = 0;
  const worker = await Worker.create({
    connection,
    namespace: 'default',
    taskQueue: 'bench-bare',
    workflowBundle: await bundleWorkflowCode({ workflowsPath: join(__dirname, 'bare-workflows.js'), logger: silent }),
    activities: {
      async step(key: string) {
        steps += 1;
        waiting.get(key)?.();
        return key;
      },
    },
    maxConcurrentWorkflowTaskExecutions: 64,
    maxCachedWorkflows: 2_000,
    reuseV8Context: true,
  });
  const running = worker.run();
  const client = new Client({ connection });
  const answered = (key: string) =>
    new Promise<void>((resolve) => {
      waiting.set(key, () => {
        waiting.delete(key);
        resolve();
      });
    });
  const start = async (shape: string, key: string) => {
    const first = answered(key);
    await client.workflow.start(shape, {
      workflowId: key,
      taskQueue: 'bench-bare',
      args: [key],
      requestEagerStart: true,
    });
    await first;
  };
  const shapes = {
    waits: () => {
      const workflowId = randomUUID();
      return client.workflow.start('waits', { workflowId, taskQueue: 'bench-bare', args: [workflowId] });
    },
    oneStep: () => start('oneStep', randomUUID()),
    twoSteps: async () => {
      const key = randomUUID();
      await start('twoSteps', key);
      // Signalled at once, most flows would get their second task with the answer to the first, as none that waits does.
      await sleep(PAYER_MS);
      const done = answered(`${key}/done`);
      await client.workflow.getHandle(key).signal('resume');
      await done;
    },
  };
  process.once('disconnect', () => process.exit(0));
  process.on('message', async (order: BareOrder | 'stop') => {
    if (order === 'stop') {
      worker.shutdown();
      await running;
      process.exit(0);
    }
    const before = steps;
    const measurement = await closedLoop(order.concurrency, order.durationMs, shapes[order.shape]);
    // What is still to be done must not be in the way of what is measured next.
    while (steps - before < measurement.count) await new Promise((resolve) => setTimeout(resolve, 50));
    process.send!(measurement);
  });
  process.send!('ready');
}

const nothing = () => {};
const silent = { log: nothing, trace: nothing, debug: nothing, info: nothing, warn: nothing, error: console.error };

main().catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
