import type { Knex } from 'knex';
import type { PaymentInput, PaymentView } from '../../../domain/flows';
import type { AuthorizeAnswer, CaptureAnswer, VoidAnswer } from '../../../domain/processor-answers';
import { isClosed } from '../../../domain/states/payment';
import type { FirstAnswers } from '../../../foundation/temporal/first-answer';
import type { Ledger } from '../../ledger/ledger';
import type { PaymentChange } from '../change';
import { changeFor, changeForOperation, isDecided, type OutcomeContext } from '../outcome';
import { lockPayment, type OperationRow, type PaymentRow } from '../payment';
import { saveCard } from '../saved-card';
import type { TimelineCause } from '../timeline-causes';
import { applyChange, applyChangeAtOnce } from '../transition';
import { paymentView, paymentViewIn, type Viewing } from './flow-view';
import { inFlightMs, type Sending } from './send';

/** How what a processor says becomes a payment's state: what an answer means stands in outcome.ts. */
export interface Booking extends Viewing, Sending {
  ledger: Ledger;
  firstAnswers: FirstAnswers;
}

/**
 * Books an answer to a payment that has no capture or void under way, in one round trip and without reading it again;
 * step by step when it is no longer as it was read, or when a card is to be kept.
 */
export async function bookAnswerAtOnce(
  deps: Booking,
  payment: PaymentRow,
  answer: AuthorizeAnswer,
  cause: TimelineCause,
): Promise<PaymentView> {
  const { database, ledger, firstAnswers } = deps;
  const input = { paymentId: payment.id, tenantId: payment.tenant_id };
  if (payment.request.storeCard) return bookAnswer(deps, input, answer, cause);
  const change = changeFor(payment, answer, outcomeContext(deps, cause, inFlightMs(deps, payment)));
  const awaited = firstAnswers.isAwaited(payment.id);
  const besides = { forgetCvv: isDefinite(change.to), announce: !awaited };
  const moved = await applyChangeAtOnce(database, ledger, payment, change, besides);
  if (!moved) return bookAnswer(deps, input, answer, cause);
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
    const moved = await bookChange(trx, deps, payment, answer, cause, changeFor);
    // A payment that was only just sent has no capture or void of its own yet.
    if (cause !== 'authorize') await endOperation(trx, moved);
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
  const { kind, payment_id: paymentId, tenant_id: tenantId } = operation;
  return bookLocked(deps, { paymentId, tenantId }, tries, async (trx, payment) => {
    const moved = await bookChange(trx, deps, payment, answer, kind, (before, said, context) =>
      changeForOperation(before, kind, said, context),
    );
    await endOperation(trx, moved, { isDecided: isDecided(answer) });
    return moved;
  });
}

/** Books what an operator found out about a payment whose processor does not tell, or is not connected any more. */
export async function bookResolution(
  trx: Knex.Transaction,
  deps: Booking,
  payment: PaymentRow,
  answer: AuthorizeAnswer,
  cause: TimelineCause,
): Promise<PaymentRow> {
  const context = outcomeContext(deps, cause, deps.timers.processorInFlightMs);
  const moved = await recordChange(trx, deps, payment, changeFor(payment, answer, context));
  await endOperation(trx, moved);
  return moved;
}

/**
 * Runs `book` on the payment, unless that is closed by now. The row is locked, so that a callback and an inquiry that
 * arrive together are taken one after the other.
 */
export function bookLocked(
  deps: Booking,
  { paymentId, tenantId }: PaymentInput,
  tries: number,
  book: (trx: Knex.Transaction, payment: PaymentRow) => Promise<PaymentRow>,
): Promise<PaymentView> {
  return deps.database.tenant(tenantId, async (trx) => {
    const payment = await lockPayment(trx, paymentId);
    const current = isClosed(payment.status) ? payment : await book(trx, payment);
    return paymentViewIn(trx, deps, current, tries);
  });
}

function bookChange<Answer>(
  trx: Knex.Transaction,
  deps: Booking,
  payment: PaymentRow,
  answer: Answer,
  cause: TimelineCause,
  meaning: (payment: PaymentRow, answer: Answer, context: OutcomeContext) => PaymentChange,
): Promise<PaymentRow> {
  const change = meaning(payment, answer, outcomeContext(deps, cause, inFlightMs(deps, payment)));
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
  const columns = token ? { ...change.columns, card_token: token } : change.columns;
  const forgetCvv = payment.card_id !== null && payment.status !== 'authorized' && isDefinite(change.to);
  const moved = await applyChange(trx, ledger, payment, { ...change, columns }, { forgetCvv });
  await firstAnswers.announce(trx, payment.id);
  return moved;
}

/** Has ops look at a payment whose outcome has been unknown for too long. */
export function flagWhenLongUnknown({ timers }: Booking, payment: PaymentRow, change: PaymentChange): PaymentChange {
  const since = change.columns?.unknown_since;
  if (!since || payment.review_since || Date.now() - since.getTime() < timers.reviewAfterMs) return change;
  const columns = { ...change.columns, review_reason: 'outcome unknown for too long', review_since: new Date() };
  return { ...change, columns };
}

/** Closes the capture or void under way once an answer decides it: its own, or one that ends the payment. */
async function endOperation(trx: Knex.Transaction, payment: PaymentRow, { isDecided = false } = {}): Promise<void> {
  if (!isDecided && !isClosed(payment.status)) return;
  await trx('payment_operations')
    .where({ payment_id: payment.id, status: 'pending' })
    .update({
      status: trx.raw('CASE WHEN (kind = ? AND ? = ?) OR (kind = ? AND ? = ?) THEN ? ELSE ? END', [
        'capture',
        payment.status,
        'captured',
        'void',
        payment.status,
        'cancelled',
        'succeeded',
        'failed',
      ]),
      updated_at: trx.fn.now(),
    });
}

function outcomeContext({ timers }: Sending, cause: TimelineCause, inFlightMs: number): OutcomeContext {
  const { authorizationTtlMs, payerActionTtlMs, payerTransferTtlMs } = timers;
  return { cause, now: new Date(), inFlightMs, authorizationTtlMs, payerActionTtlMs, payerTransferTtlMs };
}

/** A definite answer to the authorization: the CVV has done its work. */
function isDefinite(status: PaymentRow['status']): boolean {
  return status === 'authorized' || isClosed(status);
}
