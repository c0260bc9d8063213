import type { Callback, CallbackEffect } from '../../../domain/callback';
import type { ProcessorEvent } from '../../../domain/connector';
import { type EventAbout, isAbout } from '../../../domain/event-subject';
import type { PaymentInput, PaymentView } from '../../../domain/flows';
import type { Money } from '../../../domain/money';
import type { PaymentStanding } from '../../../domain/processor-answers';
import { RESULT } from '../../../domain/result-codes';
import { canPaymentBecome, isClosed } from '../../../domain/states/payment';
import type { AttemptRow } from '../attempt';
import type { OperationRow, PaymentRow } from '../payment';
import { becauseOf } from '../timeline-causes';
import { authenticatePayment } from './authenticate';
import type { Authorizing } from './authorize';
import { bookAnswer } from './book-answer';
import { paymentView, readPaymentView, type Standing } from './flow-view';
import { inquirePayment } from './inquire';

/**
 * What a callback does to a payment which was only just read. The table of moves decides; the rest is kept and noted. `notes`:
 * what became of the callback may be noted with what it changes.
 */
export async function hearPaymentCallback(
  deps: Authorizing,
  input: PaymentInput,
  callback: Callback,
  { payment, attempt, operation, notes = true }: Standing & { notes?: boolean },
): Promise<CallbackEffect<PaymentView>> {
  const { event } = callback;
  const cause = becauseOf.callback(callback);
  if (!payment)
    return { view: await readPaymentView(deps, input), end: 'ignored', detail: 'the payment was taken back' };
  const view = paymentView(deps, payment, { isBusy: operation !== undefined });
  // It came between the end of the payment and that of its flow: late, as one that comes after both. What another
  // processor says than the one that serves the payment is about something that should not have been.
  if (isClosed(payment.status) || callback.processor !== payment.processor)
    return { view: { ...view, callbackIsLate: true } };
  if ((event.type === 'authenticated' || event.type === 'authentication_failed') && event.cres)
    return authenticatePayment(deps, { payment, attempt, operation, notes }, { ...callback, cres: event.cres }, cause);
  const verdict = judge(payment, event, { attempt, operation });
  switch (verdict.kind) {
    case 'ask':
      return { view: await inquirePayment(deps, input, 0), end: 'applied' };
    case 'ignored':
    case 'flagged':
      return { view, end: verdict.kind, detail: verdict.why };
    case 'answer':
      return { view: await bookAnswer(deps, input, verdict.answer, cause), end: 'applied' };
  }
}

/** Whether a callback may move a payment, and what it says: what the processor would answer, were it asked now. */
export type Verdict =
  | { kind: 'answer'; answer: PaymentStanding }
  /** It says that something happened, and not what that makes of the payment. */
  | { kind: 'ask' }
  | { kind: 'ignored' | 'flagged'; why: string };

/** Pure. `event` is of the processor that serves the payment, which is still open. */
export function judge(
  payment: PaymentRow,
  event: ProcessorEvent,
  { attempt, operation }: { attempt?: AttemptRow; operation?: OperationRow } = {},
): Verdict {
  const meaning = isAbout('payment', event.type) ? MEANINGS[event.type] : null;
  if (meaning === 'ask') return { kind: 'ask' };
  if (event.money && isOfAnotherAmount(payment, event.money))
    return { kind: 'flagged', why: 'amount or currency differs from ours' };
  if (meaning === null)
    return { kind: 'ignored', why: `${event.type} changes nothing for a payment that is ${payment.status}` };
  // Without an amount it says that what was asked for is done, and no more.
  const ordered = operation?.kind === 'capture' ? operation.amount_minor : undefined;
  const amountMinor = ordered ?? (payment.authorized_minor || payment.amount_minor);
  return meaning(payment, event, {
    processorReference: event.processorReference ?? attempt?.processor_reference ?? '',
    money: event.money ?? { amountMinor, currency: payment.currency },
  });
}

type Meaning = (
  payment: PaymentRow,
  event: ProcessorEvent,
  stated: { processorReference: string; money: Money },
) => Verdict;

const answered = (answer: PaymentStanding): Verdict => ({ kind: 'answer', answer });
const KNOWN: Verdict = { kind: 'ignored', why: 'authorized already' };
const cannotFail = (kind: 'ignored' | 'flagged', { status }: PaymentRow): Verdict => ({
  kind,
  why: `a payment that is ${status} cannot fail`,
});

const captured: Meaning = (_payment, { detail }, stated) => answered({ kind: 'captured', ...stated, detail });

/** What each event means for a payment that is open; null: nothing. */
const MEANINGS: Record<EventAbout<'payment'>, Meaning | 'ask' | null> = {
  authorized: ({ status }, _event, stated) =>
    status === 'authorized' ? KNOWN : answered({ kind: 'authorized', ...stated }),
  captured,
  settled: captured,
  voided: (_payment, _event, { processorReference }) => answered({ kind: 'voided', processorReference }),
  processing: ({ status }, { reason }, { processorReference }) =>
    status === 'authorized'
      ? KNOWN
      : answered({ kind: 'pending', processorReference, detail: reason ?? 'The processor works on it.' }),
  // From a processor that authenticates by itself: its last word on the payment.
  authentication_failed: (payment, { reason }) =>
    canPaymentBecome(payment.status, 'failed')
      ? answered({ kind: 'authentication_failed', detail: reason ?? '3-D Secure authentication failed.' })
      : cannotFail('ignored', payment),
  failed: (payment, { code, reason, isSoft }) => {
    if (!canPaymentBecome(payment.status, 'failed')) return cannotFail('flagged', payment);
    // It may be about the request that was sent without 3-D Secure.
    if (isSoft) return { kind: 'ask' };
    const detail = reason ?? 'Declined by the processor.';
    return answered({ kind: 'declined', code: code ?? RESULT.declined, detail });
  },
  transfer_received: 'ask',
  // Without the issuer's word there is nothing to finish 3-D Secure with: the processor goes on by itself.
  authenticated: null,
  pending: null,
  unknown: null,
};

/** A payment captured as a whole has one amount; one captured by hand has at most what was authorized. */
export function isOfAnotherAmount(payment: PaymentRow, money: Money): boolean {
  if (money.currency !== payment.currency) return true;
  const most = payment.status === 'authorized' ? payment.authorized_minor : payment.amount_minor;
  return payment.capture_mode === 'automatic' ? money.amountMinor !== payment.amount_minor : money.amountMinor > most;
}
