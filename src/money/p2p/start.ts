import { ScheduleAlreadyRunning, ScheduleNotFoundError, ScheduleOverlapPolicy } from '@temporalio/client';
import type { Knex } from 'knex';
import { type P2pInput, type ScheduledTransferInput, WORKFLOW, workflowId } from '../../domain/flows';
import { formatAmount } from '../../domain/money';
import { type Engine, searchAttributes } from '../../foundation/temporal/engine';
import { specOf } from './occurrences';
import type { RequestRow } from './requests';
import { recurrenceOf, type ScheduleRow } from './schedules';
import type { TransferRow } from './transfer';

/** Has the flow of a transfer look at it now; starts the flow where there is none. */
export function proceedWithTransfer(engine: Engine, transfer: TransferRow): Promise<void> {
  return proceed(engine, 'transfer', transfer, transfer.sender_id);
}

/** The same for a request for money. */
export function proceedWithRequest(engine: Engine, request: RequestRow): Promise<void> {
  return proceed(engine, 'request', request, request.requester_id);
}

async function proceed(
  engine: Engine,
  kind: P2pInput['kind'],
  { id, tenant_id, amount_minor, currency, status }: TransferRow | RequestRow,
  customerId: string,
): Promise<void> {
  await engine.client.workflow.signalWithStart(WORKFLOW.p2p, {
    workflowId: workflowId.p2p(id),
    taskQueue: engine.taskQueue,
    args: [{ kind, id, tenantId: tenant_id } satisfies P2pInput],
    signal: 'proceed',
    signalArgs: [],
    staticSummary: `${kind} of ${formatAmount(amount_minor, currency)} ${currency} between customers`,
    typedSearchAttributes: searchAttributes({
      tenant: tenant_id,
      customer: customerId,
      status,
      kind: kind === 'transfer' ? 'transfer' : 'money request',
    }),
  });
}

/**
 * Brings the engine's schedule in line with the row: made for an active one, removed for any other. Occurrences that
 * passed before the engine heard of them are made up for.
 */
export async function tellEngine(engine: Engine, system: Knex, schedule: ScheduleRow): Promise<void> {
  if (schedule.status === 'active') await createSchedule(engine, schedule);
  else
    await engine.client.schedule
      .getHandle(workflowId.p2p(schedule.id))
      .delete()
      .catch((error: unknown) => {
        if (!(error instanceof ScheduleNotFoundError)) throw error;
      });
  await system('p2p_schedules').where({ id: schedule.id, status: schedule.status }).update({ untold_since: null });
}

async function createSchedule(engine: Engine, schedule: ScheduleRow): Promise<void> {
  const { id, tenant_id, sender_id, starts_at, frequency, amount_minor, currency } = schedule;
  const scheduleId = workflowId.p2p(id);
  try {
    await engine.client.schedule.create({
      scheduleId,
      spec: specOf(recurrenceOf(schedule)),
      action: {
        type: 'startWorkflow',
        workflowType: WORKFLOW.scheduledTransfer,
        // The engine adds the time it was due.
        workflowId: `${scheduleId}/run`,
        taskQueue: engine.taskQueue,
        args: [{ scheduleId: id, tenantId: tenant_id } satisfies ScheduledTransferInput],
        staticSummary: `${frequency} transfer of ${formatAmount(amount_minor, currency)} ${currency} by schedule`,
        typedSearchAttributes: searchAttributes({ tenant: tenant_id, customer: sender_id, kind: 'scheduled transfer' }),
      },
      policies: { overlap: ScheduleOverlapPolicy.ALLOW_ALL, catchupWindow: '365 days' },
    });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
  if (starts_at.getTime() <= Date.now())
    await engine.client.schedule.getHandle(scheduleId).backfill({
      start: new Date(starts_at.getTime() - 1_000),
      end: new Date(),
      overlap: ScheduleOverlapPolicy.ALLOW_ALL,
    });
}

/** Longer than a flow that lives takes to look. */
const OVERDUE_MS = 10_000;
const BATCH = 100;

/**
 * Wakes the flows of transfers and requests that should have been looked at or ended: the request died before it could, the
 * engine was away, or the flow is gone. Tells the engine of schedules it has not heard of. Answers how many.
 */
export async function wakeP2p(system: Knex, engine: Engine): Promise<number> {
  const overdue = new Date(Date.now() - OVERDUE_MS);
  const waiting = (table: string, status: string) =>
    system(table)
      .where('look_at', '<', overdue)
      .orWhere((expired) => expired.where({ status }).where('expires_at', '<', overdue))
      .orderBy('id')
      .limit(BATCH);
  const transfers: TransferRow[] = await waiting('p2p_transfers', 'held');
  const requests: RequestRow[] = await waiting('p2p_requests', 'pending');
  const schedules: ScheduleRow[] = await system('p2p_schedules').where('untold_since', '<', overdue).limit(BATCH);
  const commands = [
    ...transfers.map((transfer) => () => proceedWithTransfer(engine, transfer)),
    ...requests.map((request) => () => proceedWithRequest(engine, request)),
    ...schedules.map((schedule) => () => tellEngine(engine, system, schedule)),
  ];
  const failures: unknown[] = [];
  // One that the engine refuses is in nobody's way.
  for (const command of commands) await command().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
  return commands.length;
}
