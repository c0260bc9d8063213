import type { Knex } from 'knex';
import { isOutage } from '../src/foundation/log/failures';
import type { Engine } from '../src/foundation/temporal/engine';
import { type Flow, flowRuns, signalFlow, startFlow } from '../src/foundation/temporal/flows';
import { FLOWS } from './flows';

const BATCH = 100;

/** Looks through the table of flows for rows without one. */
export class Sweeps {
  /** Where the next look at a workflow's open rows begins. */
  private readonly after = new Map<string, string>();

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
   * Starts lost flows again: those that were terminated by hand, or lost with the engine's database. Each call looks at the
   * next open rows that have not changed for long. Answers how many were started; failures as above.
   */
  async restartLost(): Promise<number> {
    let started = 0;
    const failures: unknown[] = [];
    for (const flow of Object.values(this.flows)) {
      const rows = await this.quietRows(flow);
      started += await this.each(rows, failures, async (row) => {
        if (await flowRuns(this.engine, flow.id(row))) return false;
        return this.bring(flow, row, { again: true });
      });
    }
    if (failures.length > 0) throw failures[0];
    return started;
  }

  private async quietRows(flow: Flow<unknown>): Promise<unknown[]> {
    if (typeof flow.open !== 'function') return [];
    const rows = (await flow
      .open(this.system)
      .where('id', '>', this.after.get(flow.workflow) ?? '')
      .where('updated_at', '<', new Date(Date.now() - this.timers.lostFlowMs))
      .orderBy('id')
      .limit(BATCH)) as { id: string }[];
    this.after.set(flow.workflow, rows.length === BATCH ? rows.at(-1)!.id : '');
    return rows;
  }

  private async bring(flow: Flow<unknown>, row: unknown, options?: { again: boolean }): Promise<boolean> {
    if (flow.bring) await flow.bring(this.engine, this.system, row);
    else if (flow.signal) await signalFlow(this.engine, flow, row, { signal: flow.signal });
    else return startFlow(this.engine, flow, row, options);
    return true;
  }

  /** Answers how many commands succeeded. Goes on after a refusal, but stops while the engine is away. */
  private async each(
    rows: unknown[],
    failures: unknown[],
    command: (row: unknown) => Promise<boolean>,
  ): Promise<number> {
    let done = 0;
    for (const row of rows)
      try {
        if (await command(row)) done += 1;
      } catch (error) {
        if (isOutage(error)) throw error;
        failures.push(error);
      }
    return done;
  }
}
