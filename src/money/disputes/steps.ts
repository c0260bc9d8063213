import type { Knex } from 'knex';
import type { ProcessorId } from '../../domain/connector';
import { newId } from '../../domain/ids';
import type { Money } from '../../domain/money';
import { RESULT } from '../../domain/result-codes';
import { canDisputeBecome, type DisputeStatus, hasEnded } from '../../domain/states/dispute';
import { statusAfterCapture } from '../../domain/states/payment';
import type { DisputeMovement } from '../ledger/causes';
import type { Ledger, Movement } from '../ledger/ledger';
import * as bookings from '../payments/bookings';
import { tellOfPayments } from '../payments/notices';
import { type PaymentRow, untouchedMinor } from '../payments/payment';
import { type ReceiptRow, type ReceiptStatus, recordReturned } from '../payments/receipt';
import type { TimelineCause } from '../payments/timeline-causes';
import { disputeTransfers } from '../payments/topup-steps';
import { applyChange } from '../payments/transition';
import type { DisputeRow, DisputeStep } from './dispute';
import { DISPUTE_EVENT_TYPES, presentDispute } from './present';

/** A dispute with its payment, both locked in the transaction that changes them. */
export interface Locked {
  payment: PaymentRow;
  dispute: DisputeRow;
}

export interface Telling {
  cause: TimelineCause;
  /** A sentence for people. */
  detail?: string;
  /** The first line of the dispute's timeline: it comes from nowhere. */
  first?: boolean;
}

/** What a step does. Amounts are multiples of the dispute's amount; no movement books nothing. */
interface Effect {
  to: DisputeStatus;
  chargedBack: -1n | 0n | 1n;
  contested: -1n | 0n | 1n;
  movement?: DisputeMovement;
  detail: string;
}

/** The money effect of every step. What a second presentment brought back is contested until the last word. */
function effectOf(dispute: DisputeRow, step: DisputeStep): Effect {
  const isBack = dispute.second_presentment_at !== null && !hasEnded(dispute.status);
  const still = { chargedBack: 0n, contested: 0n } as const;
  const taken = { chargedBack: 1n, contested: 0n, movement: 'charged-back' } as const;
  const returned = { chargedBack: -1n, contested: 0n, movement: 'won' } as const;
  switch (step) {
    case 'charged_back':
      return { ...taken, to: 'open', detail: 'The payer’s bank charged the payment back.' };
    case 'returned':
      return { ...taken, to: 'lost', detail: 'The payer’s bank returned the direct debit.' };
    case 'second_presentment':
      return {
        to: dispute.status,
        chargedBack: -1n,
        contested: 1n,
        movement: 'second-presentment',
        detail: 'The second presentment was accepted: the money is back until the dispute is decided.',
      };
    case 'won':
      if (dispute.status === 'flagged') return { ...still, to: 'won', detail: 'The dispute was won; it took nothing.' };
      return isBack
        ? { to: 'won', chargedBack: 0n, contested: -1n, detail: 'The dispute was won; the money stays.' }
        : { ...returned, to: 'won', detail: 'The dispute was won; the money is back.' };
    case 'lost':
      if (!isBack) return { ...still, to: 'lost', detail: 'The dispute was lost.' };
      return {
        to: 'lost',
        chargedBack: 1n,
        contested: -1n,
        movement: 'lost',
        detail: 'The dispute was lost after the second presentment; the money is gone again.',
      };
    case 'evidence_submitted':
      return { ...still, to: 'evidence_submitted', detail: 'The processor has the evidence.' };
    case 'presented':
      return { ...still, to: dispute.status, detail: 'The processor has the second presentment.' };
    case 'flagged':
    case 'refused':
    case 'not_applied':
      return { ...still, to: dispute.status, detail: '' };
  }
}

/**
 * Takes one step of a dispute: its state, the payment, the entries and both timelines, in the caller's transaction. Each
 * movement has a cause of its own, so the database refuses to book it twice.
 */
export async function takeStep(
  trx: Knex.Transaction,
  ledger: Ledger,
  { payment, dispute }: Locked,
  step: DisputeStep,
  telling: Telling,
): Promise<Locked> {
  const effect = effectOf(dispute, step);
  if (effect.to !== dispute.status && !canDisputeBecome(dispute.status, effect.to))
    throw new Error(`a dispute that is ${dispute.status} cannot take the step ${step}`);
  const detail = telling.detail ?? effect.detail;
  const moved = await movePayment(trx, ledger, { payment, dispute }, effect, telling.cause);
  const now = new Date();
  const [row]: DisputeRow[] = await trx('disputes')
    .where({ id: dispute.id })
    .update({
      status: effect.to,
      status_detail: detail,
      ...(step === 'presented' ? { presented_at: now } : {}),
      ...(step === 'second_presentment' ? { second_presentment_at: now } : {}),
      ...(hasEnded(effect.to) ? { closed_at: now } : {}),
      updated_at: now,
    })
    .returning('*');
  if (hasEnded(effect.to))
    await trx('dispute_operations')
      .where({ dispute_id: dispute.id, status: 'pending' })
      .update({ status: 'failed', detail: 'The dispute has ended.', updated_at: now });
  await note(trx, dispute, step, {
    from: telling.first ? null : dispute.status,
    to: effect.to,
    movedMinor: movedBy(effect, dispute.amount_minor),
    cause: telling.cause,
    detail,
  });
  const type = DISPUTE_EVENT_TYPES[step];
  if (type) await tellOfPayments(trx, [moved], type, { dispute: presentDispute(row!) });
  return { payment: moved, dispute: row! };
}

/** What the merchant has more (or less) after a step. */
function movedBy({ movement }: Effect, amountMinor: bigint): bigint {
  if (!movement) return 0n;
  return bookings.isTaking(movement) ? -amountMinor : amountMinor;
}

async function movePayment(
  trx: Knex.Transaction,
  ledger: Ledger,
  { payment, dispute }: Locked,
  effect: Effect,
  cause: TimelineCause,
): Promise<PaymentRow> {
  const ends = hasEnded(effect.to);
  if (!effect.movement && effect.contested === 0n && !ends) return payment;
  const chargedBackMinor = payment.charged_back_minor + effect.chargedBack * dispute.amount_minor;
  const contestedMinor = payment.contested_minor + effect.contested * dispute.amount_minor;
  // The row is locked. What is given up goes first: together the two may never exceed the capture.
  if (contestedMinor < payment.contested_minor) await contest(trx, payment, contestedMinor);
  const to = statusAfterCapture({
    capturedMinor: payment.captured_minor,
    refundedMinor: payment.refunded_minor,
    chargedBackMinor,
    settled: payment.settled_at !== null,
  });
  const approved = payment.refunded_minor > 0n ? RESULT.refunded : RESULT.approved;
  const moved = await applyChange(trx, ledger, payment, {
    to,
    resultCode: to === 'charged_back' ? RESULT.chargedBack : approved,
    detail: effect.detail,
    cause,
    columns: { charged_back_minor: chargedBackMinor },
    movements: effect.movement ? await movementsFor(trx, ledger, payment, dispute, effect.movement) : [],
  });
  if (contestedMinor > payment.contested_minor) await contest(trx, payment, contestedMinor);
  return { ...moved, contested_minor: contestedMinor };
}

function movementsFor(
  trx: Knex.Transaction,
  ledger: Ledger,
  payment: PaymentRow,
  dispute: DisputeRow,
  movement: DisputeMovement,
): Movement[] | Promise<Movement[]> {
  return payment.beneficiary === 'wallet'
    ? disputeTransfers(trx, ledger, payment, dispute, movement)
    : bookings.dispute(payment, dispute.id, dispute.amount_minor, movement);
}

async function contest(trx: Knex.Transaction, payment: PaymentRow, contestedMinor: bigint): Promise<void> {
  await trx('payments').where({ id: payment.id }).update({ contested_minor: contestedMinor });
}

export interface Opening {
  processor: ProcessorId;
  caseId: string;
  step: 'charged_back' | 'returned';
  money: Money;
  reason?: string;
  evidenceTtlMs: number;
}

/**
 * Opens a dispute on a locked payment. One that does not fit what is left of the capture is written down as `flagged`
 * and books nothing; refund and chargeback together never exceed the capture.
 */
export async function openDispute(
  trx: Knex.Transaction,
  ledger: Ledger,
  payment: PaymentRow,
  opening: Opening,
  telling: Telling,
): Promise<Locked> {
  const { step, money } = opening;
  const [dispute]: DisputeRow[] = await trx('disputes')
    .insert({
      id: newId('dispute'),
      tenant_id: payment.tenant_id,
      organization_id: payment.organization_id,
      payment_id: payment.id,
      processor: opening.processor,
      case_id: opening.caseId,
      kind: step === 'returned' ? 'return' : 'chargeback',
      currency: money.currency,
      amount_minor: money.amountMinor,
      reason: opening.reason ?? null,
      status: 'flagged',
      status_detail: DOES_NOT_FIT,
    })
    .returning('*');
  const locked = { payment, dispute: dispute! };
  const opened = await bookOpening(trx, ledger, locked, opening.evidenceTtlMs, { ...telling, first: true });
  if (opened) return opened;
  const endsReceipt = dispute!.processor !== payment.processor && (await giveBackByChargeback(trx, ledger, locked));
  if (endsReceipt) await trx('disputes').where({ id: dispute!.id }).update({ status_detail: TAKES_RECEIPT });
  const detail = endsReceipt ? TAKES_RECEIPT : DOES_NOT_FIT;
  await note(trx, locked.dispute, 'flagged', { from: null, to: 'flagged', cause: telling.cause, detail });
  return { payment, dispute: { ...locked.dispute, status_detail: detail } };
}

/** What the payer's bank took back of money that nobody had asked for need not be returned any more. */
async function giveBackByChargeback(
  trx: Knex.Transaction,
  ledger: Ledger,
  { payment, dispute }: Locked,
): Promise<boolean> {
  const { processor, currency, amount_minor } = dispute;
  const receipt: ReceiptRow | undefined = await trx('unapplied_receipts')
    .where({ payment_id: payment.id, processor, currency, amount_minor, is_taken: true })
    .whereNot({ status: 'returned' satisfies ReceiptStatus })
    .orderBy('id')
    .forUpdate()
    .first();
  if (!receipt) return false;
  await recordReturned(trx, ledger, payment, receipt, TAKES_RECEIPT);
  return true;
}

const DOES_NOT_FIT = 'It does not fit what was captured and is not refunded; nothing is booked.';
const TAKES_RECEIPT = 'The payer’s bank charged back money that nobody had asked for: the payer has it again.';

/** Opens a flagged dispute once it fits. Undefined while it does not. */
export async function bookOpening(
  trx: Knex.Transaction,
  ledger: Ledger,
  { payment, dispute }: Locked,
  evidenceTtlMs: number,
  telling: Telling,
): Promise<Locked | undefined> {
  // What another processor took than the one that serves the payment is none of the payment's money.
  if (dispute.processor !== payment.processor) return undefined;
  if (dispute.currency !== payment.currency || dispute.amount_minor > untouchedMinor(payment)) return undefined;
  if (dispute.kind === 'return') return takeStep(trx, ledger, { payment, dispute }, 'returned', telling);
  const evidence_due_at = new Date(Date.now() + evidenceTtlMs);
  await trx('disputes').where({ id: dispute.id }).update({ evidence_due_at });
  return takeStep(trx, ledger, { payment, dispute: { ...dispute, evidence_due_at } }, 'charged_back', telling);
}

/** Writes a line of the dispute's timeline that changes nothing. */
export function noteOnly(
  trx: Knex.Transaction,
  dispute: DisputeRow,
  step: 'refused' | 'not_applied',
  { cause, detail }: { cause: TimelineCause; detail: string },
): Promise<void> {
  return note(trx, dispute, step, { from: dispute.status, to: dispute.status, cause, detail });
}

async function note(
  trx: Knex.Transaction,
  dispute: DisputeRow,
  step: DisputeStep,
  line: { from: DisputeStatus | null; to: DisputeStatus; movedMinor?: bigint; cause: TimelineCause; detail: string },
): Promise<void> {
  await trx('dispute_events').insert({
    dispute_id: dispute.id,
    tenant_id: dispute.tenant_id,
    step,
    from_status: line.from,
    to_status: line.to,
    moved_minor: line.movedMinor ?? 0n,
    cause: line.cause,
    detail: line.detail,
  });
}
