import type { Knex } from 'knex';
import { notFound } from '../src/domain/errors';
import { isOutage } from '../src/foundation/log/failures';
import type { Engine } from '../src/foundation/temporal/engine';
import { type Flow, flowsGone, signalFlow, startFlow } from '../src/foundation/temporal/flows';
import { paymentIdOf } from '../src/money/payments/topup';
import { FLOWS } from './flows';

/** Rows that the engine is asked about at once, in one request. */
const BATCH = 500;
/** Commands to the engine at a time: as many as keep it busy, and few enough that those of payments get through. */
const AT_ONCE = 8;

function paymentIdIn(topupId: string): string {
  try {
    return paymentIdOf(topupId);
  } catch {
    throw notFound('open object');
  }
}

/** Looks through the table of flows for rows without one. */
export class Sweeps {
  constructor(
    private readonly system: Knex,
    private readonly engine: Engine,
    private readonly timers: { firstAnswerMs: number; lostFlowMs: number },
    private readonly flows: Record<string, Flow<unknown>> = FLOWS,
  ) {}

  /**
   * Starts or signals the flows of rows that no flow has heard of. Answers how many. A row that the engine refuses does not
   * stop the others: the first such failure is thrown at the end.
   */
  async bringUnheard(): Promise<number> {
    let brought = 0;
    const failures: unknown[] = [];
    for (const flow of Object.values(this.flows)) {
      if (typeof flow.unheard !== 'function') continue;
      const rows = await flow.unheard(this.system, this.timers.firstAnswerMs);
      brought += await this.each(rows, failures, (row) => this.bring(flow, row));
    }
    if (failures.length > 0) throw failures[0];
    return brought;
  }

  /**
   * Starts lost flows again: those that were terminated by hand, or lost with the engine's database. Looks at every open row
   * that has not changed for long, a page at a time; the engine is asked once for each page. Stops early once `mayGoOn` says
   * no. Answers how many were started; failures as above.
   */
  async restartLost(mayGoOn: () => boolean = () => true): Promise<number> {
    let started = 0;
    const failures: unknown[] = [];
    for (const flow of Object.values(this.flows))
      for await (const rows of this.quietRows(flow)) {
        if (!mayGoOn()) return started;
        const lost = flow.lost
          ? await flow.lost(this.engine, this.system, rows)
          : await flowsGone(this.engine, flow, rows);
        started += await this.each(lost, failures, (row) => this.restartOrNote(flow, row));
      }
    if (failures.length > 0) throw failures[0];
    return started;
  }

  /**
   * Starts the flow of an open object again if it is gone; an operator has asked for it. Answers the flow's id and whether it
   * was started. Throws `not_found` where nothing open has the id, and rejects when the engine is away.
   */
  async restartOne(objectId: string): Promise<{ workflowId: string; restarted: boolean }> {
    const id = objectId.startsWith('top_') ? paymentIdIn(objectId) : objectId;
    for (const flow of Object.values(this.flows)) {
      if (typeof flow.open !== 'function') continue;
      const rows = await flow.open(this.system).where({ id });
      if (rows.length === 0) continue;
      const lost = flow.lost
        ? await flow.lost(this.engine, this.system, rows)
        : await flowsGone(this.engine, flow, rows);
      const [row] = lost;
      const restarted = row !== undefined && (await this.restartOrNote(flow, row));
      return { workflowId: flow.id(rows[0]!), restarted };
    }
    throw notFound('open object');
  }

  /** A flow that cannot be started is written down for operators, until it can. */
  private async restartOrNote(flow: Flow<unknown>, row: unknown): Promise<boolean> {
    const workflow_id = flow.id(row);
    try {
      const started = await this.restart(flow, row);
      await this.system('lost_flows').where({ workflow_id }).delete();
      return started;
    } catch (error) {
      const { id, tenant_id = null } = row as { id: string; tenant_id?: string | null };
      if (!isOutage(error))
        await this.system('lost_flows')
          .insert({ workflow_id, flow: flow.workflow, object_id: id, tenant_id, failure: (error as Error).name })
          .onConflict('workflow_id')
          .merge(['failure']);
      throw error;
    }
  }

  /** The open rows of a flow that have not changed for long, in the order of their ids. */
  private async *quietRows(flow: Flow<unknown>): AsyncGenerator<unknown[]> {
    if (typeof flow.open !== 'function') return;
    const since = new Date(Date.now() - this.timers.lostFlowMs);
    const { open, expected = (rows) => rows } = flow;
    for (let after = ''; ; ) {
      const rows = (await expected(open(this.system))
        .where('id', '>', after)
        .where('updated_at', '<', since)
        .orderBy('id')
        .limit(BATCH)) as { id: string }[];
      if (rows.length > 0) yield rows;
      if (rows.length < BATCH) return;
      after = rows.at(-1)!.id;
    }
  }

  /** One that runs all the same is left alone: the engine says so when it is to start it. */
  private restart(flow: Flow<unknown>, row: unknown): Promise<boolean> {
    if (flow.lost || flow.signal) return this.bring(flow, row);
    return startFlow(this.engine, flow, row, { again: true });
  }

  private async bring(flow: Flow<unknown>, row: unknown): Promise<boolean> {
    if (flow.bring) await flow.bring(this.engine, this.system, row);
    else if (flow.signal) await signalFlow(this.engine, flow, row, { signal: flow.signal });
    else return startFlow(this.engine, flow, row);
    return true;
  }

  /** Answers how many commands succeeded. Goes on after a refusal, but stops while the engine is away. */
  private async each(
    rows: readonly unknown[],
    failures: unknown[],
    command: (row: unknown) => Promise<boolean>,
  ): Promise<number> {
    let done = 0;
    let next = 0;
    let outage: unknown;
    const inTurn = async () => {
      while (next < rows.length && !outage) {
        const row = rows[next];
        next += 1;
        try {
          if (await command(row)) done += 1;
        } catch (error) {
          if (isOutage(error)) outage = error;
          else failures.push(error);
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, inTurn));
    if (outage) throw outage;
    return done;
  }
}
