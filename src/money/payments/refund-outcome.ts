import type { Knex } from 'knex';
import { DomainError } from '../../domain/errors';
import type { Money } from '../../domain/money';
import type { RefundAnswer } from '../../domain/processor-answers';
import { RESULT } from '../../domain/result-codes';
import { statusAfterCapture } from '../../domain/states/payment';
import { canRefundBecome, type RefundStatus } from '../../domain/states/refund';
import { causeOf } from '../ledger/causes';
import type { Ledger } from '../ledger/ledger';
import * as bookings from './bookings';
import type { PaymentChange } from './change';
import { tellOfPayments } from './notices';
import { type PaymentRow, type RefundRow, untouchedMinor } from './payment';
import { presentRefund } from './present';
import { presentTopupRefund } from './present-topup';
import { becauseOf, type TimelineCause } from './timeline-causes';
import { correctRefundOfTopup, reverseRefundOfTopup, undoRefund } from './topup-steps';
import { applyChange } from './transition';

/** A refund that is still pending with its payment, both locked in the transaction that changes them. */
interface Locked {
  payment: PaymentRow;
  refund: RefundRow;
}

interface Told {
  cause: TimelineCause;
  /** How long an outcome may be unknown before ops should look at it, in milliseconds. */
  reviewAfterMs: number;
}

/**
 * What a processor's answer makes of a pending refund, and of its payment: the whole meaning of every answer stands here.
 * An answer that is not definite ends nothing.
 */
export async function recordRefundAnswer(
  trx: Knex.Transaction,
  ledger: Ledger,
  locked: Locked,
  answer: RefundAnswer,
  told: Told,
): Promise<RefundRow> {
  switch (answer.kind) {
    case 'refunded':
      return isOfAnotherAmount(locked.refund, answer.money)
        ? update(trx, locked.refund, {
            status_detail: 'The processor reports another amount than was refunded; under investigation.',
            review_since: locked.refund.review_since ?? new Date(),
          })
        : succeed(trx, ledger, locked, told);
    case 'refund_declined':
      return decline(trx, ledger, locked, answer.detail, told);
    case 'pending':
      return goOn(trx, locked, RESULT.pending, answer.detail, told);
    case 'unknown':
    case 'not_taken':
      return goOn(trx, locked, RESULT.outcomeUnknown, answer.detail, told);
    case 'not_found':
      return goOn(trx, locked, RESULT.outcomeUnknown, OPEN, told);
  }
}

const OPEN = 'The outcome is being established.';

async function succeed(
  trx: Knex.Transaction,
  ledger: Ledger,
  { payment, refund }: Locked,
  { cause }: Told,
): Promise<RefundRow> {
  const refunded = payment.refunded_minor + refund.amount_minor;
  const succeeded = await move(trx, refund, 'succeeded', {
    result_code: RESULT.refunded,
    status_detail: 'Refunded.',
    cause,
  });
  await moveRefunded(trx, ledger, payment, succeeded, {
    refundedMinor: refunded,
    reservedMinor: payment.refund_reserved_minor - refund.amount_minor,
    resultCode: RESULT.refunded,
    detail: refunded === payment.captured_minor ? 'Refunded in full.' : 'Refunded in part.',
    cause: becauseOf.refund(refund.id),
    movements: bookings.refund(payment, refund, 'post'),
  });
  return succeeded;
}

async function decline(
  trx: Knex.Transaction,
  ledger: Ledger,
  { payment, refund }: Locked,
  detail: string,
  { cause }: Told,
): Promise<RefundRow> {
  const undone = refund.taken_from ? await undoRefund(trx, payment, refund) : [];
  const unchanged = await applyChange(trx, ledger, payment, {
    to: payment.status,
    resultCode: payment.result_code,
    detail: payment.status_detail,
    cause: becauseOf.declinedRefund(refund.id),
    columns: { refund_reserved_minor: payment.refund_reserved_minor - refund.amount_minor },
    movements: [...bookings.refund(payment, refund, 'void'), ...undone],
  });
  const declined = await move(trx, refund, 'declined', {
    result_code: RESULT.refundDeclined,
    status_detail: detail,
    cause,
  });
  await tellOfPayments(trx, [unchanged], 'refund.declined', { refund: presented(declined) });
  return declined;
}

/**
 * Books that the processor settled a refund otherwise than it had said: the books follow the money. Each way is taken once;
 * answers false for what was booked before, and where the word cannot be booked as what it says. What was paid out and is
 * no longer there to be refunded is nobody's: it goes to suspense, for ops to look at.
 */
export async function correctRefund(
  trx: Knex.Transaction,
  ledger: Ledger,
  locked: Locked,
  truth: 'succeeded' | 'declined',
  cause: TimelineCause,
): Promise<boolean> {
  const { payment, refund } = locked;
  if (!canRefundBecome(refund.status, truth)) return false;
  const left = truth === 'succeeded' ? untouchedMinor(payment) : refund.amount_minor;
  const step = truth === 'declined' ? 'reversed' : left < refund.amount_minor ? 'unallocated' : 'corrected';
  const isBooked = await trx('ledger_transfers')
    .where({ tenant_id: refund.tenant_id, cause: causeOf('refund', refund.id, step) })
    .first('id');
  if (isBooked) return false;
  await CORRECTIONS[step](trx, ledger, locked, cause);
  return step !== 'unallocated';
}

const CORRECTIONS = { corrected: makeAfterAll, reversed: reverse, unallocated: setAside };

/** Held as declined, and made after all. */
async function makeAfterAll(
  trx: Knex.Transaction,
  ledger: Ledger,
  locked: Locked,
  cause: TimelineCause,
): Promise<void> {
  const { payment, refund } = locked;
  const { feeMinor, movements } = refund.taken_from
    ? await correctRefundOfTopup(trx, ledger, payment, refund)
    : { feeMinor: refund.fee_minor, movements: bookings.correctedRefund(payment, refund, 0n) };
  const corrected = await move(trx, refund, 'succeeded', {
    result_code: RESULT.refunded,
    status_detail: 'Refunded after all: the processor had declined it before.',
    fee_minor: feeMinor,
    cause,
  });
  await moveRefunded(trx, ledger, payment, corrected, {
    refundedMinor: payment.refunded_minor + refund.amount_minor,
    resultCode: RESULT.refunded,
    detail: 'A refund that the processor had declined was made after all.',
    cause: becauseOf.refund(refund.id),
    movements,
  });
}

/** Held as succeeded, and come back from the payer's bank. */
async function reverse(trx: Knex.Transaction, ledger: Ledger, locked: Locked, cause: TimelineCause): Promise<void> {
  const { payment, refund } = locked;
  const movements = refund.taken_from
    ? await reverseRefundOfTopup(trx, payment, refund)
    : bookings.reversedRefund(payment, refund);
  const reversed = await move(trx, refund, 'declined', {
    result_code: RESULT.refundDeclined,
    status_detail: 'The refund failed after it had succeeded: its money came back.',
    cause,
  });
  await moveRefunded(trx, ledger, payment, reversed, {
    refundedMinor: payment.refunded_minor - refund.amount_minor,
    resultCode: payment.status === 'refunded' ? RESULT.approved : payment.result_code,
    detail: 'A refund failed after it had succeeded; its amount can be refunded again.',
    cause: becauseOf.declinedRefund(refund.id),
    movements,
  });
}

async function setAside(trx: Knex.Transaction, ledger: Ledger, locked: Locked, cause: TimelineCause): Promise<void> {
  const { payment, refund } = locked;
  const detail = 'The processor made the refund after declining it, and its amount was refunded otherwise meanwhile.';
  await applyChange(trx, ledger, payment, {
    to: payment.status,
    resultCode: payment.result_code,
    detail: payment.status_detail,
    cause,
    columns: { review_reason: 'refunded beyond what was captured', review_since: payment.review_since ?? new Date() },
    movements: bookings.unallocatedRefund(payment, refund),
  });
  await update(trx, refund, {
    status_detail: `${detail} It is for review.`,
    review_since: refund.review_since ?? new Date(),
  });
}

/** The payment after what was refunded of it has changed; the merchant is told, with the refund. */
async function moveRefunded(
  trx: Knex.Transaction,
  ledger: Ledger,
  payment: PaymentRow,
  refund: RefundRow,
  {
    refundedMinor,
    reservedMinor = payment.refund_reserved_minor,
    ...change
  }: { refundedMinor: bigint; reservedMinor?: bigint } & Pick<
    PaymentChange,
    'resultCode' | 'detail' | 'cause' | 'movements'
  >,
): Promise<void> {
  const to = statusAfterCapture({
    capturedMinor: payment.captured_minor,
    refundedMinor,
    chargedBackMinor: payment.charged_back_minor,
    settled: payment.settled_at !== null,
  });
  await applyChange(
    trx,
    ledger,
    payment,
    {
      ...change,
      to,
      columns: { refunded_minor: refundedMinor, refund_reserved_minor: reservedMinor },
    },
    { tells: { refund: presented(refund) } },
  );
}

/** Stays pending, with what is known by now. */
function goOn(
  trx: Knex.Transaction,
  { refund }: Locked,
  resultCode: RefundRow['result_code'],
  detail: string,
  { reviewAfterMs }: Told,
): Promise<RefundRow> {
  const unknownSince = refund.unknown_since ?? new Date();
  const overdue = Date.now() - unknownSince.getTime() >= reviewAfterMs;
  return update(trx, refund, {
    result_code: resultCode,
    status_detail: detail,
    unknown_since: unknownSince,
    review_since: refund.review_since ?? (overdue ? new Date() : null),
  });
}

const presented = (refund: RefundRow) => (refund.taken_from ? presentTopupRefund(refund) : presentRefund(refund));

/** Whether a processor speaks of other money than the refund's. */
export function isOfAnotherAmount(refund: RefundRow, money: Money): boolean {
  return money.currency !== refund.currency || money.amountMinor !== refund.amount_minor;
}

/** Throws `invalid_state` for a move that is not listed. */
function move(
  trx: Knex.Transaction,
  refund: RefundRow,
  to: RefundStatus,
  columns: Partial<RefundRow>,
): Promise<RefundRow> {
  if (!canRefundBecome(refund.status, to))
    throw new DomainError('invalid_state', `a refund that is ${refund.status} cannot become ${to}`);
  return update(trx, refund, { ...columns, status: to, unknown_since: null, review_since: null });
}

async function update(trx: Knex.Transaction, refund: RefundRow, columns: Partial<RefundRow>): Promise<RefundRow> {
  const [row]: RefundRow[] = await trx('refunds')
    .where({ id: refund.id, status: refund.status })
    .update({ ...columns, updated_at: trx.raw('clock_timestamp()') })
    .returning('*');
  return row!;
}
