import type { Knex } from 'knex';
import type { Connectors, ProcessorId } from '../../domain/connector';
import { DomainError, found, notFound } from '../../domain/errors';
import type { Database } from '../../foundation/db/database';
import { type Page, paged } from '../../foundation/db/page';
import { command } from '../../foundation/temporal/command';
import type { Engine } from '../../foundation/temporal/engine';
import type { Ledger } from '../ledger/ledger';
import type { DifferenceRow } from './differences';
import { startReconciliation } from './flow';
import { type ResolutionOrder, resolveDifference } from './resolve';
import { beginRun, type RunRow } from './runs';

interface RunPage extends Page {
  processor?: string;
}

/** What the API does with reconciliation: runs now, differences, resolutions. */
export class ReconciliationService {
  constructor(
    private readonly deps: { database: Database; engine: Engine; ledger: Ledger; connectors: Connectors },
    /** RECONCILIATION_GRACE_MS */
    private readonly graceMs: number,
  ) {}

  /** Starts a run now; the same id again answers the run that is there. Throws `unavailable` when the engine is away. */
  async start(order: { runId: string; processor: ProcessorId; startedBy: string; graceMs?: number }): Promise<RunRow> {
    const { runId, processor, startedBy } = order;
    const { database, engine, connectors } = this.deps;
    if (!connectors.all().some((connector) => connector.processor === processor)) throw notFound('processor');
    const graceMs = order.graceMs ?? this.graceMs;
    const run = await beginRun(database.system, { id: runId, processor, startedBy, graceMs });
    try {
      await command(engine, () => startReconciliation(engine, { runId, processor, startedBy }));
    } catch (cause) {
      await database
        .system('reconciliation_runs')
        .where({ id: runId, status: 'running' })
        .update({ status: 'failed', finished_at: database.system.fn.now() });
      const message = 'The run could not be started, try again shortly';
      throw new DomainError('unavailable', message, { retryAfterSeconds: 2, cause });
    }
    return run;
  }

  async run(runId: string): Promise<RunRow> {
    return found(await this.deps.database.ops('reconciliation_runs').where({ id: runId }).first(), 'run');
  }

  /** One more than the page holds, newest first. */
  async runs(page: RunPage): Promise<RunRow[]> {
    return ofProcessor(this.deps.database.ops('reconciliation_runs'), page);
  }

  /** The same for differences: those of one tenant, or all of them. */
  async differences(
    tenantId: string | undefined,
    page: RunPage & { kind?: string; status?: string; paymentReference?: string },
  ): Promise<DifferenceRow[]> {
    const { database } = this.deps;
    const select = (connection: Knex) => {
      const rows = ofProcessor(connection('reconciliation_differences'), page);
      if (page.kind) rows.where({ kind: page.kind });
      if (page.status) rows.where({ status: page.status });
      if (page.paymentReference) rows.where({ payment_reference: page.paymentReference });
      return rows;
    };
    return tenantId === undefined ? select(database.ops) : database.tenant(tenantId, (trx) => select(trx));
  }

  /** Closes a difference and books its adjustment; throws as `resolveDifference`. */
  resolve(order: ResolutionOrder): Promise<DifferenceRow> {
    return resolveDifference(this.deps.database.system, this.deps.ledger, order);
  }
}

function ofProcessor(rows: Knex.QueryBuilder, { processor, ...page }: RunPage): Knex.QueryBuilder {
  paged(rows, page);
  return processor ? rows.where({ processor }) : rows;
}
