import { join } from 'node:path';
import { Worker } from '@temporalio/worker';
import { createActivities } from '../activities';
import type { Dependencies } from '../activities/dependencies';
import type { Config } from '../src/config';
import { createDataConverter } from '../src/temporal/data-converter';
import { type Engine, readBundle } from '../src/temporal/engine';

const BUNDLE = join(__dirname, '..', 'workflow-bundle.js');

/**
 * A worker on the given connection. `embedded` is the small one inside the API process: it takes the first task of the
 * flows that process starts (eager start), and leaves regular activities to the worker processes.
 */
export async function createWorker(
  config: Config,
  engine: Engine,
  deps: Dependencies,
  { embedded }: { embedded: boolean },
): Promise<Worker> {
  return Worker.create({
    connection: engine.connection,
    namespace: engine.namespace,
    taskQueue: engine.taskQueue,
    identity: `${embedded ? 'tillway-api' : 'tillway-worker'}@${process.pid}`,
    workflowBundle: readBundle(BUNDLE),
    dataConverter: createDataConverter(config.keys.codec!),
    activities: createActivities(deps),
    enableNonLocalActivities: !embedded,
    maxConcurrentWorkflowTaskExecutions: config.worker.maxWorkflowTasks,
    maxConcurrentActivityTaskExecutions: config.worker.maxActivities,
    maxConcurrentLocalActivityExecutions: config.worker.maxActivities,
    maxCachedWorkflows: config.worker.cachedWorkflows,
    // How long a task waits for the process that knows its flow, should that process have died.
    stickyQueueScheduleToStartTimeout: '5 seconds',
    shutdownGraceTime: config.timers.shutdownGraceMs,
    reuseV8Context: true,
  });
}
