import type { Knex } from 'knex';
import { DomainError, notFound } from '../../domain/errors';
import { canPaymentLinkBecome, isOpenPaymentLink, type PaymentLinkStatus } from '../../domain/states/payment-link';
import { type Actor, appendAuditLine } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import type { Engine } from '../../foundation/temporal/engine';
import type { FirstAnswers } from '../../foundation/temporal/first-answer';
import { proceedWithPaymentLink } from './flow';
import { findPaymentLink, type PaymentLinkRow } from './payment-link';

/** Whose payment links a request may see. */
export interface PaymentLinkScope {
  tenantId: string;
  organizationId: string;
}

export interface PaymentLinkOrder {
  id: string;
  note?: string;
  expiresAt: Date;
}

export interface PaymentLinkFilter {
  limit: number;
  /** The id of the last one of the page before. */
  before?: string;
  status?: PaymentLinkStatus;
}

/** How long the engine may take to accept a command. */
const ENGINE_DEADLINE_MS = 3_000;

/** What the API does about payment links. What somebody orders is written down first; the flow acts on it. */
export class PaymentLinks {
  /** `firstAnswerMs`: how long a request waits for the flow, in milliseconds. */
  constructor(
    private readonly deps: { database: Database; engine: Engine; firstAnswers: FirstAnswers },
    private readonly firstAnswerMs: number,
  ) {}

  /** The same id again answers the row that is there (a repeat after a crash). */
  create(scope: PaymentLinkScope, { id, note, expiresAt }: PaymentLinkOrder, by: Actor): Promise<PaymentLinkRow> {
    return this.thenLook(scope, id, async (trx) => {
      const [row]: PaymentLinkRow[] = await trx('payment_links')
        .insert({
          id,
          tenant_id: scope.tenantId,
          organization_id: scope.organizationId,
          status: 'waiting' satisfies PaymentLinkStatus,
          note: note ?? null,
          expires_at: expiresAt,
          look_at: trx.raw('clock_timestamp()'),
          created_by: by.id,
        })
        .onConflict('id')
        .ignore()
        .returning('*');
      if (!row) return findOwn(trx, scope, id);
      await noteAct(trx, row, 'payment_link.create', by);
      return row;
    });
  }

  /** Throws `not_found`, and `invalid_state` where it is approved already or has ended. */
  approve(scope: PaymentLinkScope, id: string, by: Actor): Promise<PaymentLinkRow> {
    return this.thenLook(scope, id, async (trx) => {
      const known = await findOwn(trx, scope, id, { lock: true });
      if (known.approved_at || !canPaymentLinkBecome(known.status, 'approved')) {
        const status = known.approved_at ? 'approved' : known.status;
        throw new DomainError('invalid_state', `This payment link is ${status} already`);
      }
      const [row]: PaymentLinkRow[] = await trx('payment_links')
        .where({ id })
        .update({
          approved_by: by.id,
          approved_at: trx.raw('clock_timestamp()'),
          look_at: trx.raw('clock_timestamp()'),
          updated_at: trx.raw('clock_timestamp()'),
        })
        .returning('*');
      await noteAct(trx, row!, 'payment_link.approve', by);
      return row!;
    });
  }

  /** Throws `not_found`. */
  find(scope: PaymentLinkScope, id: string): Promise<PaymentLinkRow> {
    return this.deps.database.tenant(scope.tenantId, (trx) => findOwn(trx, scope, id));
  }

  /** Newest first; one more than `limit`, to see whether there are. */
  list(
    { tenantId, organizationId }: PaymentLinkScope,
    { limit, before, status }: PaymentLinkFilter,
  ): Promise<PaymentLinkRow[]> {
    return this.deps.database.tenant(tenantId, async (trx) => {
      const rows = trx('payment_links')
        .where({ organization_id: organizationId })
        .orderBy('id', 'desc')
        .limit(limit + 1);
      if (before) rows.where('id', '<', before);
      if (status) rows.where({ status });
      return rows;
    });
  }

  /** Writes something down, wakes the flow and waits a while for it to look. Answers the row as it stands then. */
  private async thenLook(
    scope: PaymentLinkScope,
    id: string,
    write: (trx: Knex.Transaction) => Promise<PaymentLinkRow>,
  ): Promise<PaymentLinkRow> {
    const answered = this.deps.firstAnswers.wait(id, this.firstAnswerMs);
    const row = await this.deps.database.tenant(scope.tenantId, write);
    if (isOpenPaymentLink(row.status) && (await this.wake(row))) await answered;
    return this.find(scope, id);
  }

  /** False: the engine is away, and the workers will wake the flow when it is back. */
  private wake(row: PaymentLinkRow): Promise<boolean> {
    const { engine } = this.deps;
    return engine.connection
      .withDeadline(Date.now() + ENGINE_DEADLINE_MS, () => proceedWithPaymentLink(engine, row))
      .then(
        () => true,
        () => false,
      );
  }
}

/** One of the scope's own; anybody else's does not exist. Throws `not_found`. */
async function findOwn(
  trx: Knex.Transaction,
  { organizationId }: PaymentLinkScope,
  id: string,
  options: { lock?: boolean } = {},
): Promise<PaymentLinkRow> {
  const row = await findPaymentLink(trx, id, options);
  if (row.organization_id !== organizationId) throw notFound('payment link');
  return row;
}

function noteAct(trx: Knex.Transaction, row: PaymentLinkRow, action: string, by: Actor): Promise<unknown> {
  return appendAuditLine(trx, {
    tenantId: row.tenant_id,
    actor: by.id,
    action,
    target: row.id,
    source: by.source,
    result: 'done',
  });
}
