import type { Knex } from 'knex';
import { DomainError, notFound } from '../src/domain/errors';
import type { Money } from '../src/domain/money';
import { RESULT } from '../src/domain/result-codes';
import { isClosed } from '../src/domain/states/payment';
import { changeFor, changeForOperation, end, type OutcomeContext } from '../src/payments/outcome';
import type { OperationRow, PaymentRow } from '../src/payments/payment';
import { saveCard } from '../src/payments/saved-card';
import { applyChange, applyChangeAtOnce, type PaymentChange } from '../src/payments/transition';
import type { AuthorizeRequest, ProviderAnswer } from '../src/providers/connector';
import type { SealedCard } from '../src/vault/vault';
import type {
  CancelOrder,
  CaptureOrder,
  Intervention,
  OperatorResolution,
  PaymentInput,
  PaymentView,
} from '../workflows/contract';
import type { Dependencies } from './dependencies';

/**
 * The steps of a payment. Each may be repeated at any point: what was sent is known by a mark written before, and a
 * repeat asks the provider by our own reference before it sends again, under the same key.
 */
export function paymentActivities(deps: Dependencies) {
  const { database, timers } = deps;

  /** Sends a fresh payment to its provider and books the outcome. */
  async function submitPayment({ paymentId, tenantId }: PaymentInput): Promise<PaymentView> {
    const { rows } = await database.app.raw(
      'SELECT (c.payment).*, c.key_id, c.wrapped_key, c.sealed, c.cvv FROM payment_claim(?, ?) AS c',
      [tenantId, paymentId],
    );
    const claimed: (PaymentRow & SealedCard) | undefined = rows[0];
    if (!claimed) {
      // An earlier try got further than it could tell.
      deps.firstAnswers.tell(paymentId);
      return readView({ paymentId, tenantId });
    }
    const { key_id, wrapped_key, sealed, cvv, ...rest } = claimed;
    const payment = rest as PaymentRow;
    const card = payment.card_id ? deps.vault.open(payment.card_id, { key_id, wrapped_key, sealed, cvv }) : undefined;
    const connector = deps.connectors.get(payment.processor);
    let answer: ProviderAnswer | undefined;
    if (payment.attempts > 1) {
      const found = await connector.inquirePayment(payment.id);
      if (found.kind !== 'not_found') answer = found;
    }
    answer ??= await connector.authorize(authorizeRequest(payment, card));
    return settleAtOnce(payment, answer, 'authorize');
  }

  /**
   * Books an answer to a payment that has no capture or void under way, in one round trip and without reading it again;
   * step by step when it is no longer as it was read, or when a card is to be kept.
   */
  async function settleAtOnce(payment: PaymentRow, answer: ProviderAnswer, cause: string): Promise<PaymentView> {
    const change = changeFor(payment, answer, outcomeContext(cause));
    if (payment.request.storeCard) return settle(payment.id, payment.tenant_id, answer, cause);
    const awaited = deps.firstAnswers.isAwaited(payment.id);
    const besides = { forgetCvv: isDefinite(change.to), announce: !awaited };
    const moved = await applyChangeAtOnce(database, deps.ledger, payment, change, besides);
    if (!moved) return settle(payment.id, payment.tenant_id, answer, cause);
    deps.firstAnswers.tell(payment.id, moved);
    return viewOf(moved, false);
  }

  function outcomeContext(cause: string): OutcomeContext {
    return {
      cause,
      now: new Date(),
      inFlightMs: timers.providerInFlightMs,
      authorizationTtlMs: timers.authorizationTtlMs,
      payerActionTtlMs: timers.payerActionTtlMs,
    };
  }

  function authorizeRequest(payment: PaymentRow, card: AuthorizeRequest['card']): AuthorizeRequest {
    const { request } = payment;
    const recurring = request.recurring && {
      initial: request.recurring.initial === true,
      originalReference: request.recurring.originalPaymentId,
    };
    return {
      idempotencyKey: `payment/${payment.id}/authorize`,
      reference: payment.id,
      money: { amountMinor: payment.amount_minor, currency: payment.currency },
      capture: payment.capture_mode === 'automatic',
      card,
      threeDS: request.threeDS,
      recurring,
      browser: request.browser,
      returnUrl: request.returnUrl,
      descriptor: request.descriptor,
      payer: request.customer,
    };
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
      const context = outcomeContext(cause);
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

  /** Asks the provider by our reference what became of the payment. */
  async function inquirePayment({ paymentId, tenantId }: PaymentInput, tries: number): Promise<PaymentView> {
    const { payment, operation } = await read({ paymentId, tenantId });
    if (!payment || isClosed(payment.status)) return readView({ paymentId, tenantId });
    const connector = deps.connectors.get(payment.processor);
    const answer = await connector.inquirePayment(paymentId);
    const notYetDone = operation && answer.kind === 'authorized';
    const inFlight = operation && Date.now() - operation.sent_at.getTime() < timers.providerInFlightMs;
    if (notYetDone && inFlight) return readView({ paymentId, tenantId }, tries);
    if (notYetDone) return carryOut({ paymentId, tenantId }, { payment, operation }, tries);
    if (answer.kind === 'challenge' && payment.status === 'requires_action')
      return readView({ paymentId, tenantId }, tries);
    return settle(paymentId, tenantId, answer, 'inquiry', { tries });
  }

  /** Finishes 3-D Secure with what the access control server said. */
  async function authenticatePayment(input: PaymentInput, cres: string, cause: string): Promise<PaymentView> {
    const { payment, operation } = await read(input);
    if (!payment || (payment.status !== 'requires_action' && payment.status !== 'pending')) return readView(input);
    const answer = await deps.connectors.get(payment.processor).completeAuthentication({
      idempotencyKey: `payment/${payment.id}/authentication`,
      reference: payment.id,
      cres,
    });
    return operation ? settle(payment.id, input.tenantId, answer, cause) : settleAtOnce(payment, answer, cause);
  }

  /** The payer's time is up: asks once more, then cancels at the provider and ends the payment. */
  async function expirePayment(input: PaymentInput): Promise<PaymentView> {
    const { payment } = await read(input);
    if (!payment || isClosed(payment.status)) return readView(input);
    const connector = deps.connectors.get(payment.processor);
    const found = await connector.inquirePayment(payment.id);
    const abandoned = found.kind === 'challenge' || found.kind === 'pending';
    const uncaptured = payment.status === 'authorized' && found.kind === 'authorized';
    if (!abandoned && !uncaptured) return settle(payment.id, input.tenantId, found, 'inquiry');
    const answer = await connector.void({ idempotencyKey: `payment/${payment.id}/expire`, reference: payment.id });
    if (answer.kind !== 'voided') return settle(payment.id, input.tenantId, answer, 'expiry');
    return database.tenant(input.tenantId, async (trx) => {
      const current = await lockPayment(trx, payment.id);
      if (isClosed(current.status)) return viewIn(trx, current);
      const change = uncaptured
        ? end(current, 'expired', RESULT.expiredUnanswered, 'The authorization expired without a capture.', 'expiry')
        : end(
            current,
            'expired',
            RESULT.authenticationAbandoned,
            'The payer did not finish 3-D Secure in time.',
            'expiry',
          );
      return viewIn(trx, await record(trx, current, change));
    });
  }

  /** Captures an authorized payment, in part if so ordered; the rest is released. */
  async function capturePayment(input: PaymentInput, order: CaptureOrder): Promise<PaymentView> {
    const opened = await openOperation(input, order.operationId, 'capture', (payment) => {
      const amountMinor = order.amountMinor ?? payment.authorized_minor;
      if (amountMinor > payment.authorized_minor)
        throw new DomainError('capture_exceeds_authorized', 'the amount exceeds what was authorized');
      return amountMinor;
    });
    return carryOut(input, opened);
  }

  /** Cancels a payment that is not captured: voids it at the provider and releases the hold. */
  async function cancelPayment(input: PaymentInput, order: CancelOrder): Promise<PaymentView> {
    const opened = await openOperation(input, order.operationId, 'void', (payment) => payment.amount_minor);
    return carryOut(input, opened);
  }

  async function carryOut(
    input: PaymentInput,
    { payment, operation }: { payment: PaymentRow; operation: OperationRow },
    tries = 0,
  ): Promise<PaymentView> {
    if (operation.status !== 'pending') return readView(input);
    const answer = await send(payment, operation);
    return settle(input.paymentId, input.tenantId, answer, operation.kind, { tries, operation });
  }

  /** Writes down what is about to be asked of the provider. The same operation id finds what it wrote before. */
  async function openOperation(
    { paymentId, tenantId }: PaymentInput,
    operationId: string,
    kind: 'capture' | 'void',
    amountFor: (payment: PaymentRow) => bigint,
  ): Promise<{ payment: PaymentRow; operation: OperationRow }> {
    return database.tenant(tenantId, async (trx) => {
      const payment = await lockPayment(trx, paymentId);
      const known: OperationRow | undefined = await trx('payment_operations').where({ id: operationId }).first();
      if (known) return { payment, operation: known };
      const busy = await trx('payment_operations').where({ payment_id: paymentId, status: 'pending' }).first('kind');
      if (busy) throw new DomainError('invalid_state', `a ${busy.kind} of this payment is still running`);
      const allowed = kind === 'capture' ? payment.status === 'authorized' : !isClosed(payment.status);
      if (!allowed)
        throw new DomainError(
          'invalid_state',
          `a payment that is ${payment.status} cannot be ${kind === 'capture' ? 'captured' : 'cancelled'}`,
        );
      const [operation]: OperationRow[] = await trx('payment_operations')
        .insert({
          id: operationId,
          tenant_id: tenantId,
          payment_id: paymentId,
          kind,
          amount_minor: amountFor(payment),
          status: 'pending',
          cause: kind,
        })
        .returning('*');
      return { payment, operation: operation! };
    });
  }

  async function send(payment: PaymentRow, operation: OperationRow): Promise<ProviderAnswer> {
    const connector = deps.connectors.get(payment.processor);
    const call = { idempotencyKey: `payment/${payment.id}/${operation.id}`, reference: payment.id };
    if (operation.kind === 'void') return connector.void(call);
    return connector.capture({ ...call, money: { amountMinor: operation.amount_minor, currency: payment.currency } });
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

  /** Does what ops ask for, once who and why stand in the audit log and in the timeline. */
  async function intervene(input: PaymentInput, order: Intervention, operationId: string): Promise<PaymentView> {
    const view = await database.tenant(input.tenantId, async (trx) => {
      const payment = await lockPayment(trx, input.paymentId);
      const problem = await noteIntervention(trx, payment, order);
      return problem ? viewIn(trx, payment) : undefined;
    });
    if (view) return view;
    switch (order.kind) {
      case 'retry_now':
        return inquirePayment(input, 0);
      case 'cancel':
        // What the payment's state does not allow changes nothing; the flow goes on.
        return cancelPayment(input, { operationId }).catch((error: unknown) => {
          if (error instanceof DomainError) return readView(input);
          throw error;
        });
      case 'resolve_unknown':
        return resolvePayment(input, order);
    }
  }

  /** Answers why the intervention cannot be taken, if so. */
  async function noteIntervention(
    trx: Knex.Transaction,
    payment: PaymentRow,
    order: Intervention,
  ): Promise<string | undefined> {
    const complete = typeof order.operator === 'string' && order.operator !== '' && Boolean(order.reason);
    const fits = order.kind !== 'resolve_unknown' || (payment.unknown_since !== null && order.outcome in OUTCOMES);
    const problem = !complete ? 'operator and reason are required' : fits ? undefined : 'its outcome is not unknown';
    const refused = isClosed(payment.status) ? `it is ${payment.status}` : problem;
    await trx('audit_log').insert({
      tenant_id: payment.tenant_id,
      actor: `${order.operator}`,
      action: `payment.${order.kind}`,
      target: payment.id,
      result: refused ? 'refused' : 'accepted',
      detail: JSON.stringify({ reason: `${order.reason}`, refused }),
    });
    if (refused) return refused;
    await trx('payment_events').insert({
      payment_id: payment.id,
      tenant_id: payment.tenant_id,
      from_status: payment.status,
      to_status: payment.status,
      result_code: payment.result_code,
      cause: `operator ${order.operator}: ${order.kind}`,
      detail: order.reason,
    });
    return undefined;
  }

  function resolvePayment(input: PaymentInput, order: OperatorResolution): Promise<PaymentView> {
    return database.tenant(input.tenantId, async (trx) => {
      const payment = await lockPayment(trx, input.paymentId);
      if (isClosed(payment.status)) return viewIn(trx, payment);
      const amountMinor = payment.authorized_minor || payment.amount_minor;
      const answer = OUTCOMES[order.outcome](payment, { amountMinor, currency: payment.currency });
      const change = changeFor(payment, answer, outcomeContext(`operator ${order.operator}`));
      const moved = await record(trx, payment, change);
      await endOperation(trx, moved, answer, false);
      return viewIn(trx, moved);
    });
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
      ...(payment.review_reason ? { review: payment.review_reason } : {}),
    };
    const waitsUntilMs = payment.waits_until?.getTime();
    if (isClosed(payment.status)) return { ...view, waitsFor: 'nobody' };
    if (payment.status === 'requires_action') return { ...view, waitsFor: 'payer', waitsUntilMs };
    if (payment.status === 'authorized' && payment.capture_mode === 'manual' && !busy)
      return { ...view, waitsFor: 'merchant', waitsUntilMs };
    const askAgainMs = Math.min(timers.inquiryFirstMs * 2 ** Math.min(tries, 20), timers.inquiryMaxMs);
    return { ...view, waitsFor: 'provider', askAgainMs };
  }

  return {
    submitPayment,
    inquirePayment,
    authenticatePayment,
    expirePayment,
    capturePayment,
    cancelPayment,
    intervene,
    /** For the callback activities: books a provider's answer that came by callback. */
    settlePayment: settle,
    readPaymentView: readView,
  };
}

export type PaymentActivities = ReturnType<typeof paymentActivities>;

/** The payment, locked until the transaction ends. Throws DomainError `not_found`. */
export async function lockPayment(trx: Knex.Transaction, paymentId: string): Promise<PaymentRow> {
  const payment: PaymentRow | undefined = await trx('payments').where({ id: paymentId }).forUpdate().first();
  if (!payment) throw notFound('payment');
  return payment;
}

/** What ops may state about a payment whose provider does not tell. */
const OUTCOMES: Record<OperatorResolution['outcome'], (payment: PaymentRow, money: Money) => ProviderAnswer> = {
  captured: (payment, money) => ({ kind: 'captured', providerReference: payment.provider_reference ?? '', money }),
  nothing_charged: () => ({ kind: 'not_charged', detail: 'established by an operator' }),
};

/** A definite answer to the authorization: the CVV has done its work. */
function isDefinite(status: PaymentRow['status']): boolean {
  return status === 'authorized' || isClosed(status);
}
