import type { Knex } from 'knex';
import type { ProviderAnswer } from '../src/domain/connector';
import type { OperatorNote, RefundInput, RefundView } from '../src/domain/flows';
import { RESULT } from '../src/domain/result-codes';
import { statusAfterCapture } from '../src/domain/states/payment';
import { appendAuditLine } from '../src/foundation/audit-log/audit-log';
import * as bookings from '../src/money/payments/bookings';
import type { PaymentChange } from '../src/money/payments/change';
import { enqueueNotices } from '../src/money/payments/notices';
import { type PaymentRow, type RefundRow, traceOf } from '../src/money/payments/payment';
import { presentRefund } from '../src/money/payments/present';
import { presentTopupRefund } from '../src/money/payments/present-topup';
import { undoRefund } from '../src/money/payments/topup-steps';
import { applyChange } from '../src/money/payments/transition';
import type { Dependencies } from './dependencies';
import { lockPayment } from './payment-settling';

/** The steps of a refund. Its amount was reserved before its workflow started, so it always fits. */
export function refundActivities(deps: Dependencies) {
  const { database, timers } = deps;

  /** Sends a refund to the provider and books the outcome. A repeat asks first. */
  async function submitRefund(input: RefundInput): Promise<RefundView> {
    const claimed = await database.tenant(input.tenantId, async (trx) => {
      const [refund]: RefundRow[] = await trx('refunds')
        .where({ id: input.refundId, status: 'pending' })
        .update({
          attempts: trx.raw('attempts + 1'),
          submitted_at: trx.raw('coalesce(submitted_at, clock_timestamp())'),
        })
        .returning('*');
      const payment: PaymentRow | undefined = await trx('payments').where({ id: input.paymentId }).first();
      return refund && payment ? { refund, payment } : undefined;
    });
    if (!claimed) return readView(input);
    const { refund, payment } = claimed;
    const found = refund.attempts > 1 ? await ask(refund, payment) : undefined;
    return settleRefund(input, found ?? (await send(refund, payment)), 'refund', 0);
  }

  /** Asks the provider what became of the refund; one it never got is sent again under the same key. */
  async function inquireRefund(input: RefundInput, tries: number): Promise<RefundView> {
    const { refund, payment } = await database.tenant(input.tenantId, async (trx) => ({
      refund: (await trx('refunds').where({ id: input.refundId }).first()) as RefundRow,
      payment: (await trx('payments').where({ id: input.paymentId }).first()) as PaymentRow,
    }));
    if (refund.status !== 'pending') return readView(input);
    const answer = (await ask(refund, payment)) ?? (await send(refund, payment));
    return settleRefund(input, answer, 'inquiry', tries);
  }

  /** The provider's word on the refund; undefined when it does not know it. */
  async function ask(refund: RefundRow, payment: PaymentRow): Promise<ProviderAnswer | undefined> {
    const answer = await deps.connectors.get(payment.processor).inquireRefund(refund.id, traceOf(payment));
    return answer.kind === 'not_found' ? undefined : answer;
  }

  function send(refund: RefundRow, payment: PaymentRow): Promise<ProviderAnswer> {
    return deps.connectors.get(payment.processor).refund({
      idempotencyKey: `refund/${refund.id}`,
      paymentReference: payment.id,
      refundReference: refund.id,
      trace: traceOf(payment),
      money: { amountMinor: refund.amount_minor, currency: refund.currency },
    });
  }

  /** Books what an answer means for a refund that is still pending. */
  async function settleRefund(
    input: RefundInput,
    answer: ProviderAnswer,
    cause: string,
    tries: number,
  ): Promise<RefundView> {
    return database.tenant(input.tenantId, async (trx) => {
      const payment = await lockPayment(trx, input.paymentId);
      const refund: RefundRow = await trx('refunds').where({ id: input.refundId }).forUpdate().first();
      if (refund.status !== 'pending') return viewOf(refund, tries);
      const moved = await outcome(trx, payment, refund, answer, cause);
      await deps.firstAnswers.announce(trx, refund.id);
      return viewOf(moved, tries);
    });
  }

  async function outcome(
    trx: Knex.Transaction,
    payment: PaymentRow,
    refund: RefundRow,
    answer: ProviderAnswer,
    cause: string,
  ): Promise<RefundRow> {
    const reserved = payment.refund_reserved_minor - refund.amount_minor;
    if (answer.kind === 'refunded' && differs(refund, answer.money))
      return update(trx, refund, {
        status_detail: 'The provider reports another amount than was refunded; under investigation.',
        review_since: refund.review_since ?? new Date(),
      });
    if (answer.kind === 'refunded') {
      const refunded = payment.refunded_minor + refund.amount_minor;
      const succeeded = await update(trx, refund, {
        status: 'succeeded',
        result_code: RESULT.refunded,
        status_detail: 'Refunded.',
        cause,
        unknown_since: null,
      });
      const change: PaymentChange = {
        to: statusAfterCapture({
          capturedMinor: payment.captured_minor,
          refundedMinor: refunded,
          chargedBackMinor: payment.charged_back_minor,
          settled: payment.settled_at !== null,
        }),
        resultCode: RESULT.refunded,
        detail: refunded === payment.captured_minor ? 'Refunded in full.' : 'Refunded in part.',
        cause: `refund ${refund.id}`,
        columns: { refunded_minor: refunded, refund_reserved_minor: reserved },
        transfers: bookings.refund(payment, refund, 'post'),
      };
      await applyChange(trx, deps.ledger, payment, change, { tells: { refund: presented(succeeded) } });
      return succeeded;
    }
    if (answer.kind === 'refund_declined' || answer.kind === 'declined') {
      const undone = refund.taken_from ? await undoRefund(trx, payment, refund) : [];
      const unchanged = await applyChange(trx, deps.ledger, payment, {
        to: payment.status,
        resultCode: payment.result_code,
        detail: payment.status_detail,
        cause: `refund ${refund.id} declined`,
        columns: { refund_reserved_minor: reserved },
        transfers: [...bookings.refund(payment, refund, 'void'), ...undone],
      });
      const declined = await update(trx, refund, {
        status: 'declined',
        result_code: RESULT.refundDeclined,
        status_detail: answer.detail,
        cause,
        unknown_since: null,
      });
      await enqueueNotices(trx, [unchanged], 'refund.declined', { refund: presented(declined) });
      return declined;
    }
    const unknownSince = refund.unknown_since ?? new Date();
    const overdue = Date.now() - unknownSince.getTime() >= timers.reviewAfterMs;
    return update(trx, refund, {
      result_code: answer.kind === 'pending' ? RESULT.pending : RESULT.outcomeUnknown,
      status_detail: 'detail' in answer ? answer.detail : 'The outcome is being established.',
      unknown_since: unknownSince,
      review_since: refund.review_since ?? (overdue ? new Date() : null),
    });
  }

  /** Writes down who asked for another try, and why. */
  async function noteRefundIntervention(input: RefundInput, note: OperatorNote): Promise<void> {
    await database.tenant(input.tenantId, (trx) =>
      appendAuditLine(trx, {
        tenantId: input.tenantId,
        actor: `${note.operator}`,
        action: 'refund.retry_now',
        target: input.refundId,
        result: 'accepted',
        detail: { reason: `${note.reason}` },
      }),
    );
  }

  async function readView(input: RefundInput): Promise<RefundView> {
    return database.tenant(input.tenantId, async (trx) =>
      viewOf(await trx('refunds').where({ id: input.refundId }).first(), 0),
    );
  }

  function viewOf(refund: RefundRow, tries: number): RefundView {
    const askAgainMs = Math.min(timers.inquiryFirstMs * 2 ** Math.min(tries, 20), timers.inquiryMaxMs);
    return {
      status: refund.status,
      detail: refund.status_detail,
      sinceMs: (refund.submitted_at ?? refund.created_at).getTime(),
      ...(refund.status === 'pending' ? { askAgainMs } : {}),
      ...(refund.review_since ? { review: 'outcome unknown for too long' } : {}),
    };
  }

  return { submitRefund, inquireRefund, settleRefund, noteRefundIntervention };
}

const presented = (refund: RefundRow) => (refund.taken_from ? presentTopupRefund(refund) : presentRefund(refund));

function differs(refund: RefundRow, money: { amountMinor: bigint; currency: string }): boolean {
  return money.currency !== refund.currency || money.amountMinor !== refund.amount_minor;
}

async function update(trx: Knex.Transaction, refund: RefundRow, columns: Partial<RefundRow>): Promise<RefundRow> {
  const [row]: RefundRow[] = await trx('refunds')
    .where({ id: refund.id })
    .update({ ...columns, updated_at: trx.raw('clock_timestamp()') })
    .returning('*');
  return row!;
}
