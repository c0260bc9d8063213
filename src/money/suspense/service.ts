import type { Knex } from 'knex';
import type { Connectors } from '../../domain/connector';
import { DomainError, found, notFound, refuse } from '../../domain/errors';
import type { UnmatchedTransferStatus } from '../../domain/states/unmatched-transfer';
import { type Actor, appendAuditLine } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import { type Page, paged } from '../../foundation/db/page';
import { PLATFORM_TENANT } from '../ledger/accounts';
import type { PaymentRow } from '../payments/payment';
import {
  type Decision,
  lockUnmatchedTransfer,
  type Mismatch,
  matchingDetail,
  moveUnmatchedTransfer,
  UNDECIDED,
  type UnmatchedTransferRow,
} from './unmatched-transfer';

export interface UnmatchedTransferPage extends Page {
  status?: UnmatchedTransferStatus;
  mismatch?: Mismatch;
  tenantId?: string;
  /** Only those that ops should look at. */
  review?: boolean;
}

interface Order {
  decision: Decision;
  reason: string;
  /** Of a match. */
  paymentId?: string;
}

/** What operators do about incoming transfers that matched no payment. Their flow carries out what they decide. */
export class SuspenseService {
  constructor(
    private readonly deps: { database: Database; connectors: Pick<Connectors, 'find'> },
    /** SUSPENSE_FOUR_EYES_MINOR: decisions about more than this need a second operator. Minor units of any currency. */
    private readonly fourEyesMinor: bigint,
  ) {}

  /** One more than the page holds, newest first. */
  async list({ status, mismatch, tenantId, review, ...page }: UnmatchedTransferPage): Promise<UnmatchedTransferRow[]> {
    const rows = paged(this.deps.database.ops('unmatched_transfers'), page);
    if (status) rows.where({ status });
    if (mismatch) rows.where({ mismatch });
    if (tenantId) rows.where({ tenant_id: tenantId });
    if (review !== undefined) rows[review ? 'whereNotNull' : 'whereNull']('review_since');
    return rows;
  }

  /** Throws `not_found`. */
  async find(id: string): Promise<UnmatchedTransferRow> {
    return found(await this.deps.database.ops('unmatched_transfers').where({ id }).first(), 'unmatched transfer');
  }

  /**
   * Has the transfer count towards a payment that waits for one; above the limit only proposes it. Throws `not_found`,
   * `invalid_request` (another currency or processor) and `invalid_state` (409: somebody has decided, or the payment does
   * not wait).
   */
  match(
    id: string,
    { paymentId, reason }: { paymentId: string; reason: string },
    by: Actor,
  ): Promise<UnmatchedTransferRow> {
    return this.decide(id, { decision: 'match', paymentId, reason }, by);
  }

  /** Has it go back to its sender; above the limit only proposes it. Throws `not_found` and `invalid_state` (409). */
  giveBack(id: string, { reason }: { reason: string }, by: Actor): Promise<UnmatchedTransferRow> {
    return this.decide(id, { decision: 'return', reason }, by);
  }

  /**
   * The second operator agrees. Throws `not_found`, `forbidden` (the operator who proposed it) and `invalid_state` (409:
   * nothing is proposed, or the payment does not wait any more).
   */
  confirm(id: string, by: Actor): Promise<UnmatchedTransferRow> {
    return this.act(id, 'proposed', by, async (trx, row) => {
      if (row.decided_by === by.id) throw new DomainError('forbidden', 'Another operator has to confirm the proposal');
      if (row.payment_id) await checkPayment(trx, row, row.payment_id);
      const confirmed = await order(trx, row, { confirmed_by: by.id });
      return [confirmed, 'confirm'];
    });
  }

  /** Takes a proposal back: the transfer is open again. Throws `not_found` and `invalid_state` (409). */
  withdraw(id: string, { reason }: { reason: string }, by: Actor): Promise<UnmatchedTransferRow> {
    return this.act(id, 'proposed', by, async (trx, row) => {
      const change = { ...UNDECIDED, status_detail: `A proposal was withdrawn: ${reason}` };
      return [await moveUnmatchedTransfer(trx, row, 'open', change), 'withdraw', { reason }];
    });
  }

  private decide(id: string, { decision, paymentId, reason }: Order, by: Actor): Promise<UnmatchedTransferRow> {
    return this.act(id, 'open', by, async (trx, row) => {
      if (!this.deps.connectors.find(row.processor)?.transfers)
        throw new DomainError('invalid_state', `Processor ${row.processor} cannot be told from here`);
      if (paymentId) await checkPayment(trx, row, paymentId);
      const decided = {
        decision,
        payment_id: paymentId ?? null,
        reason,
        needs_second: row.amount_minor > this.fourEyesMinor,
        decided_by: by.id,
        decided_at: new Date(),
      };
      const status_detail = 'A second operator has to confirm what was proposed.';
      const moved = decided.needs_second
        ? await moveUnmatchedTransfer(trx, row, 'proposed', { ...decided, status_detail })
        : await order(trx, row, decided);
      return [moved, decision];
    });
  }

  /** Locks a row that has to be in this state, acts on it and writes down who did: one of two operators at once is first. */
  private act(
    id: string,
    status: UnmatchedTransferStatus,
    by: Actor,
    work: (trx: Knex.Transaction, row: UnmatchedTransferRow) => Promise<[UnmatchedTransferRow, string, object?]>,
  ): Promise<UnmatchedTransferRow> {
    return this.deps.database.system.transaction(async (trx) => {
      const row = await lockUnmatchedTransfer(trx, id);
      if (row.status !== status) throw new DomainError('invalid_state', `The transfer is ${row.status}`);
      const [moved, verb, detail] = await work(trx, row);
      await appendAuditLine(trx, {
        tenantId: moved.tenant_id,
        actor: by.id,
        action: `suspense.${verb}`,
        target: id,
        source: by.source,
        result: moved.status,
        detail: {
          decision: moved.decision ?? row.decision,
          paymentId: moved.payment_id ?? row.payment_id ?? undefined,
          reason: moved.reason ?? row.reason,
          ...detail,
          requestId: by.requestId,
        },
      });
      return moved;
    });
  }
}

type Decided = Partial<Pick<UnmatchedTransferRow, 'decision' | 'payment_id' | 'confirmed_by'>>;

/** Writes the order to the processor down, under a key of its own. */
function order(trx: Knex.Transaction, row: UnmatchedTransferRow, decided: Decided): Promise<UnmatchedTransferRow> {
  const { decision, payment_id } = { ...row, ...decided };
  const decisions = row.decisions + 1;
  const begin = { ...decided, decisions, sends: 0, sent_at: null, review_since: null };
  if (decision === 'match')
    return moveUnmatchedTransfer(trx, row, 'matching', { ...begin, status_detail: matchingDetail(payment_id!) });
  return moveUnmatchedTransfer(trx, row, 'returning', {
    ...begin,
    return_reference: `${row.id}-${decisions}`,
    status_detail: 'It is being returned to its sender.',
  });
}

/** Throws `not_found`, `invalid_request` and `invalid_state` where the payment does not wait for a transfer such as this. */
async function checkPayment(trx: Knex.Transaction, row: UnmatchedTransferRow, paymentId: string): Promise<void> {
  const payment: PaymentRow | undefined = await trx('payments').where({ id: paymentId }).first();
  if (!payment || (row.tenant_id !== PLATFORM_TENANT && payment.tenant_id !== row.tenant_id)) throw notFound('payment');
  if (payment.kind !== 'bank_transfer') refuse('paymentId', 'is no payment by bank transfer');
  if (payment.processor !== row.processor) refuse('paymentId', 'is served by another processor');
  if (payment.currency !== row.currency) refuse('paymentId', 'is in another currency');
  if (payment.status !== 'requires_action' && payment.status !== 'pending')
    throw new DomainError('invalid_state', `The payment is ${payment.status}: it does not wait for money`);
}
