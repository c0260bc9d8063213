import type { Knex } from 'knex';
import type { ProviderAnswer } from '../src/domain/connector';
import { notFound } from '../src/domain/errors';
import type { PaymentInput, PaymentView } from '../src/domain/flows';
import { isClosed } from '../src/domain/states/payment';
import type { PaymentChange } from '../src/money/payments/change';
import { changeFor, changeForOperation, type OutcomeContext } from '../src/money/payments/outcome';
import type { OperationRow, PaymentRow } from '../src/money/payments/payment';
import { saveCard } from '../src/money/payments/saved-card';
import { applyChange, applyChangeAtOnce } from '../src/money/payments/transition';
import type { Dependencies } from './dependencies';

/** How what a provider says becomes a payment's state, and how its flow sees the payment then. */
export function paymentSettling(deps: Dependencies) {
  const { database, timers } = deps;

  /**
   * Books an answer to a payment that has no capture or void under way, in one round trip and without reading it again;
   * step by step when it is no longer as it was read, or when a card is to be kept.
   */
  async function settleAtOnce(payment: PaymentRow, answer: ProviderAnswer, cause: string): Promise<PaymentView> {
    const change = changeFor(payment, answer, outcomeContext(cause, inFlightMs(payment)));
    if (payment.request.storeCard) return settle(payment.id, payment.tenant_id, answer, cause);
    const awaited = deps.firstAnswers.isAwaited(payment.id);
    const besides = { forgetCvv: isDefinite(change.to), announce: !awaited };
    const moved = await applyChangeAtOnce(database, deps.ledger, payment, change, besides);
    if (!moved) return settle(payment.id, payment.tenant_id, answer, cause);
    deps.firstAnswers.tell(payment.id, moved);
    return viewOf(moved, false);
  }

  /**
   * Books what an answer means, if the payment is still where that answer matters; tells whoever waits.
   * The row is locked, so that a callback and an inquiry that arrive together are taken one after the other.
   */
  async function settle(
    paymentId: string,
    tenantId: string,
    answer: ProviderAnswer,
    cause: string,
    { tries = 0, operation }: { tries?: number; operation?: OperationRow } = {},
  ): Promise<PaymentView> {
    return database.tenant(tenantId, async (trx) => {
      const payment = await lockPayment(trx, paymentId);
      if (isClosed(payment.status)) return viewIn(trx, payment, tries);
      const context = outcomeContext(cause, inFlightMs(payment));
      const change = operation
        ? changeForOperation(payment, operation.kind, answer, context)
        : changeFor(payment, answer, context);
      const moved = await record(trx, payment, flagWhenLongUnknown(payment, change));
      // A payment that was only just sent has no capture or void of its own yet.
      if (cause !== 'authorize') await endOperation(trx, moved, answer, operation !== undefined);
      return viewIn(trx, moved, tries);
    });
  }

  /** Applies a change with what belongs to it: the CVV goes on a definite answer, a card is kept where asked for. */
  async function record(trx: Knex.Transaction, payment: PaymentRow, change: PaymentChange): Promise<PaymentRow> {
    const isNews =
      change.to !== payment.status ||
      change.resultCode !== payment.result_code ||
      (change.columns?.review_since ?? payment.review_since) !== payment.review_since;
    if (!isNews && change.detail === payment.status_detail) return payment;
    const approved = change.to === 'authorized' || change.to === 'captured';
    const token =
      approved && payment.request.storeCard && !payment.card_token ? await saveCard(trx, payment) : undefined;
    const columns = token ? { ...change.columns, card_token: token } : change.columns;
    const forgetCvv = payment.card_id !== null && payment.status !== 'authorized' && isDefinite(change.to);
    const moved = await applyChange(trx, deps.ledger, payment, { ...change, columns }, { forgetCvv });
    await deps.firstAnswers.announce(trx, payment.id);
    return moved;
  }

  function flagWhenLongUnknown(payment: PaymentRow, change: PaymentChange): PaymentChange {
    const since = change.columns?.unknown_since;
    if (!since || payment.review_since || Date.now() - since.getTime() < timers.reviewAfterMs) return change;
    const columns = { ...change.columns, review_reason: 'outcome unknown for too long', review_since: new Date() };
    return { ...change, columns };
  }

  /** Closes the running operation once the provider's answer decides it. */
  async function endOperation(
    trx: Knex.Transaction,
    payment: PaymentRow,
    answer: ProviderAnswer,
    answersOperation: boolean,
  ): Promise<void> {
    const decided = answersOperation && answer.kind !== 'unknown' && answer.kind !== 'pending';
    if (!decided && !isClosed(payment.status)) return;
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

  /** How long after the last send the processor of a payment may not know it yet, in milliseconds. */
  function inFlightMs({ processor }: PaymentRow): number {
    return Math.max(timers.processorInFlightMs, deps.connectors.get(processor).inFlightMs ?? 0);
  }

  function outcomeContext(cause: string, inFlightMs = timers.processorInFlightMs): OutcomeContext {
    return {
      cause,
      now: new Date(),
      inFlightMs,
      authorizationTtlMs: timers.authorizationTtlMs,
      payerActionTtlMs: timers.payerActionTtlMs,
      payerTransferTtlMs: timers.payerTransferTtlMs,
    };
  }

  /** The payment and the capture or void under way, in one round trip. */
  async function read({
    paymentId,
    tenantId,
  }: PaymentInput): Promise<{ payment?: PaymentRow; operation?: OperationRow }> {
    const { rows } = await database.app.raw(
      `SELECT (r.payment).*, (r.operation).id AS operation_id, (r.operation).kind AS operation_kind,
         (r.operation).amount_minor AS operation_amount_minor, (r.operation).cause AS operation_cause,
         (r.operation).sent_at AS operation_sent_at FROM payment_read(?, ?) AS r`,
      [tenantId, paymentId],
    );
    if (!rows[0]) return {};
    const { operation_id, operation_kind, operation_amount_minor, operation_cause, operation_sent_at, ...payment } =
      rows[0];
    if (operation_id === null) return { payment };
    const operation: OperationRow = {
      id: operation_id,
      tenant_id: tenantId,
      payment_id: paymentId,
      kind: operation_kind,
      amount_minor: operation_amount_minor,
      status: 'pending',
      cause: operation_cause,
      sent_at: operation_sent_at,
    };
    return { payment, operation };
  }

  async function readView(input: PaymentInput, tries = 0): Promise<PaymentView> {
    const { payment, operation } = await read(input);
    if (!payment)
      return { status: 'withdrawn', resultCode: 0, detail: 'The request was taken back.', waitsFor: 'nobody' };
    return viewOf(payment, operation !== undefined, tries);
  }

  /** The view of a payment, looking up whether a capture or void is under way where that matters. */
  async function viewIn(trx: Knex.Transaction, payment: PaymentRow, tries = 0): Promise<PaymentView> {
    const busy =
      payment.status === 'authorized' &&
      (await trx('payment_operations').where({ payment_id: payment.id, status: 'pending' }).first('id'));
    return viewOf(payment, Boolean(busy), tries);
  }

  function viewOf(payment: PaymentRow, busy: boolean, tries = 0): PaymentView {
    const view = {
      status: payment.status,
      resultCode: payment.result_code,
      detail: payment.status_detail,
      sinceMs: payment.updated_at.getTime(),
      ...(payment.review_reason ? { review: payment.review_reason } : {}),
    };
    const waitsUntilMs = payment.waits_until?.getTime();
    if (isClosed(payment.status)) return { ...view, waitsFor: 'nobody' };
    if (payment.status === 'requires_action')
      return { ...view, waitsFor: 'payer', waitsUntilMs, checkAtMs: nextCheck(payment) };
    if (payment.status === 'authorized' && payment.capture_mode === 'manual' && !busy)
      return { ...view, waitsFor: 'merchant', waitsUntilMs };
    const askAgainMs = Math.min(timers.inquiryFirstMs * 2 ** Math.min(tries, 20), timers.inquiryMaxMs);
    return { ...view, waitsFor: 'provider', askAgainMs };
  }

  /** A callback may have been lost: while the payer takes time, the provider is asked too, with doubling pauses. */
  function nextCheck(payment: PaymentRow): number | undefined {
    const since = payment.updated_at.getTime();
    let pause = timers.payerInquiryFirstMs;
    while (pause > 0 && since + pause <= Date.now()) pause *= 2;
    const check = since + pause;
    return pause > 0 && check < (payment.waits_until?.getTime() ?? Number.POSITIVE_INFINITY) ? check : undefined;
  }

  return { settle, settleAtOnce, record, endOperation, inFlightMs, outcomeContext, read, readView, viewIn };
}

export type PaymentSettling = ReturnType<typeof paymentSettling>;

/** The payment, locked until the transaction ends. Throws DomainError `not_found`. */
export async function lockPayment(trx: Knex.Transaction, paymentId: string): Promise<PaymentRow> {
  const payment: PaymentRow | undefined = await trx('payments').where({ id: paymentId }).forUpdate().first();
  if (!payment) throw notFound('payment');
  return payment;
}

/** A definite answer to the authorization: the CVV has done its work. */
function isDefinite(status: PaymentRow['status']): boolean {
  return status === 'authorized' || isClosed(status);
}
