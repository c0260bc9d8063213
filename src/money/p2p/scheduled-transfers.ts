import type { Knex } from 'knex';
import { notFound } from '../../domain/errors';
import type { ScheduleStatus } from '../../domain/states/schedule';
import type { Database } from '../../foundation/db/database';
import { type Page, paged } from '../../foundation/db/page';
import { wake } from '../../foundation/temporal/command';
import type { Engine } from '../../foundation/temporal/engine';
import { type Acting, noteActing } from './acting';
import { tellEngine } from './flow';
import { endSchedule, findSchedule, makeSchedule, type ScheduleOrder, type ScheduleRow } from './schedules';
import type { TransferDependencies } from './send';

export interface ScheduleFilter extends Page {
  customerId?: string;
  status?: ScheduleStatus;
  kind?: ScheduleRow['kind'];
}

/** Transfers to come, once or again and again: each row has a schedule of the engine. Standing orders are some of them. */
export class ScheduledTransfers {
  constructor(private readonly deps: { database: Database; engine: Engine; p2p: Pick<TransferDependencies, 'keys'> }) {}

  /** Throws as `makeSchedule` does. */
  async create(order: ScheduleOrder): Promise<ScheduleRow> {
    return this.change(order.tenantId, (trx) => makeSchedule(trx, this.deps.p2p.keys, order));
  }

  /** No transfer after this. Throws `not_found`, also for a customer whose schedule it is not. */
  cancel(
    tenantId: string,
    scheduleId: string,
    acting: Acting,
    { customerId, kind = 'schedule' }: { customerId?: string; kind?: ScheduleRow['kind'] } = {},
  ): Promise<ScheduleRow> {
    return this.change(tenantId, async (trx) => {
      const schedule = requireOwner(await findSchedule(trx, scheduleId), kind, customerId);
      await noteActing(trx, tenantId, acting, 'schedule_cancelled', schedule.sender_id, { scheduleId });
      return endSchedule(trx, schedule, 'cancelled');
    });
  }

  find(
    tenantId: string,
    scheduleId: string,
    { customerId, kind = 'schedule' }: { customerId?: string; kind?: ScheduleRow['kind'] } = {},
  ): Promise<ScheduleRow> {
    return this.deps.database.tenant(tenantId, async (trx) =>
      requireOwner(await findSchedule(trx, scheduleId), kind, customerId),
    );
  }

  /** Up to `limit + 1` schedules, newest first. */
  list(tenantId: string, filter: ScheduleFilter): Promise<ScheduleRow[]> {
    const { limit, cursor, customerId, status, kind = 'schedule' } = filter;
    return this.deps.database.tenant(tenantId, (trx) => {
      const query = paged(trx('p2p_schedules').where({ kind }), { limit, cursor });
      if (customerId) query.where({ sender_id: customerId });
      if (status) query.where({ status });
      return query;
    });
  }

  private async change(tenantId: string, work: (trx: Knex.Transaction) => Promise<ScheduleRow>): Promise<ScheduleRow> {
    const { database, engine } = this.deps;
    const schedule = await database.tenant(tenantId, work);
    if (schedule.untold_since) await wake(engine, () => tellEngine(engine, database.system, schedule));
    return schedule;
  }
}

function requireOwner(schedule: ScheduleRow, kind: ScheduleRow['kind'], customerId: string | undefined): ScheduleRow {
  if (schedule.kind !== kind || (customerId && schedule.sender_id !== customerId)) throw notFound('schedule');
  return schedule;
}
