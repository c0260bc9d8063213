import { join } from 'node:path';
import { Worker } from '@temporalio/worker';
import { createActivities } from '../activities';
import type { Dependencies } from '../activities/dependencies';
import { withFailures } from '../activities/failures';
import { heartbeats } from '../activities/heartbeat';
import { notificationActivities } from '../activities/notifications';
import { queueName } from '../src/domain/flows';
import type { Couriers } from '../src/edge/notifications/courier';
import type { Config } from '../src/foundation/config/config';
import { createDataConverter } from '../src/foundation/temporal/data-converter';
import { type Engine, readBundle } from '../src/foundation/temporal/engine';

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
    // A worker ends when a payload cannot be encoded.
    dataConverter: createDataConverter(config.keys.codec!, { waits: true }),
    activities: createActivities(deps),
    interceptors: INTERCEPTORS,
    enableNonLocalActivities: !embedded,
    maxConcurrentWorkflowTaskExecutions: config.worker.maxWorkflowTasks,
    maxConcurrentActivityTaskExecutions: config.worker.maxActivities,
    maxConcurrentLocalActivityExecutions: config.worker.maxActivities,
    maxCachedWorkflows: config.worker.cachedWorkflows,
    // How long a task waits for the process that has its flow in memory. That process may have died.
    stickyQueueScheduleToStartTimeout: '5 seconds',
    shutdownGraceTime: config.timers.shutdownGraceMs,
    reuseV8Context: true,
  });
}

const INTERCEPTORS = { activity: [() => ({ inbound: heartbeats() })] };

/** Merchant servers that one process delivers to at once. Each costs a few requests that mostly wait. */
const ENDPOINTS_AT_ONCE = 1_000;

/** A worker only for deliveries to merchants: slow servers do not take slots from other work. */
export async function createNotificationWorker(config: Config, engine: Engine, couriers: Couriers): Promise<Worker> {
  return Worker.create({
    connection: engine.connection,
    namespace: engine.namespace,
    taskQueue: queueName(engine.taskQueue, 'notifications'),
    identity: `tillway-worker-notifications@${process.pid}`,
    // A worker ends when a payload cannot be encoded.
    dataConverter: createDataConverter(config.keys.codec!, { waits: true }),
    activities: withFailures(notificationActivities(couriers)),
    interceptors: INTERCEPTORS,
    maxConcurrentActivityTaskExecutions: ENDPOINTS_AT_ONCE,
    shutdownGraceTime: config.timers.shutdownGraceMs,
  });
}
