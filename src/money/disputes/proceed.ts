import type { Knex } from 'knex';
import type { DisputeAnswer, DisputeStage } from '../../domain/connector';
import type { DisputeInput, DisputeView, OperatorNote } from '../../domain/flows';
import type { Money } from '../../domain/money';
import { hasEnded } from '../../domain/states/dispute';
import { appendAuditLine } from '../../foundation/audit-log/audit-log';
import type { FirstAnswers } from '../../foundation/temporal/first-answer';
import type { Ledger } from '../ledger/ledger';
import { endIntervention, noteSentToEngine, orderedBy } from '../payments/intervention';
import { lockPayment } from '../payments/payment';
import { becauseOf, type TimelineCause } from '../payments/timeline-causes';
import type { DisputeOperationRow, DisputeRow, DisputeWord } from './dispute';
import { disputeView, findDispute, lookUpDisputeView, readDisputeView, type Viewing } from './flow-view';
import { hear, openFlagged } from './processor-report';
import { type Contesting, capabilityOf, sendDisputeOperation } from './send';
import { type Locked, noteOnly, takeStep } from './steps';

/** Money moves only when the processor says so. Every repeat of a merchant's order uses the same key. */
export interface Proceeding extends Contesting, Viewing {
  connectors: Contesting['connectors'];
  ledger: Ledger;
  firstAnswers: FirstAnswers;
}

/**
 * Goes on with a dispute: sends what the merchant ordered, opens a flagged one that fits by now, and otherwise asks the
 * processor. `tries` spaces the next time.
 */
export async function proceedWithCase(deps: Proceeding, input: DisputeInput, tries: number): Promise<DisputeView> {
  const dispute = await findDispute(deps, input);
  if (!dispute || hasEnded(dispute.status)) return readDisputeView(deps, input);
  if (dispute.status === 'flagged') return reopen(deps, dispute, tries);
  const capability = capabilityOf(deps, dispute);
  if (!capability) return lookUpDisputeView(deps, dispute, tries);
  const operation = await claim(deps, dispute);
  if (!operation) {
    const answer = await capability.inquire(dispute.case_id);
    return bookDisputeAnswer(deps, dispute, answer, { cause: 'inquiry', tries });
  }
  const answer = await sendDisputeOperation(deps, capability, dispute, operation);
  return bookDisputeAnswer(deps, dispute, answer, { cause: becauseOf.operation(operation.id), tries, operation });
}

function reopen(deps: Proceeding, dispute: DisputeRow, tries: number): Promise<DisputeView> {
  return within(deps, dispute, async (trx, locked) => {
    const { disputeEvidenceTtlMs } = deps.timers;
    const opened = await openFlagged(trx, deps.ledger, locked, disputeEvidenceTtlMs, 'it fits by now');
    return disputeView(deps, (opened ?? locked).dispute, undefined, tries);
  });
}

/** The order that waits to be sent, marked as about to be. */
async function claim({ database }: Proceeding, dispute: DisputeRow): Promise<DisputeOperationRow | undefined> {
  const rows: DisputeOperationRow[] = await database.tenant(dispute.tenant_id, (trx) =>
    trx('dispute_operations')
      .where({ dispute_id: dispute.id, status: 'pending' })
      .update({ attempts: trx.raw('attempts + 1'), updated_at: trx.fn.now() })
      .returning('*'),
  );
  return rows[0];
}

interface Answered {
  cause: TimelineCause;
  tries: number;
  /** The order that was answered; absent where the processor was only asked. */
  operation?: DisputeOperationRow;
}

/** Books what the processor answered to an order or a question. */
function bookDisputeAnswer(
  deps: Proceeding,
  dispute: DisputeRow,
  answer: DisputeAnswer,
  { cause, tries, operation }: Answered,
): Promise<DisputeView> {
  return within(deps, dispute, async (trx, locked) => {
    let current = locked;
    const isOpen = operation && (await isPending(trx, operation));
    if (isOpen) current = await endOperation(trx, deps, current, operation, answer, cause);
    if ('stage' in answer && answer.stage) current = await reach(trx, deps, current, answer.stage, answer.money, cause);
    if (isOpen) await deps.firstAnswers.announce(trx, operation.id);
    const waits = isOpen && (answer.kind === 'unknown' || answer.kind === 'not_found') ? operation : undefined;
    return disputeView(deps, current.dispute, waits, tries);
  });
}

/** What the answer means for the order itself. One whose outcome is unknown stays, and is sent again. */
async function endOperation(
  trx: Knex.Transaction,
  { ledger }: Proceeding,
  locked: Locked,
  operation: DisputeOperationRow,
  answer: DisputeAnswer,
  cause: TimelineCause,
): Promise<Locked> {
  const end = (status: DisputeOperationRow['status'], detail: string) =>
    trx('dispute_operations').where({ id: operation.id }).update({ status, detail, updated_at: trx.fn.now() });
  switch (answer.kind) {
    case 'unknown':
      await end('pending', answer.detail);
      return locked;
    case 'not_found':
      await end('pending', 'The processor does not know the case yet.');
      return locked;
    case 'refused':
      await end('failed', answer.detail);
      await noteOnly(trx, locked.dispute, 'refused', { cause, detail: answer.detail });
      return locked;
    case 'stands': {
      await end('succeeded', 'The processor has it.');
      const step = STEP_OF[operation.kind];
      // A callback may have brought the last word meanwhile.
      return step && !hasEnded(locked.dispute.status) ? takeStep(trx, ledger, locked, step, { cause }) : locked;
    }
  }
}

/** The step that a dispute takes once the processor has an order; null: none, its last word comes by itself. */
const STEP_OF: Record<DisputeOperationRow['kind'], 'evidence_submitted' | 'presented' | null> = {
  evidence: 'evidence_submitted',
  second_presentment: 'presented',
  acceptance: null,
};

/** What each stage says about the money, or that it is all over; null: neither. */
const SAYS: Record<DisputeStage, DisputeWord | null> = {
  open: null,
  evidence_submitted: null,
  presented: null,
  second_presentment: 'second_presentment',
  won: 'chargeback_won',
  lost: 'chargeback_lost',
};

/** Takes the steps between where the dispute stands here and where it stands at the processor. */
async function reach(
  trx: Knex.Transaction,
  { ledger, timers }: Proceeding,
  { payment, dispute }: Locked,
  stage: DisputeStage,
  money: Money | undefined,
  cause: TimelineCause,
): Promise<Locked> {
  const word = SAYS[stage];
  if (!word || hasEnded(dispute.status)) return { payment, dispute };
  const said = { word, processor: dispute.processor, caseId: dispute.case_id, money, cause };
  const heard = await hear(trx, ledger, payment, dispute, said, timers.disputeEvidenceTtlMs);
  return { payment, dispute: heard.dispute ?? dispute };
}

async function isPending(trx: Knex.Transaction, { id }: DisputeOperationRow): Promise<boolean> {
  return (await trx('dispute_operations').where({ id }).forUpdate().first('status')).status === 'pending';
}

/** A transaction over the payment and its dispute, both locked, in this order everywhere. */
function within<T>(
  { database }: Proceeding,
  dispute: DisputeRow,
  work: (trx: Knex.Transaction, locked: Locked) => Promise<T>,
): Promise<T> {
  return database.tenant(dispute.tenant_id, async (trx) => {
    const payment = await lockPayment(trx, dispute.payment_id);
    const current: DisputeRow = await trx('disputes').where({ id: dispute.id }).forUpdate().first();
    return work(trx, { payment, dispute: current });
  });
}

/** Writes down who asked for another try, and why. */
export async function noteDisputeIntervention(
  deps: Pick<Proceeding, 'database'>,
  input: DisputeInput,
  note: OperatorNote,
): Promise<void> {
  const dispute = await findDispute(deps, input);
  await deps.database.system.transaction(async (trx) => {
    const subjectIds = dispute ? [dispute.id] : [];
    const found = await orderedBy(trx, note, { subjectIds, acts: ['ask_again'], step: input.caseId });
    if (found.ordered === 'repeat' || found.ordered === 'taken') return;
    const about = {
      tenantId: dispute?.tenant_id ?? null,
      action: 'dispute.retry_now',
      target: dispute?.id ?? `${input.processor}/${input.caseId}`,
    };
    if (found.ordered === 'none') return noteSentToEngine(trx, about, note);
    const { row } = found;
    await endIntervention(trx, row, input.caseId);
    await appendAuditLine(trx, {
      ...about,
      actor: row.ordered_by,
      result: 'accepted',
      detail: { reason: row.reason, interventionId: row.id },
    });
  });
}
