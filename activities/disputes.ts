import type { Knex } from 'knex';
import type { DisputeAnswer, DisputeCapability, DisputeStage, ProcessorId } from '../src/domain/connector';
import type { DisputeInput, DisputeView, OperatorNote } from '../src/domain/flows';
import type { Money } from '../src/domain/money';
import { hasEnded } from '../src/domain/states/dispute';
import { Inbox, type InboxState, moneyOf } from '../src/edge/callbacks/inbox';
import { appendAuditLine } from '../src/foundation/audit-log/audit-log';
import type { DisputeOperationRow, DisputeRow } from '../src/money/disputes/dispute';
import { type Heard, hear, isDisputeWord } from '../src/money/disputes/processor-report';
import { bookOpening, type Locked, noteOnly, takeStep } from '../src/money/disputes/steps';
import type { PaymentRow } from '../src/money/payments/payment';
import type { Dependencies } from './dependencies';
import { lockPayment } from './payment-settling';

/** The steps of a dispute. Money moves only on the provider's word; what the merchant orders is sent under a stable key. */
export function disputeActivities(deps: Dependencies) {
  const { database, ledger, timers } = deps;
  const inbox = new Inbox(database.system);

  /** Applies one callback of the case. Each step is booked once, however often it is told. */
  async function applyDisputeCallback(input: DisputeInput, inboxId: string): Promise<DisputeView> {
    const row = await inbox.read(inboxId);
    if (!row || HANDLED.has(row.state)) return readView(input);
    const { type } = row.event;
    if (!isDisputeWord(type)) {
      await inbox.mark(inboxId, 'ignored', 'says nothing new of the dispute');
      return readView(input);
    }
    const owner = await database.system('payments').where({ id: row.reference }).first('tenant_id');
    const heard = await database.tenant(owner.tenant_id, async (trx): Promise<Heard> => {
      const payment = await lockPayment(trx, row.reference);
      const known = await trx('disputes')
        .where({ processor: input.processor, case_id: input.caseId })
        .forUpdate()
        .first();
      const said = {
        ...input,
        word: type,
        money: moneyOf(row.event),
        reason: row.event.reason,
        cause: `callback ${row.processor}/${row.event_id}`,
      };
      return hear(trx, ledger, payment, known, said, timers.disputeEvidenceTtlMs);
    });
    await inbox.mark(inboxId, heard.outcome, heard.detail);
    return heard.dispute ? viewIn(heard.dispute) : readView(input);
  }

  /**
   * Goes on with a dispute: sends what the merchant ordered, opens a flagged one that fits by now, and otherwise asks the
   * provider. `tries` spaces the next time.
   */
  async function proceedDispute(input: DisputeInput, tries: number): Promise<DisputeView> {
    const dispute = await find(input);
    if (!dispute || hasEnded(dispute.status)) return readView(input);
    if (dispute.status === 'flagged') return reopen(dispute, tries);
    const capability = deps.connectors.get(dispute.processor as ProcessorId).disputes;
    if (!capability) return viewIn(dispute, tries);
    const operation = await claim(dispute);
    if (!operation) return settle(dispute, await capability.inquire(dispute.case_id), 'inquiry', tries);
    return settle(dispute, await send(capability, dispute, operation), `operation ${operation.id}`, tries, operation);
  }

  function find({ processor, caseId }: DisputeInput): Promise<DisputeRow | undefined> {
    return database.system('disputes').where({ processor, case_id: caseId }).first();
  }

  function reopen(dispute: DisputeRow, tries: number): Promise<DisputeView> {
    return within(dispute, async (trx, locked) => {
      const opened = await bookOpening(trx, ledger, locked, timers.disputeEvidenceTtlMs, { cause: 'it fits by now' });
      return viewOf((opened ?? locked).dispute, undefined, tries);
    });
  }

  /** The order that waits to be sent, marked as about to be. */
  async function claim(dispute: DisputeRow): Promise<DisputeOperationRow | undefined> {
    const rows: DisputeOperationRow[] = await database.tenant(dispute.tenant_id, (trx) =>
      trx('dispute_operations')
        .where({ dispute_id: dispute.id, status: 'pending' })
        .update({ attempts: trx.raw('attempts + 1'), updated_at: trx.fn.now() })
        .returning('*'),
    );
    return rows[0];
  }

  async function send(
    capability: DisputeCapability,
    dispute: DisputeRow,
    operation: DisputeOperationRow,
  ): Promise<DisputeAnswer> {
    const call = { caseId: dispute.case_id, idempotencyKey: `dispute/${dispute.id}/${operation.id}` };
    if (operation.kind === 'acceptance') return capability.accept(call);
    if (operation.kind === 'second_presentment') return capability.present(call);
    const { sealed } = await database.tenant(dispute.tenant_id, (trx) =>
      trx('dispute_evidence').where({ id: operation.id }).first('sealed'),
    );
    const evidence = deps.evidence.open(operation.id, sealed);
    return capability.submitEvidence({ ...call, evidenceReference: operation.id, ...evidence });
  }

  /** Books what the provider answered to an order or a question. */
  function settle(
    dispute: DisputeRow,
    answer: DisputeAnswer,
    cause: string,
    tries: number,
    operation?: DisputeOperationRow,
  ): Promise<DisputeView> {
    return within(dispute, async (trx, locked) => {
      let current = locked;
      const isOpen = operation && (await isPending(trx, operation));
      if (isOpen) current = await endOperation(trx, current, operation, answer, cause);
      if ('stage' in answer && answer.stage) current = await reach(trx, current, answer.stage, answer.money, cause);
      if (isOpen) await deps.firstAnswers.announce(trx, operation.id);
      const waits = isOpen && (answer.kind === 'unknown' || answer.kind === 'not_found') ? operation : undefined;
      return viewOf(current.dispute, waits, tries);
    });
  }

  /** What the answer means for the order itself. One whose outcome is unknown stays, and is sent again. */
  async function endOperation(
    trx: Knex.Transaction,
    locked: Locked,
    operation: DisputeOperationRow,
    answer: DisputeAnswer,
    cause: string,
  ): Promise<Locked> {
    const end = (status: 'succeeded' | 'failed' | 'pending', detail: string) =>
      trx('dispute_operations').where({ id: operation.id }).update({ status, detail, updated_at: trx.fn.now() });
    if (answer.kind === 'unknown' || answer.kind === 'not_found') {
      await end('pending', answer.kind === 'unknown' ? answer.detail : 'The processor does not know the case yet.');
      return locked;
    }
    if (answer.kind === 'refused') {
      await end('failed', answer.detail);
      await noteOnly(trx, locked.dispute, 'refused', { cause, detail: answer.detail });
      return locked;
    }
    await end('succeeded', 'The processor has it.');
    // A callback may have brought the last word meanwhile.
    if (hasEnded(locked.dispute.status)) return locked;
    if (operation.kind === 'second_presentment') return takeStep(trx, ledger, locked, 'presented', { cause });
    if (operation.kind === 'acceptance') return locked;
    return takeStep(trx, ledger, locked, 'evidence_submitted', { cause });
  }

  /** Takes the steps between where the dispute stands here and where it stands at the provider. */
  async function reach(
    trx: Knex.Transaction,
    { payment, dispute }: Locked,
    stage: DisputeStage,
    money: Money | undefined,
    cause: string,
  ): Promise<Locked> {
    const word = WORDS[stage];
    if (!word) return { payment, dispute };
    const said = { word, processor: dispute.processor, caseId: dispute.case_id, money, cause };
    if (hasEnded(dispute.status)) return { payment, dispute };
    const heard = await hear(trx, ledger, payment, dispute, said, timers.disputeEvidenceTtlMs);
    return { payment, dispute: heard.dispute ?? dispute };
  }

  async function isPending(trx: Knex.Transaction, { id }: DisputeOperationRow): Promise<boolean> {
    return (await trx('dispute_operations').where({ id }).forUpdate().first('status')).status === 'pending';
  }

  /** A transaction over the payment and its dispute, both locked, in this order everywhere. */
  function within<T>(dispute: DisputeRow, work: (trx: Knex.Transaction, locked: Locked) => Promise<T>): Promise<T> {
    return database.tenant(dispute.tenant_id, async (trx) => {
      const payment: PaymentRow = await lockPayment(trx, dispute.payment_id);
      const current: DisputeRow = await trx('disputes').where({ id: dispute.id }).forUpdate().first();
      return work(trx, { payment, dispute: current });
    });
  }

  /** Writes down who asked for another try, and why. */
  async function noteDisputeIntervention(input: DisputeInput, note: OperatorNote): Promise<void> {
    const dispute = await find(input);
    await appendAuditLine(database.system, {
      tenantId: dispute?.tenant_id ?? null,
      actor: `${note.operator}`,
      action: 'dispute.retry_now',
      target: dispute?.id ?? `${input.processor}/${input.caseId}`,
      result: 'accepted',
      detail: { reason: `${note.reason}` },
    });
  }

  async function readView(input: DisputeInput): Promise<DisputeView> {
    const dispute = await find(input);
    return dispute
      ? viewIn(dispute)
      : { status: 'open', detail: 'the chargeback itself has not been told', waitsFor: 'provider' };
  }

  async function viewIn(dispute: DisputeRow, tries = 0): Promise<DisputeView> {
    const operation = hasEnded(dispute.status)
      ? undefined
      : await database.tenant(dispute.tenant_id, (trx) =>
          trx('dispute_operations').where({ dispute_id: dispute.id, status: 'pending' }).first(),
        );
    return viewOf(dispute, operation, tries);
  }

  /** Whom the dispute waits for, and how long until the flow acts by itself. */
  function viewOf(dispute: DisputeRow, operation: DisputeOperationRow | undefined, tries = 0): DisputeView {
    const view = { status: dispute.status, detail: dispute.status_detail, sinceMs: dispute.updated_at.getTime() };
    const growing = (maxMs: number) => Math.min(timers.inquiryFirstMs * 2 ** Math.min(tries, 20), maxMs);
    if (hasEnded(dispute.status)) return { ...view, waitsFor: 'nobody' };
    if (dispute.status === 'flagged')
      return { ...view, waitsFor: 'operator', askAgainMs: growing(timers.disputeInquiryMs) };
    if (operation) return { ...view, waitsFor: 'provider', askAgainMs: growing(timers.inquiryMaxMs) };
    const leftMs = (dispute.evidence_due_at?.getTime() ?? 0) - Date.now();
    if (dispute.status === 'open' && leftMs > 0) return { ...view, waitsFor: 'merchant', askAgainMs: leftMs };
    const asks = deps.connectors.get(dispute.processor as ProcessorId).disputes !== undefined;
    return { ...view, waitsFor: 'provider', ...(asks ? { askAgainMs: timers.disputeInquiryMs } : {}) };
  }

  return { applyDisputeCallback, proceedDispute, noteDisputeIntervention };
}

/** A callback may be delivered more than once; it has its effect once. */
const HANDLED: ReadonlySet<InboxState> = new Set(['applied', 'ignored', 'flagged']);

/** The stages that say something about the money, or that it is all over. */
const WORDS = {
  open: undefined,
  evidence_submitted: undefined,
  presented: undefined,
  second_presentment: 'second_presentment',
  won: 'chargeback_won',
  lost: 'chargeback_lost',
} as const satisfies Record<DisputeStage, unknown>;
