import { proxyActivities, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities';
import type { notificationActivities } from '../activities/notifications';
import { queueName } from '../src/domain/flows';
import { LABELS, type Step } from './labels';

/** Steps with their labels: each is called with the options of its kind and its label in `LABELS`. */
function labelled<T extends object>(proxyOf: (summary: string) => T): T {
  return new Proxy({} as T, {
    get: (_, name) => proxyOf(LABELS[name as Step])[name as keyof T],
  });
}

/**
 * Short steps against our database, with at most one processor call each, whose time-out (3 s) is far below this one.
 * Local, so that a step costs no round trip through the engine; their intent is in Postgres before anything is sent.
 * Retried without end: the database or the network comes back, and each step finds what it did before.
 */
export const local = labelled((summary) => locally(summary));

/** The same with a label of its own, when the flow can say more than the step's label does. */
export function locally(summary: string) {
  return proxyLocalActivities<Activities>({
    startToCloseTimeout: '20 seconds',
    retry: { initialInterval: '200 milliseconds', backoffCoefficient: 2, maximumInterval: '10 seconds' },
    localRetryThreshold: '5 seconds',
    summary,
  });
}

/**
 * Longer work on the workers' own slots: whole settlement reports. A report that is not available now is fetched later.
 * Heartbeats tell whether the process that works on it is alive.
 */
export const remote = labelled((summary) =>
  proxyActivities<Activities>({
    startToCloseTimeout: '5 minutes',
    heartbeatTimeout: '10 seconds',
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '5 minutes' },
    summary,
  }),
);

/**
 * Rounds of deliveries, minutes long while there is something to do. Heartbeats tell whether their process is alive. What a
 * dead process had claimed is claimed again after the claim has expired. Retried without end: a refusal by a merchant's
 * server is not a failure of the step, only an error of the database is.
 */
export const deliver = () =>
  proxyActivities<ReturnType<typeof notificationActivities>>({
    taskQueue: queueName(workflowInfo().taskQueue, 'notifications'),
    startToCloseTimeout: '10 minutes',
    heartbeatTimeout: '10 seconds',
    retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '30 seconds' },
    summary: LABELS.deliverNotifications,
  });
