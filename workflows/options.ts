import { proxyActivities, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities';
import type { notificationActivities } from '../activities/notifications';
import { queueName } from '../src/domain/flows';
import { LABELS, type Step } from './labels';

/** Steps with their labels: each is called with the options of its kind and what `LABELS` says of it. */
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

/** The same under a label that says more than the step's own, where the flow knows more. */
export function locally(summary: string) {
  return proxyLocalActivities<Activities>({
    startToCloseTimeout: '20 seconds',
    retry: { initialInterval: '200 milliseconds', backoffCoefficient: 2, maximumInterval: '10 seconds' },
    localRetryThreshold: '5 seconds',
    summary,
  });
}

/**
 * Longer work on the workers' own slots: whole settlement reports. A report that cannot be had now is had later; whether the
 * process lives that works on it is known by heartbeats.
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
 * Rounds of deliveries, minutes long while there is something to do. Whether their process lives is known by heartbeats;
 * what it had claimed is claimed again when that claim has run out. Retried without end: an attempt that a merchant's
 * server refused is no failure here, only the database is.
 */
export const deliver = () =>
  proxyActivities<ReturnType<typeof notificationActivities>>({
    taskQueue: queueName(workflowInfo().taskQueue, 'notifications'),
    startToCloseTimeout: '10 minutes',
    heartbeatTimeout: '10 seconds',
    retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '30 seconds' },
    summary: LABELS.deliverNotifications,
  });
