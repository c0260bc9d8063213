import { ScheduleAlreadyRunning, ScheduleNotFoundError, ScheduleOverlapPolicy } from '@temporalio/client';
import type { Knex } from 'knex';
import { type P2pInput, type ScheduledTransferInput, workflowId } from '../../domain/flows';
import { formatAmount } from '../../domain/money';
import type { Engine } from '../../foundation/temporal/engine';
import { type Flow, listed, scheduledStart, signalFlow } from '../../foundation/temporal/flows';
import { nextOccurrence, specOf } from './occurrences';
import type { RequestRow } from './requests';
import { recurrenceOf, type ScheduleRow } from './schedules';
import type { TransferRow } from './transfer';

const BATCH = 100;
/** A running flow looks sooner than this. */
const OVERDUE_MS = 10_000;
/** An occurrence that was due so long ago, and has left no trace, was lost. */
const LATE_MS = 600_000;

/** What waits between customers. */
export type Waiting = { kind: 'transfer'; row: TransferRow } | { kind: 'request'; row: RequestRow };

/** One transfer or request for money that waits for somebody. */
export const P2P_FLOW: Flow<Waiting, P2pInput> = {
  workflow: 'p2p',
  queue: 'flows',
  id: ({ row }) => workflowId.p2p(row.id),
  input: ({ kind, row }) => ({ kind, id: row.id, tenantId: row.tenant_id }),
  summary: ({ kind, row }) =>
    `${kind} of ${formatAmount(row.amount_minor, row.currency)} ${row.currency} between customers`,
  attributes: (waiting) => ({
    kind: waiting.kind === 'transfer' ? 'transfer' : 'money request',
    tenant: waiting.row.tenant_id,
    customer: waiting.kind === 'transfer' ? waiting.row.sender_id : waiting.row.requester_id,
    status: waiting.row.status,
  }),
  runs: 'again',
  signal: 'proceed',
  /** Those that should have been looked at, or ended, by now. */
  unheard: async (system) => {
    const transfers: TransferRow[] = await overdue(system, 'p2p_transfers', 'held');
    const requests: RequestRow[] = await overdue(system, 'p2p_requests', 'pending');
    return [
      ...transfers.map((row): Waiting => ({ kind: 'transfer', row })),
      ...requests.map((row): Waiting => ({ kind: 'request', row })),
    ];
  },
  open: { none: 'a row whose flow is gone stays overdue, and is found as unheard' },
};

function overdue(system: Knex, table: 'p2p_transfers' | 'p2p_requests', status: string) {
  const since = new Date(Date.now() - OVERDUE_MS);
  return system(table)
    .where('look_at', '<', since)
    .orWhere((expired) => expired.where({ status }).where('expires_at', '<', since))
    .orderBy('id')
    .limit(BATCH);
}

/** Has the flow of a transfer look at it now; starts the flow where there is none. */
export function proceedWithTransfer(engine: Engine, row: TransferRow): Promise<void> {
  return signalFlow(engine, P2P_FLOW, { kind: 'transfer', row });
}

/** The same for a request for money. */
export function proceedWithRequest(engine: Engine, row: RequestRow): Promise<void> {
  return signalFlow(engine, P2P_FLOW, { kind: 'request', row });
}

/** One occurrence of a scheduled transfer or standing order; a schedule of the engine starts it when it is due. */
export const SCHEDULED_TRANSFER_FLOW: Flow<ScheduleRow, ScheduledTransferInput> = {
  workflow: 'scheduledTransfer',
  queue: 'flows',
  /** The id of the schedule. The engine adds the time at which a run was due. */
  id: ({ id }) => `${workflowId.p2p(id)}/run`,
  input: ({ id, tenant_id }) => ({ scheduleId: id, tenantId: tenant_id }),
  summary: ({ frequency, amount_minor, currency }) =>
    `${frequency} transfer of ${formatAmount(amount_minor, currency)} ${currency} by schedule`,
  attributes: ({ tenant_id, sender_id }) => ({ kind: 'scheduled transfer', tenant: tenant_id, customer: sender_id }),
  runs: 'again',
  signal: null,
  bring: tellEngine,
  /** Schedules that the engine has not been told of. */
  unheard: (system) =>
    system('p2p_schedules')
      .where('untold_since', '<', new Date(Date.now() - OVERDUE_MS))
      .limit(BATCH),
  /** Those whose schedule the engine has lost, or whose last occurrence has left nothing behind. */
  open: (system) => system('p2p_schedules').where({ status: 'active' }),
  lost: schedulesGone,
};

/** The first occurrence of each schedule after the last one that has left a trace; those with no more of them are left out. */
async function unknownOccurrences(system: Knex, schedules: readonly ScheduleRow[]): Promise<Map<string, Date>> {
  const { rows }: { rows: { id: string; last: Date | null }[] } = await system.raw(
    `SELECT s.id, greatest(
       (SELECT max(scheduled_for) FROM p2p_transfers t WHERE t.schedule_id = s.id),
       (SELECT max(due_at) FROM standing_order_runs r WHERE r.order_id = s.id)) AS last
     FROM unnest(?::text[]) AS s(id)`,
    [schedules.map(({ id }) => id)],
  );
  const last = new Map(rows.map((row) => [row.id, row.last]));
  const found = new Map<string, Date>();
  for (const schedule of schedules) {
    const next = nextOccurrence(recurrenceOf(schedule), last.get(schedule.id) ?? new Date(0));
    if (next) found.set(schedule.id, next);
  }
  return found;
}

async function schedulesGone(engine: Engine, system: Knex, schedules: readonly ScheduleRow[]): Promise<ScheduleRow[]> {
  const scheduleIds = schedules.map(({ id }) => workflowId.p2p(id));
  const known = new Set<string>();
  for await (const { scheduleId } of engine.client.schedule.list({ query: `ScheduleId IN (${listed(scheduleIds)})` }))
    known.add(scheduleId);
  const due = await unknownOccurrences(system, schedules);
  const late = new Date(Date.now() - LATE_MS);
  return schedules.filter((schedule) => {
    const next = due.get(schedule.id);
    return !known.has(workflowId.p2p(schedule.id)) || (next && next < late);
  });
}

/**
 * Brings the engine's schedule in line with the row: made for an active one, removed for any other. Occurrences that
 * passed before the engine heard of them are made up for.
 */
export async function tellEngine(engine: Engine, system: Knex, schedule: ScheduleRow): Promise<void> {
  if (schedule.status === 'active') await createSchedule(engine, system, schedule);
  else
    await engine.client.schedule
      .getHandle(workflowId.p2p(schedule.id))
      .delete()
      .catch((error: unknown) => {
        if (!(error instanceof ScheduleNotFoundError)) throw error;
      });
  await system('p2p_schedules').where({ id: schedule.id, status: schedule.status }).update({ untold_since: null });
}

async function createSchedule(engine: Engine, system: Knex, schedule: ScheduleRow): Promise<void> {
  const scheduleId = workflowId.p2p(schedule.id);
  try {
    await engine.client.schedule.create({
      scheduleId,
      spec: specOf(recurrenceOf(schedule)),
      action: scheduledStart(engine, SCHEDULED_TRANSFER_FLOW, schedule),
      policies: { overlap: ScheduleOverlapPolicy.ALLOW_ALL, catchupWindow: '365 days' },
    });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
  const since = (await unknownOccurrences(system, [schedule])).get(schedule.id);
  if (since && since.getTime() <= Date.now())
    await engine.client.schedule.getHandle(scheduleId).backfill({
      start: new Date(since.getTime() - 1_000),
      end: new Date(),
      overlap: ScheduleOverlapPolicy.ALLOW_ALL,
    });
}
