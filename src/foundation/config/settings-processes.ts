import { availableParallelism } from 'node:os';
import { count, ms, SECOND } from './setting';
import type { Group } from './values';

/**
 * For each processor. A poller holds a slot while it waits, and a start that finds none is not taken by its own process: with 64
 * in all, the slowest of 64 starts at once took 4.3 s, with 400 on two processors 1.2 s.
 */
const WORKFLOW_TASKS = 200;

/** What one worker takes on at once; the worker in the API process counts as one. */
export const worker = {
  worker: {
    maxWorkflowTasks: count(
      'WORKER_MAX_WORKFLOW_TASKS',
      WORKFLOW_TASKS * availableParallelism(),
      'The most workflow tasks that one worker runs at once. With too few, a flow that starts waits for others to poll',
    ).showing(`${WORKFLOW_TASKS} for each processor of the machine`),
    maxActivities: count(
      'WORKER_MAX_ACTIVITIES',
      100,
      'The most activities that one worker runs at once, and the most local activities. Deliveries to merchants do ' +
        'not count',
    ),
    cachedWorkflows: count(
      'WORKER_CACHED_WORKFLOWS',
      2_000,
      'How many workflows one worker keeps in memory between their tasks',
    ),
  },
} satisfies Group;

/** How quickly the processor simulator acts by itself. */
export const simulator = {
  simulator: {
    settlementEveryMs: ms(
      'SIMULATOR_SETTLEMENT_EVERY_MS',
      2 * SECOND,
      'The pause between two settlement batches of each simulated processor',
    ),
    chargebackAfterMs: ms(
      'SIMULATOR_CHARGEBACK_AFTER_MS',
      5 * SECOND,
      'How long after the capture the chargeback test card causes a chargeback, or a direct debit is returned',
    ),
    disputeDecisionAfterMs: ms(
      'SIMULATOR_DISPUTE_DECISION_AFTER_MS',
      5 * SECOND,
      'How long after evidence or a second presentment the simulator decides a dispute',
    ),
  },
} satisfies Group;
