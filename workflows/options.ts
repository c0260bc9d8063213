import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../activities';

/**
 * Short steps against our database, with at most one provider call each, whose time-out (3 s) is far below this one.
 * Local, so that a step costs no round trip through the engine; their intent is in Postgres before anything is sent.
 * Retried without end: the database or the network comes back, and each step finds what it did before.
 */
export const local = proxyLocalActivities<Activities>({
  startToCloseTimeout: '20 seconds',
  retry: { initialInterval: '200 milliseconds', backoffCoefficient: 2, maximumInterval: '10 seconds' },
  localRetryThreshold: '5 seconds',
});

/** Longer work on the workers' own slots: whole settlement reports. A report that cannot be had now is had later. */
export const remote = proxyActivities<Activities>({
  startToCloseTimeout: '5 minutes',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '5 minutes' },
});
