import type { Knex } from 'knex';
import type { Callback, CallbackEffect } from '../../../domain/callback';
import type { ProcessorEvent } from '../../../domain/connector';
import { type EventAbout, isAbout } from '../../../domain/event-subject';
import type { OperatorNote, RefundInput, RefundView } from '../../../domain/flows';
import { growingPauseMs } from '../../../domain/pauses';
import type { RefundAnswer, RefundStanding } from '../../../domain/processor-answers';
import { appendAuditLine } from '../../../foundation/audit-log/audit-log';
import type { Config } from '../../../foundation/config/config';
import type { Database } from '../../../foundation/db/database';
import type { FirstAnswers } from '../../../foundation/temporal/first-answer';
import type { Ledger } from '../../ledger/ledger';
import { findAttempt } from '../attempt';
import { endIntervention, noteSentToEngine, orderedBy } from '../intervention';
import { lockPayment, type PaymentRow, type RefundRow } from '../payment';
import { recordRefundAnswer } from '../refund-outcome';
import { becauseOf, type TimelineCause } from '../timeline-causes';
import { askAboutRefund, type Refund, type Sending, sendRefund } from './send';

/** The steps of a refund. Its amount was reserved before its flow started, so it always fits. */
export interface Refunding extends Sending {
  database: Database;
  ledger: Ledger;
  firstAnswers: FirstAnswers;
}

/** Sends a refund to the processor and books the outcome. A repeat asks first. */
export async function submitRefund(deps: Refunding, input: RefundInput): Promise<RefundView> {
  const claimed = await deps.database.tenant(input.tenantId, async (trx) => {
    const [refund]: RefundRow[] = await trx('refunds')
      .where({ id: input.refundId, status: 'pending' })
      .update({
        attempts: trx.raw('attempts + 1'),
        submitted_at: trx.raw('coalesce(submitted_at, clock_timestamp())'),
      })
      .returning('*');
    return refund && readRefund(trx, refund);
  });
  if (!claimed) return readRefundView(deps, input);
  const found = claimed.refund.attempts > 1 ? await askAboutRefund(deps, claimed) : undefined;
  return bookRefundAnswer(deps, input, found ?? (await sendRefund(deps, claimed)), 'refund');
}

/** The refund with its payment, and the attempt that took the money. */
export async function readRefund(trx: Knex.Transaction, refund: RefundRow): Promise<Refund> {
  const payment: PaymentRow = await trx('payments').where({ id: refund.payment_id }).first();
  return { refund, payment, attempt: await findAttempt(trx, payment, refund.processor ?? undefined) };
}

/** Asks the processor what became of the refund; one it never got is sent again under the same key. */
export async function inquireRefund(deps: Refunding, input: RefundInput, tries: number): Promise<RefundView> {
  const known = await deps.database.tenant(input.tenantId, async (trx) =>
    readRefund(trx, await trx('refunds').where({ id: input.refundId }).first()),
  );
  if (known.refund.status !== 'pending') return readRefundView(deps, input);
  const answer = (await askAboutRefund(deps, known)) ?? (await sendRefund(deps, known));
  return bookRefundAnswer(deps, input, answer, 'inquiry', tries);
}

/** What a callback does to a refund whose flow is running. */
export async function hearRefundCallback(
  deps: Refunding,
  input: RefundInput,
  callback: Callback,
): Promise<CallbackEffect<RefundView>> {
  const { event } = callback;
  const { refund, payment } = await deps.database.tenant(input.tenantId, async (trx) =>
    readRefund(trx, await trx('refunds').where({ id: input.refundId }).first()),
  );
  if (callback.processor !== (refund.processor ?? payment.processor))
    return { view: await readRefundView(deps, input), end: 'flagged', detail: 'another processor makes this refund' };
  const answer = isAbout('refund', event.type) ? SAYS[event.type](event) : undefined;
  const view = await bookRefundAnswer(
    deps,
    input,
    answer ?? { kind: 'pending', detail: 'The processor works on the refund.' },
    becauseOf.callback(callback),
  );
  return { view, end: answer ? 'applied' : 'ignored' };
}

/** What each event says of a refund. Any other says, at most, that the processor works on it. */
const SAYS: Record<EventAbout<'refund'>, (event: ProcessorEvent) => RefundStanding | undefined> = {
  refunded: ({ processorReference = '', money }) => money && { kind: 'refunded', processorReference, money },
  refund_declined: ({ reason }) => ({
    kind: 'refund_declined',
    detail: reason ?? 'The processor declined the refund.',
  }),
};

/** Books what an answer means for a refund that is still pending, and tells whoever waits. */
export async function bookRefundAnswer(
  { database, ledger, timers, firstAnswers }: Omit<Refunding, 'connectors'>,
  input: RefundInput,
  answer: RefundAnswer,
  cause: TimelineCause,
  tries = 0,
): Promise<RefundView> {
  return database.tenant(input.tenantId, async (trx) => {
    const payment = await lockPayment(trx, input.paymentId);
    const refund: RefundRow = await trx('refunds').where({ id: input.refundId }).forUpdate().first();
    if (refund.status !== 'pending') return viewOf(timers, refund, tries);
    const { reviewAfterMs } = timers;
    const moved = await recordRefundAnswer(trx, ledger, { payment, refund }, answer, { cause, reviewAfterMs });
    await firstAnswers.announce(trx, refund.id);
    return viewOf(timers, moved, tries);
  });
}

/**
 * Writes down who asked for another try, and why. An intervention of an operator may say how the refund ended: that is
 * booked at once.
 */
export async function noteRefundIntervention(
  { database, ledger, timers }: Pick<Refunding, 'database' | 'ledger' | 'timers'>,
  { tenantId, refundId, paymentId }: RefundInput,
  note: OperatorNote,
): Promise<void> {
  await database.tenant(tenantId, async (trx) => {
    const payment = await lockPayment(trx, paymentId);
    const refund: RefundRow = await trx('refunds').where({ id: refundId }).forUpdate().first();
    const found = await orderedBy(trx, note, {
      subjectIds: [refundId],
      acts: ['ask_again', 'resolve'],
      step: refundId,
    });
    if (found.ordered === 'repeat' || found.ordered === 'taken') return;
    const refused = refund.status === 'pending' ? undefined : `it has ${refund.status}`;
    if (found.ordered === 'none')
      return noteSentToEngine(trx, { tenantId, action: 'refund.retry_now', target: refundId }, note, refused);
    const { row } = found;
    await appendAuditLine(trx, {
      tenantId,
      actor: row.ordered_by,
      action: row.act === 'resolve' ? 'refund.resolve_unknown' : 'refund.retry_now',
      target: refundId,
      result: refused ? 'refused' : 'accepted',
      detail: { reason: row.reason, refused, interventionId: row.id },
    });
    await endIntervention(trx, row, refundId, refused);
    if (row.act !== 'resolve' || refused) return;
    const answer: RefundAnswer =
      row.outcome === 'refunded'
        ? {
            kind: 'refunded',
            processorReference: row.processor_reference ?? '',
            money: { amountMinor: refund.amount_minor, currency: refund.currency },
          }
        : { kind: 'refund_declined', detail: 'It was not made, as an operator has established.' };
    const told = { cause: becauseOf.operator(row.ordered_by), reviewAfterMs: timers.reviewAfterMs };
    await recordRefundAnswer(trx, ledger, { payment, refund }, answer, told);
  });
}

/** The view of a refund as it stands. */
export async function readRefundView({ database, timers }: Refunding, input: RefundInput): Promise<RefundView> {
  return database.tenant(input.tenantId, async (trx) =>
    viewOf(timers, await trx('refunds').where({ id: input.refundId }).first(), 0),
  );
}

function viewOf(timers: Config['timers'], refund: RefundRow, tries: number): RefundView {
  const askAgainMs = growingPauseMs(timers.inquiryFirstMs, tries, timers.inquiryMaxMs);
  return {
    status: refund.status,
    detail: refund.status_detail,
    sinceMs: (refund.submitted_at ?? refund.created_at).getTime(),
    ...(refund.status === 'pending' ? { askAgainMs } : {}),
    ...(refund.review_since ? { review: 'outcome unknown for too long' } : {}),
  };
}
