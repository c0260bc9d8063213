import type { PaymentKind } from '../../domain/connector';
import type { AuthorizeAnswer, CaptureAnswer, PaymentStanding, VoidAnswer } from '../../domain/processor-answers';
import { RESULT, type ResultCode } from '../../domain/result-codes';
import * as bookings from './bookings';
import type { AttemptOutcome, PaymentChange } from './change';
import { nextCheckMs } from './due';
import type { OperationRow, PaymentRow } from './payment';
import type { TimelineCause } from './timeline-causes';

export interface OutcomeContext {
  cause: TimelineCause;
  now: Date;
  /** Until when what was sent may still be on its way: "not found" is no answer before. */
  inFlightUntil: Date;
  /** When a processor that did not know a payment is asked once more, in milliseconds. */
  askAgainMs: number;
  /** How long an authorization stays good for a capture, in milliseconds. */
  authorizationTtlMs: number;
  /** How long a payer has, in milliseconds, unless the processor gives less. */
  payerActionTtlMs: number;
  /** The same for bank transfers and vouchers, in milliseconds. */
  payerTransferTtlMs: number;
  /** The pause before a processor is first asked about something that waits for its payer, in milliseconds; 0: never. */
  payerInquiryFirstMs: number;
}

/**
 * What a processor's answer makes of a payment that is still open. Pure: the whole meaning of every answer stands here.
 * An answer that is not definite never ends a payment.
 */
export function changeFor(payment: PaymentRow, answer: AuthorizeAnswer, context: OutcomeContext): PaymentChange {
  const { cause } = context;
  const known = { unknown_since: null, action: null, waits_until: null };
  const reference = 'processorReference' in answer ? answer.processorReference : undefined;
  switch (answer.kind) {
    case 'authorized':
    case 'captured':
      return moneyTaken(payment, answer, context);
    case 'challenge':
    case 'payer_action':
      return payerAsked(payment, answer, context);
    case 'declined':
      return end(payment, 'failed', answer.code, answer.detail, cause, { status: 'declined', reference });
    case 'soft_declined':
    case 'authentication_failed':
      return end(payment, 'failed', RESULT.authenticationFailed, answer.detail, cause, {
        status: 'declined',
        reference,
      });
    case 'not_charged':
      return end(payment, 'failed', RESULT.nothingCharged, `Nothing was charged: ${answer.detail}.`, cause, {
        status: 'nothing_charged',
      });
    case 'not_found':
      return context.now >= context.inFlightUntil
        ? end(payment, 'failed', RESULT.nothingCharged, NO_SUCH_PAYMENT, cause, {
            status: 'nothing_charged',
            askAgainMs: context.askAgainMs,
          })
        : outcomeUnknown(payment, 'the processor does not know the payment yet', context);
    case 'voided':
      return end(payment, 'cancelled', RESULT.cancelled, 'Cancelled at the processor.', cause, {
        status: 'voided',
        reference,
      });
    case 'pending':
      return {
        to: stillOpen(payment),
        resultCode: RESULT.pending,
        detail: answer.detail,
        cause,
        columns: { ...known, unknown_since: pendingSince(payment, answer.expectedBy, context.now) },
        attempt: { status: stillOpen(payment), reference },
      };
    case 'unknown':
      return outcomeUnknown(payment, answer.detail, context);
  }
}

const NO_SUCH_PAYMENT = 'The processor has no such payment: nothing was charged.';

/**
 * What the answer to a capture or void means. A refusal of the operation is no refusal of the payment: where the processor
 * says how the payment has ended there, that is booked; otherwise the payment stays where it is. What never left, or was
 * turned away at the door, is sent again.
 */
export function changeForOperation(
  payment: PaymentRow,
  { kind, cause }: Pick<OperationRow, 'kind' | 'cause'>,
  answer: CaptureAnswer | VoidAnswer,
  context: OutcomeContext,
): PaymentChange {
  if (cause === 'expiry') return changeForExpiry(payment, answer, context);
  switch (answer.kind) {
    case 'captured':
    case 'voided':
      return changeFor(payment, answer, context);
    case 'pending':
    case 'unknown':
    case 'not_found':
      return outcomeUnknown(payment, `${kind} sent, no answer yet`, context);
    case 'not_taken':
      return outcomeUnknown(payment, `the ${kind} could not be sent yet: ${answer.detail}`, context);
    case 'refused':
      return answer.standing && hasEndedThere(answer.standing)
        ? changeFor(payment, answer.standing, context)
        : {
            to: payment.status,
            resultCode: payment.status === 'authorized' ? RESULT.approved : payment.result_code,
            detail: `The ${kind} was refused: ${answer.detail}.`,
            cause: context.cause,
            columns: { unknown_since: null },
          };
  }
}

/**
 * What the answer to the void at the end of a payment's time means. The payment ends only on the processor's word that
 * nothing was taken, and nothing can be any more; until then it stays as it is.
 */
export function changeForExpiry(
  payment: PaymentRow,
  answer: CaptureAnswer | VoidAnswer,
  context: OutcomeContext,
): PaymentChange {
  if (answer.kind === 'voided') {
    const [code, detail] = reasonOfExpiry(payment);
    return end(payment, 'expired', code, detail, context.cause, { status: 'voided' });
  }
  if (answer.kind === 'captured') return changeFor(payment, answer, context);
  if (answer.kind === 'refused' && answer.standing && hasEndedThere(answer.standing))
    return changeFor(payment, answer.standing, context);
  const why = 'detail' in answer ? answer.detail : 'the processor does not know it';
  return {
    to: payment.status,
    resultCode: payment.result_code,
    detail: `The time is up, and the processor has not cancelled it yet: ${why}.`,
    cause: context.cause,
    columns: { unknown_since: payment.unknown_since ?? context.now },
  };
}

/** What a processor says of money that it has taken. */
export type Taken = Extract<PaymentStanding, { kind: 'captured' }>;

/** How a payment ends without the money that its processor has taken. */
export interface EndWithoutMoney {
  to: 'cancelled' | 'expired';
  resultCode: ResultCode;
  detail: string;
}

/**
 * Whether the money that a processor has taken is no longer the payment's, and goes back. Somebody was told that it will be
 * cancelled; or its time is up, and what its payer sent since then is another amount. Undefined: it is the payment's.
 */
export function endWhenTaken(
  payment: PaymentRow,
  operation: Pick<OperationRow, 'kind' | 'cause'> | undefined,
  { money }: Taken,
): EndWithoutMoney | undefined {
  const isExpiring = operation?.cause === 'expiry';
  if (operation?.kind === 'void' && !isExpiring)
    return { to: 'cancelled', resultCode: RESULT.cancelled, detail: 'Cancelled.' };
  const isOver = isExpiring || isTimeUp(payment);
  if (!isOver || !SENT_BY_PAYERS[payment.kind] || money.amountMinor === payment.amount_minor) return undefined;
  const [resultCode, detail] = reasonOfExpiry(payment);
  return { to: 'expired', resultCode, detail };
}

/** Payers send the money themselves, and so in whatever amount. */
const SENT_BY_PAYERS: Record<PaymentKind, boolean> = {
  card: false,
  wallet: false,
  upi: false,
  qr: false,
  apm: false,
  bank_transfer: true,
  direct_debit: false,
  crypto: true,
  hosted_page: false,
};

/** Timers of the engine and our clock need not agree to the last moment. */
const CLOCK_MARGIN_MS = 1_000;

/** Whether nobody may pay, or capture, any more. */
export function isTimeUp({ waits_until }: PaymentRow): boolean {
  return waits_until !== null && waits_until.getTime() <= Date.now() + CLOCK_MARGIN_MS;
}

function reasonOfExpiry({ status, result_code }: PaymentRow): [ResultCode, string] {
  if (status === 'authorized') return [RESULT.expiredUnanswered, 'The authorization expired without a capture.'];
  if (result_code === RESULT.waitingForPayer) return [RESULT.expiredUnanswered, 'The payer did not pay in time.'];
  return [RESULT.authenticationAbandoned, 'The payer did not finish 3-D Secure in time.'];
}

/** Whether an answer decides an operation: it was done, or will never be. The void of an expiry is asked for until it is. */
export function isDecided({ cause }: Pick<OperationRow, 'cause'>, { kind }: CaptureAnswer | VoidAnswer): boolean {
  return kind === 'captured' || kind === 'voided' || (kind === 'refused' && cause !== 'expiry');
}

const ENDED_THERE: Record<PaymentStanding['kind'], boolean> = {
  captured: true,
  voided: true,
  declined: true,
  soft_declined: true,
  authentication_failed: true,
  authorized: false,
  challenge: false,
  payer_action: false,
  pending: false,
};

/** The processor has nothing more to do with the payment: it has taken the money, or never will. */
export function hasEndedThere({ kind }: PaymentStanding): boolean {
  return ENDED_THERE[kind];
}

/** What the outcome is not known of is pending, save for what is held: that is known. */
function stillOpen({ status }: PaymentRow): 'authorized' | 'pending' {
  return status === 'authorized' ? 'authorized' : 'pending';
}

/** Ends a payment without money and releases what was held for it. `attempt`: absent where it was never sent. */
export function end(
  payment: PaymentRow,
  to: 'failed' | 'cancelled' | 'expired',
  resultCode: PaymentChange['resultCode'],
  detail: string,
  cause: TimelineCause,
  attempt?: AttemptOutcome,
): PaymentChange {
  // A hold that turns out to be gone at the processor is cancelled, whatever the processor calls it.
  const status = payment.status === 'authorized' && to === 'failed' ? 'cancelled' : to;
  const movements = payment.status === 'authorized' ? bookings.release(payment) : [];
  const columns = { unknown_since: null, action: null, waits_until: null };
  return { to: status, resultCode, detail, cause, columns, movements, attempt };
}

/** From when on it is unusual not to know: at once, or from when the processor said it would be done. */
function pendingSince(payment: PaymentRow, expectedBy: string | undefined, now: Date): Date {
  if (!expectedBy) return payment.unknown_since ?? now;
  return new Date(Math.max(now.getTime(), Date.parse(expectedBy)));
}

function payerAsked(
  payment: PaymentRow,
  answer: Extract<PaymentStanding, { kind: 'challenge' | 'payer_action' }>,
  context: OutcomeContext,
): PaymentChange {
  const { action, processorReference } = answer;
  if (payment.status === 'authorized') return outcomeUnknown(payment, 'the processor asks the payer again', context);
  const asked = payment.status === 'requires_action' ? payment.waits_until : null;
  const { now } = context;
  const ours = asked?.getTime() ?? now.getTime() + ttlOf(payment, context);
  const waits_until = new Date(Math.min(ours, Date.parse(action.expiresAt)));
  return {
    to: 'requires_action',
    resultCode: answer.kind === 'challenge' ? RESULT.authenticationRequired : RESULT.waitingForPayer,
    detail: answer.kind === 'challenge' ? 'The payer has to authenticate with 3-D Secure.' : answer.detail,
    cause: context.cause,
    columns: {
      unknown_since: null,
      action: { ...action, expiresAt: waits_until.toISOString() },
      waits_until,
      flow_due_at: new Date(nextCheckMs(context, now, waits_until, now.getTime()) ?? waits_until),
    },
    attempt: { status: 'requires_action', reference: processorReference },
  };
}

/** A payer in front of a page has minutes; one who goes to a bank or a shop has days. */
function ttlOf(payment: PaymentRow, context: OutcomeContext): number {
  const { instrument } = payment.request;
  const isVoucher = instrument?.kind === 'apm' && instrument.scheme === 'voucher';
  return isVoucher || GOES_TO_A_BANK[payment.kind] ? context.payerTransferTtlMs : context.payerActionTtlMs;
}

const GOES_TO_A_BANK: Record<PaymentKind, boolean> = {
  card: false,
  wallet: false,
  upi: false,
  qr: false,
  apm: false,
  bank_transfer: true,
  direct_debit: false,
  crypto: false,
  hosted_page: false,
};

function moneyTaken(
  payment: PaymentRow,
  answer: Extract<PaymentStanding, { kind: 'authorized' | 'captured' }>,
  { cause, now, authorizationTtlMs }: OutcomeContext,
): PaymentChange {
  const { amountMinor, currency } = answer.money;
  const most = payment.status === 'authorized' ? payment.authorized_minor : payment.amount_minor;
  if (currency !== payment.currency || amountMinor > most || amountMinor <= 0n)
    return {
      to: payment.status === 'initiated' ? 'pending' : payment.status,
      resultCode: RESULT.internalError,
      detail: 'The processor reports another amount or currency than was asked for; under investigation.',
      cause,
      columns: { review_reason: 'amount differs at the processor', review_since: payment.review_since ?? now },
    };
  const columns = { unknown_since: null, action: null, waits_until: null };
  const attempt = { status: answer.kind, reference: answer.processorReference };
  if (answer.kind === 'authorized') {
    const fresh = payment.status !== 'authorized';
    const waits_until = fresh ? new Date(now.getTime() + authorizationTtlMs) : payment.waits_until;
    // A flow that waits for its processor has a timer of its own.
    const due = payment.capture_mode === 'manual' ? { flow_due_at: waits_until } : {};
    return {
      to: 'authorized',
      resultCode: RESULT.approved,
      detail: 'Authorized; waiting for the capture.',
      cause,
      columns: { ...columns, waits_until, ...due, ...(fresh ? { authorized_minor: amountMinor } : {}) },
      movements: fresh ? bookings.hold(payment, amountMinor) : [],
      attempt,
    };
  }
  return {
    to: 'captured',
    resultCode: RESULT.approved,
    detail: answer.detail ?? 'Approved and captured.',
    cause,
    columns: {
      ...columns,
      authorized_minor: payment.status === 'authorized' ? payment.authorized_minor : amountMinor,
      captured_minor: amountMinor,
    },
    movements: bookings.capture(payment, amountMinor),
    attempt,
  };
}

function outcomeUnknown(payment: PaymentRow, detail: string, context: OutcomeContext): PaymentChange {
  return {
    to: stillOpen(payment),
    resultCode: RESULT.outcomeUnknown,
    detail: `The outcome is being established: ${detail}.`,
    cause: context.cause,
    columns: {
      unknown_since: payment.unknown_since ?? context.now,
      ...(payment.status === 'authorized' ? {} : { action: null, waits_until: null }),
    },
    attempt: { status: stillOpen(payment) },
  };
}
