import type { Knex } from 'knex';
import type { PaymentInput, PaymentView } from '../../../domain/flows';
import type { AuthorizeAnswer, CaptureAnswer, VoidAnswer } from '../../../domain/processor-answers';
import { RESULT } from '../../../domain/result-codes';
import { endedWithoutMoney, isClosed } from '../../../domain/states/payment';
import type { FirstAnswers } from '../../../foundation/temporal/first-answer';
import { endLowValueRun } from '../../authentication/low-value';
import type { Ledger } from '../../ledger/ledger';
import { findAttempt } from '../attempt';
import type { PaymentChange } from '../change';
import { pendingOperation } from '../operation';
import {
  changeFor,
  changeForExpiry,
  changeForOperation,
  type EndWithoutMoney,
  end,
  endWhenTaken,
  isDecided,
  type OutcomeContext,
  type Taken,
} from '../outcome';
import type { OperationRow } from '../payment';
import { lockPayment, type PaymentRow } from '../payment';
import { recordArrival } from '../receipt';
import { saveCard } from '../saved-card';
import type { TimelineCause } from '../timeline-causes';
import { applyChange, applyChangeAtOnce, type HandledCallback } from '../transition';
import { paymentView, paymentViewIn, type Viewing } from './flow-view';
import { type Attempted, inFlightUntil, type Sending } from './send';

/** How what a processor says becomes a payment's state: what an answer means stands in outcome.ts. */
export interface Booking extends Viewing, Sending {
  ledger: Ledger;
  firstAnswers: FirstAnswers;
}

/**
 * Books an answer to a payment that has no capture or void under way, in one round trip and without reading it again;
 * step by step when it is no longer as it was read, when a card is to be kept, or where a policy wants to know who has
 * authenticated.
 */
export async function bookAnswerAtOnce(
  deps: Booking,
  attempted: Attempted,
  answer: AuthorizeAnswer,
  cause: TimelineCause,
): Promise<PaymentView> {
  const { id: paymentId, tenant_id: tenantId } = attempted.payment;
  const view = await bookAtOnce(deps, attempted, answer, cause);
  return view ?? bookAnswer(deps, { paymentId, tenantId }, answer, cause);
}

/** The same. Undefined where it has to be booked step by step. `callback`: what it was told by, noted as handled with it. */
export async function bookAtOnce(
  deps: Booking,
  { payment, attempt }: Attempted,
  answer: AuthorizeAnswer,
  cause: TimelineCause,
  callback?: HandledCallback,
): Promise<PaymentView | undefined> {
  const { database, ledger, firstAnswers } = deps;
  if (payment.request.storeCard || isAuthenticating(payment)) return undefined;
  const change = changeFor(payment, answer, outcomeContext(deps, cause, inFlightUntil(deps, { payment, attempt })));
  const awaited = firstAnswers.isAwaited(payment.id);
  const besides = { forgetCvv: isDefinite(change.to), announce: !awaited, callback };
  const moved = await applyChangeAtOnce(database, ledger, payment, change, besides);
  if (!moved) return undefined;
  firstAnswers.tell(payment.id, moved);
  return paymentView(deps, moved, { isBusy: false });
}

/** Books what the processor says of the payment itself, if that is still where it matters. */
export function bookAnswer(
  deps: Booking,
  input: PaymentInput,
  answer: AuthorizeAnswer,
  cause: TimelineCause,
  tries = 0,
): Promise<PaymentView> {
  return bookLocked(deps, input, tries, async (trx, payment) => {
    if (isClosed(payment.status)) return bookLate(trx, deps, payment, answer, cause);
    const operation = await pendingOperation(trx, payment.id);
    const isExpiring = operation?.cause === 'expiry';
    const over = answer.kind === 'captured' && endWhenTaken(payment, operation, answer);
    const moved = over
      ? await endAndReturn(trx, deps, payment, over, answer, cause)
      : await bookChange(trx, deps, payment, answer, cause, (before, said, context) =>
          isExpiring && said.kind === 'voided'
            ? changeForExpiry(before, said, context)
            : changeFor(before, said, context),
        );
    await endOperation(trx, deps, moved, operation);
    return moved;
  });
}

/** Books what the processor says to a capture or void. Its refusal is no refusal of the payment. */
export function bookOperationAnswer(
  deps: Booking,
  operation: OperationRow,
  answer: CaptureAnswer | VoidAnswer,
  tries = 0,
): Promise<PaymentView> {
  const { cause, payment_id: paymentId, tenant_id: tenantId } = operation;
  return bookLocked(deps, { paymentId, tenantId }, tries, async (trx, payment) => {
    await trx('payment_operations')
      .where({ id: operation.id })
      .update({
        detail: ('detail' in answer && answer.detail) || null,
        ...(answer.kind === 'not_taken' ? { in_flight_until: null } : {}),
      });
    await deps.firstAnswers.announce(trx, operation.id);
    if (isClosed(payment.status)) return payment;
    const standing = answer.kind === 'refused' && answer.standing?.kind === 'captured' ? answer.standing : undefined;
    const over = standing && endWhenTaken(payment, operation, standing);
    const moved =
      standing && over
        ? await endAndReturn(trx, deps, payment, over, standing, cause)
        : await bookChange(trx, deps, payment, answer, cause, (before, said, context) =>
            changeForOperation(before, operation, said, context),
          );
    await endOperation(trx, deps, moved, operation, { isDecided: isDecided(operation, answer) });
    return moved;
  });
}

/** The payment ends, and what its processor has taken goes back. */
async function endAndReturn(
  trx: Knex.Transaction,
  deps: Booking,
  payment: PaymentRow,
  over: EndWithoutMoney,
  { money, processorReference }: Taken,
  cause: TimelineCause,
): Promise<PaymentRow> {
  const attempt = { status: 'captured', reference: processorReference } as const;
  const ended = await recordChange(
    trx,
    deps,
    payment,
    end(payment, over.to, over.resultCode, over.detail, cause, attempt),
  );
  await recordArrival(trx, deps.ledger, ended, {
    processor: payment.processor,
    processorReference,
    money,
    isTaken: true,
    detail: `${over.detail} The processor had taken the money; it is being returned.`,
    cause,
  });
  return lockPayment(trx, payment.id);
}

/** The payment ended otherwise before this answer came. Money that it tells of is nobody's, and goes back. */
async function bookLate(
  trx: Knex.Transaction,
  { ledger }: Booking,
  payment: PaymentRow,
  answer: AuthorizeAnswer,
  cause: TimelineCause,
): Promise<PaymentRow> {
  const hasMoney = answer.kind === 'captured' || answer.kind === 'authorized';
  if (!hasMoney || !endedWithoutMoney(payment.status)) return payment;
  await recordArrival(trx, ledger, payment, {
    processor: payment.processor,
    processorReference: answer.processorReference,
    money: answer.money,
    isTaken: answer.kind === 'captured',
    detail: 'The processor has the money, and this payment had ended; it is being returned.',
    cause,
  });
  return lockPayment(trx, payment.id);
}

/** Books what an operator found out about a payment whose processor does not tell, or is not connected any more. */
export async function bookResolution(
  trx: Knex.Transaction,
  deps: Booking,
  payment: PaymentRow,
  answer: AuthorizeAnswer,
  cause: TimelineCause,
): Promise<PaymentRow> {
  const context = outcomeContext(deps, cause, new Date());
  const moved = await recordChange(trx, deps, payment, changeFor(payment, answer, context));
  await endOperation(trx, deps, moved, await pendingOperation(trx, payment.id));
  return moved;
}

/**
 * Runs `book` on the payment. The row is locked, so that a callback and an inquiry that arrive together are taken one after
 * the other; it may be closed by now.
 */
export function bookLocked(
  deps: Booking,
  { paymentId, tenantId }: PaymentInput,
  tries: number,
  book: (trx: Knex.Transaction, payment: PaymentRow) => Promise<PaymentRow>,
): Promise<PaymentView> {
  return deps.database.tenant(tenantId, async (trx) => {
    const payment = await lockPayment(trx, paymentId);
    return paymentViewIn(trx, deps, await book(trx, payment), tries);
  });
}

async function bookChange<Answer extends { kind: string }>(
  trx: Knex.Transaction,
  deps: Booking,
  payment: PaymentRow,
  answer: Answer,
  cause: TimelineCause,
  meaning: (payment: PaymentRow, answer: Answer, context: OutcomeContext) => PaymentChange,
): Promise<PaymentRow> {
  const attempt = answer.kind === 'not_found' ? await findAttempt(trx, payment) : undefined;
  const change = meaning(payment, answer, outcomeContext(deps, cause, inFlightUntil(deps, { payment, attempt })));
  return recordChange(trx, deps, payment, flagWhenLongUnknown(deps, payment, change));
}

/**
 * Applies a change with what belongs to it, in the caller's transaction with the payment locked: the CVV goes on a
 * definite answer, a card is kept where asked for, and whoever waits is told.
 */
export async function recordChange(
  trx: Knex.Transaction,
  { ledger, firstAnswers }: Pick<Booking, 'ledger' | 'firstAnswers'>,
  payment: PaymentRow,
  change: PaymentChange,
): Promise<PaymentRow> {
  const isNews =
    change.to !== payment.status ||
    change.resultCode !== payment.result_code ||
    (change.columns?.review_since ?? payment.review_since) !== payment.review_since;
  if (!isNews && change.detail === payment.status_detail) return payment;
  const approved = change.to === 'authorized' || change.to === 'captured';
  const token = approved && payment.request.storeCard && !payment.card_token ? await saveCard(trx, payment) : undefined;
  const isKnown = change.columns?.unknown_since === null && payment.review_reason === UNKNOWN_TOO_LONG;
  const columns = {
    ...change.columns,
    ...(token && { card_token: token }),
    ...(isKnown && { review_reason: null, review_since: null }),
  };
  if (approved && payment.card_id && isAuthenticating(payment)) await endLowValueRun(trx, payment.card_id);
  const forgetCvv = payment.card_id !== null && payment.status !== 'authorized' && isDefinite(change.to);
  const moved = await applyChange(trx, ledger, payment, { ...change, columns }, { forgetCvv });
  await firstAnswers.announce(trx, payment.id);
  return moved;
}

/** The payer is asked to authenticate, under a policy that counts how often payers were not. */
function isAuthenticating({ status, result_code, request }: PaymentRow): boolean {
  const isAsked = status === 'requires_action' && result_code === RESULT.authenticationRequired;
  return isAsked && request.authentication !== undefined;
}

/** Nobody needs to look at it any more once its outcome is known. */
const UNKNOWN_TOO_LONG = 'outcome unknown for too long';

/** Has ops look at a payment whose outcome has been unknown for too long. */
function flagWhenLongUnknown({ timers }: Booking, payment: PaymentRow, change: PaymentChange): PaymentChange {
  const since = change.columns?.unknown_since;
  if (!since || payment.review_since || Date.now() - since.getTime() < timers.reviewAfterMs) return change;
  const columns = { ...change.columns, review_reason: UNKNOWN_TOO_LONG, review_since: new Date() };
  return { ...change, columns };
}

/** Closes the capture or void under way once an answer decides it: its own, or one that ends the payment. */
async function endOperation(
  trx: Knex.Transaction,
  { firstAnswers }: Pick<Booking, 'firstAnswers'>,
  payment: PaymentRow,
  operation: OperationRow | undefined,
  { isDecided = false } = {},
): Promise<void> {
  if (!operation || (!isDecided && !isClosed(payment.status))) return;
  const done: Record<OperationRow['kind'], boolean> = {
    capture: isClosed(payment.status) && !endedWithoutMoney(payment.status),
    void: endedWithoutMoney(payment.status),
  };
  await trx('payment_operations')
    .where({ id: operation.id, status: 'pending' })
    .update({ status: done[operation.kind] ? 'succeeded' : 'failed', updated_at: trx.fn.now() });
  await firstAnswers.announce(trx, operation.id);
}

/** What an answer is judged by now. `inFlightUntil` matters for "not found" alone. */
export function outcomeContext({ timers }: Sending, cause: TimelineCause, inFlightUntil: Date): OutcomeContext {
  const { authorizationTtlMs, payerActionTtlMs, payerTransferTtlMs, payerInquiryFirstMs } = timers;
  return {
    cause,
    now: new Date(),
    inFlightUntil,
    askAgainMs: timers.inquiryFirstMs,
    authorizationTtlMs,
    payerActionTtlMs,
    payerTransferTtlMs,
    payerInquiryFirstMs,
  };
}

/** A definite answer to the authorization: the CVV has done its work. */
function isDefinite(status: PaymentRow['status']): boolean {
  return status === 'authorized' || isClosed(status);
}
