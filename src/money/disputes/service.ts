import type { Knex } from 'knex';
import type { Connectors } from '../../domain/connector';
import { DomainError, notFound } from '../../domain/errors';
import { hasEnded } from '../../domain/states/dispute';
import { type Actor, noteDone } from '../../foundation/audit-log/audit-log';
import { type Database, violates } from '../../foundation/db/database';
import { type Page, paged } from '../../foundation/db/page';
import { wake } from '../../foundation/temporal/command';
import type { Engine } from '../../foundation/temporal/engine';
import type { FirstAnswers } from '../../foundation/temporal/first-answer';
import { signalFlow } from '../../foundation/temporal/flows';
import type { PaymentScope } from '../payments/visible';
import type { DisputeOperationRow, DisputeRow } from './dispute';
import type { Evidence, EvidenceSeal } from './evidence';
import { DISPUTE_FLOW } from './flow';

/** Evidence as it may be shown: what is in it stays sealed. */
export interface EvidenceRow extends DisputeOperationRow {
  documents: { name: string; contentType: string; sizeBytes: number }[];
}

export interface DisputeFilter extends Page {
  status?: string;
  paymentId?: string;
}

interface Order extends Pick<DisputeOperationRow, 'id' | 'kind'> {
  /** Why the dispute's state does not allow it, if so. */
  refuse: (dispute: DisputeRow) => string | undefined;
  /** What is written down with it. */
  store?: (trx: Knex.Transaction, dispute: DisputeRow) => PromiseLike<unknown>;
}

/** What the API does with disputes: orders are written down first, then sent by the dispute's flow. */
export class DisputeService {
  /** `firstAnswerMs`: how long a request waits for the processor, in milliseconds. */
  constructor(
    private readonly deps: {
      database: Database;
      engine: Engine;
      firstAnswers: FirstAnswers;
      connectors: Connectors;
      evidence: EvidenceSeal;
    },
    private readonly firstAnswerMs: number,
  ) {}

  /**
   * Submits evidence, again as often as the deadline allows. Answers the dispute and the order. Throws `not_found`,
   * `invalid_state` (409) and `disputes_not_supported` (422).
   */
  submitEvidence(scope: PaymentScope, disputeId: string, operationId: string, by: Actor, evidence: Evidence) {
    return this.order(scope, disputeId, by, {
      id: operationId,
      kind: 'evidence',
      refuse: ({ evidence_due_at }) =>
        evidence_due_at && evidence_due_at.getTime() > Date.now() ? undefined : 'the time for evidence is over',
      store: (trx, { tenant_id }) =>
        trx('dispute_evidence').insert({
          id: operationId,
          tenant_id,
          documents: JSON.stringify(
            evidence.documents.map(({ name, contentType, content: { length } }) => ({
              name,
              contentType,
              sizeBytes: length,
            })),
          ),
          sealed: this.deps.evidence.seal(operationId, evidence),
        }),
    });
  }

  /** Gives the dispute up. Throws as `submitEvidence`. */
  accept(scope: PaymentScope, disputeId: string, operationId: string, by: Actor) {
    return this.order(scope, disputeId, by, { id: operationId, kind: 'acceptance', refuse: () => undefined });
  }

  /** Charges the payer's bank once more, on the evidence submitted. Throws as `submitEvidence`. */
  present(scope: PaymentScope, disputeId: string, operationId: string, by: Actor) {
    return this.order(scope, disputeId, by, {
      id: operationId,
      kind: 'second_presentment',
      refuse: ({ status, presented_at }) => {
        if (status !== 'evidence_submitted') return 'a second presentment needs evidence first';
        return presented_at ? 'the second presentment was submitted before' : undefined;
      },
    });
  }

  async byId(scope: PaymentScope, disputeId: string): Promise<DisputeRow> {
    return this.deps.database.tenant(scope.tenantId, (trx) => this.visible(trx, scope, disputeId));
  }

  /** The evidence of a dispute, oldest first, and the order that waits for the processor, if any. */
  async details(dispute: DisputeRow): Promise<{ evidence: EvidenceRow[]; pending?: DisputeOperationRow }> {
    return this.deps.database.tenant(dispute.tenant_id, async (trx) => ({
      evidence: await trx('dispute_operations as o')
        .join('dispute_evidence as e', 'e.id', 'o.id')
        .where({ dispute_id: dispute.id })
        .orderBy('o.id')
        .select('o.*', 'e.documents'),
      pending: await trx('dispute_operations').where({ dispute_id: dispute.id, status: 'pending' }).first(),
    }));
  }

  /** One more than the page holds, newest first. */
  async list(scope: PaymentScope, filter: DisputeFilter): Promise<DisputeRow[]> {
    return this.deps.database.tenant(scope.tenantId, (trx) => {
      const rows = ofScope(trx, scope);
      filtered(rows, filter);
      return rows;
    });
  }

  /** The same over all tenants, for ops. */
  async listAll(filter: DisputeFilter): Promise<DisputeRow[]> {
    const rows = this.deps.database.ops('disputes');
    filtered(rows, filter);
    return rows;
  }

  /** Writes an order down, has it sent, and waits a while for what the processor says to it. */
  private async order(
    scope: PaymentScope,
    disputeId: string,
    by: Actor,
    { id, kind, refuse, store }: Order,
  ): Promise<{ dispute: DisputeRow; operation: DisputeOperationRow }> {
    const { database, engine, firstAnswers } = this.deps;
    const answered = firstAnswers.wait(id, this.firstAnswerMs);
    const dispute = await database
      .tenant(scope.tenantId, async (trx) => {
        const found = await this.visible(trx, scope, disputeId, true);
        // A repeat under one idempotency key finds what the first try wrote.
        if (await trx('dispute_operations').where({ id, dispute_id: found.id }).first('id')) return found;
        this.requireContestable(found);
        const problem = refuse(found);
        if (problem) throw new DomainError('invalid_state', problem);
        const { tenant_id } = found;
        const detail = 'On its way to the processor.';
        await trx('dispute_operations').insert({
          id,
          tenant_id,
          dispute_id: found.id,
          kind,
          status: 'pending',
          detail,
        });
        await store?.(trx, found);
        await noteDone(trx, tenant_id, by, `dispute.${kind}`, found.id, { operationId: id });
        return found;
      })
      .catch((error: unknown) => {
        throw violates(error, 'dispute_operations_one_pending')
          ? new DomainError('invalid_state', 'the processor has not answered the order before')
          : error;
      });
    // Written down is accepted: with the engine away, the workers wake the flow when it is back.
    const woken = await wake(engine, () => signalFlow(engine, DISPUTE_FLOW, dispute));
    if (woken && (await this.operation(dispute, id)).status === 'pending') await answered;
    const operation = await this.operation(dispute, id);
    if (operation.status === 'failed') throw new DomainError('invalid_state', operation.detail);
    return { dispute: await this.byId(scope, disputeId), operation };
  }

  private operation({ tenant_id }: DisputeRow, id: string): Promise<DisputeOperationRow> {
    return this.deps.database.tenant(tenant_id, (trx) => trx('dispute_operations').where({ id }).first());
  }

  private requireContestable(dispute: DisputeRow): void {
    if (hasEnded(dispute.status)) throw new DomainError('invalid_state', `the dispute is ${dispute.status}`);
    if (dispute.status === 'flagged')
      throw new DomainError('invalid_state', 'the dispute does not fit its payment and is under review');
    if (!this.deps.connectors.get(dispute.processor).disputes)
      throw new DomainError(
        'disputes_not_supported',
        `processor ${dispute.processor} takes no evidence here: contest the dispute with the processor itself`,
      );
  }

  private async visible(
    trx: Knex.Transaction,
    scope: PaymentScope,
    disputeId: string,
    locked = false,
  ): Promise<DisputeRow> {
    const query = ofScope(trx, scope).where({ id: disputeId });
    const [row]: DisputeRow[] = await (locked ? query.forUpdate() : query);
    if (!row) throw notFound('dispute');
    return row;
  }
}

function ofScope(trx: Knex.Transaction, { organizationId, terminalId }: PaymentScope): Knex.QueryBuilder {
  const rows = trx('disputes').where({ organization_id: organizationId });
  if (terminalId) rows.whereIn('payment_id', trx('payments').where({ terminal_id: terminalId }).select('id'));
  return rows;
}

function filtered(rows: Knex.QueryBuilder, { status, paymentId, limit, cursor }: DisputeFilter): void {
  paged(rows, { limit, cursor });
  if (status) rows.where({ status });
  if (paymentId) rows.where({ payment_id: paymentId });
}
