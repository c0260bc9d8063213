import type { AuthorizeRequest, CardData, Instrument, ProcessorId, ProviderAnswer } from '../src/domain/connector';
import type { PaymentInput, PaymentView } from '../src/domain/flows';
import { RESULT, type ResultCode } from '../src/domain/result-codes';
import { isClosed } from '../src/domain/states/payment';
import type { SealedCard } from '../src/foundation/vault/vault';
import { end } from '../src/money/payments/outcome';
import { type PaymentRow, traceOf } from '../src/money/payments/payment';
import { withPictures } from '../src/money/payments/qr-pictures';
import { applyChangeAtOnce } from '../src/money/payments/transition';
import { holdVirtualAccount } from '../src/money/payments/virtual-accounts';
import type { Dependencies } from './dependencies';
import type { OperationActivities } from './operations';
import { lockPayment, type PaymentSettling } from './payment-settling';

/**
 * The steps of a payment. Each may be repeated at any point: what was sent is known by a mark written before, and a
 * repeat asks the provider by our own reference before it sends again, under the same key.
 */
export function paymentActivities(
  deps: Dependencies,
  { settle, settleAtOnce, record, inFlightMs, read, readView, viewIn }: PaymentSettling,
  { carryOut }: OperationActivities,
) {
  const { database } = deps;

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
    let answer: ProviderAnswer | undefined;
    if (payment.attempts > 1) {
      const found = await deps.connectors.get(payment.processor).inquirePayment(payment.id, traceOf(payment));
      if (found.kind !== 'not_found') answer = found;
    }
    return authorize(payment, card, answer);
  }

  /**
   * Asks the processors of the payment's route, one after the other, for as long as each says that it charged nothing;
   * every other answer is the payment's outcome. `answer`: what the first of them is known to have said.
   */
  async function authorize(
    fresh: PaymentRow,
    card: CardData | undefined,
    first: ProviderAnswer | undefined,
  ): Promise<PaymentView> {
    const instrument = await instrumentOf(fresh, card);
    let payment = fresh;
    let answer = first;
    for (;;) {
      answer ??= await deps.connectors.get(payment.processor).authorize(authorizeRequest(payment, instrument));
      const next = answer.kind === 'not_charged' ? nextProcessor(payment) : undefined;
      if (!next) break;
      const moved = await failOver(payment, next, 'detail' in answer ? `${answer.detail}` : '');
      if (!moved) return readView({ paymentId: payment.id, tenantId: payment.tenant_id });
      payment = moved;
      answer = undefined;
    }
    return settleAtOnce(payment, await prepared(payment, answer), 'authorize');
  }

  /** The next processor of the route; undefined after the last. */
  function nextProcessor(payment: PaymentRow): ProcessorId | undefined {
    const processors = payment.request.route?.processors ?? [];
    const at = processors.indexOf(payment.processor);
    return at < 0 ? undefined : processors[at + 1];
  }

  /** Hands the payment to the next processor, before anything is sent there. Undefined: somebody else moved it. */
  function failOver(payment: PaymentRow, next: ProcessorId, why: string): Promise<PaymentRow | undefined> {
    return applyChangeAtOnce(database, deps.ledger, payment, {
      to: payment.status,
      resultCode: RESULT.pending,
      detail: `Processor ${payment.processor} charged nothing (${why}); it goes to processor ${next} instead.`,
      cause: 'routing',
      columns: { processor: next, submitted_at: new Date(), unknown_since: null, provider_reference: null },
    });
  }

  /** What the payer sees needs its picture, and an account given to a payer has to be known when money arrives on it. */
  async function prepared(payment: PaymentRow, answer: ProviderAnswer): Promise<ProviderAnswer> {
    if (answer.kind !== 'payer_action') return answer;
    if (payment.kind === 'bank_transfer') await holdVirtualAccount(database, payment, answer.action);
    return { ...answer, action: await withPictures(answer.action) };
  }

  async function instrumentOf(payment: PaymentRow, card: CardData | undefined): Promise<Instrument> {
    const stored = payment.request.instrument;
    if (stored?.kind === 'direct_debit')
      return { kind: 'direct_debit', mandate: await deps.mandates.open(payment, stored.mandateId) };
    if (stored && stored.kind !== 'wallet') return stored;
    if (!card) throw new Error(`payment ${payment.id} has nothing to pay with`);
    if (!stored) return { kind: 'card', card };
    // The cryptogram of a wallet token lies where a CVV would: it is good once, and gone as soon.
    const { cvv: cryptogram, ...rest } = card;
    return { kind: 'wallet', wallet: stored.wallet, card: rest, cryptogram };
  }

  function authorizeRequest(payment: PaymentRow, instrument: Instrument): AuthorizeRequest {
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
      instrument,
      threeDS: request.threeDS,
      recurring,
      browser: request.browser,
      returnUrl: request.returnUrl,
      descriptor: request.descriptor,
      payer: request.customer,
    };
  }

  /** Asks the provider by our reference what became of the payment. */
  async function inquirePayment({ paymentId, tenantId }: PaymentInput, tries: number): Promise<PaymentView> {
    const { payment, operation } = await read({ paymentId, tenantId });
    if (!payment || isClosed(payment.status)) return readView({ paymentId, tenantId });
    const connector = deps.connectors.get(payment.processor);
    const answer = await connector.inquirePayment(paymentId, traceOf(payment));
    const notYetDone = operation && answer.kind === 'authorized';
    const inFlight = operation && Date.now() - operation.sent_at.getTime() < inFlightMs(payment);
    if (notYetDone && inFlight) return readView({ paymentId, tenantId }, tries);
    if (notYetDone) return carryOut({ paymentId, tenantId }, { payment, operation }, tries);
    if (answer.kind === 'challenge' && payment.status === 'requires_action')
      return readView({ paymentId, tenantId }, tries);
    if (answer.kind === 'not_found' && !operation && nextProcessor(payment) && wasDropped(payment))
      return sendElsewhere(payment, nextProcessor(payment)!);
    return settle(paymentId, tenantId, await prepared(payment, answer), 'inquiry', { tries });
  }

  /** "Not found" is an answer only once the request can no longer be on its way. */
  function wasDropped(payment: PaymentRow): boolean {
    const sentAt = payment.submitted_at ?? payment.created_at;
    return payment.status === 'pending' && Date.now() - sentAt.getTime() >= inFlightMs(payment);
  }

  async function sendElsewhere(payment: PaymentRow, next: ProcessorId): Promise<PaymentView> {
    const moved = await failOver(payment, next, 'it never got the request');
    if (!moved) return readView({ paymentId: payment.id, tenantId: payment.tenant_id });
    const card = moved.card_id ? await openCard(moved) : undefined;
    return authorize(moved, card, undefined);
  }

  async function openCard(payment: PaymentRow): Promise<CardData> {
    const sealed: SealedCard = await database.tenant(payment.tenant_id, (trx) =>
      trx('vault_cards as c')
        .leftJoin('vault_cvvs as v', (join) => join.on('v.card_id', 'c.id').andOn('v.expires_at', '>', trx.fn.now()))
        .where('c.id', payment.card_id)
        .first('c.key_id', 'c.wrapped_key', 'c.sealed', 'v.sealed as cvv'),
    );
    return deps.vault.open(payment.card_id!, sealed);
  }

  /** Finishes 3-D Secure with what the access control server said. */
  async function authenticatePayment(input: PaymentInput, cres: string, cause: string): Promise<PaymentView> {
    const { payment, operation } = await read(input);
    if (!payment || (payment.status !== 'requires_action' && payment.status !== 'pending')) return readView(input);
    const connector = deps.connectors.get(payment.processor);
    // Where the provider goes on by itself, it tells how in a callback of its own.
    if (!connector.completeAuthentication) return readView(input);
    const answer = await connector.completeAuthentication({
      idempotencyKey: `payment/${payment.id}/authentication`,
      reference: payment.id,
      cres,
    });
    return operation ? settle(payment.id, input.tenantId, answer, cause) : settleAtOnce(payment, answer, cause);
  }

  /**
   * The payer takes time, or has no more of it: asks the provider, and when the time is up cancels there and ends the
   * payment.
   */
  async function expirePayment(input: PaymentInput): Promise<PaymentView> {
    const { payment } = await read(input);
    if (!payment || isClosed(payment.status)) return readView(input);
    const connector = deps.connectors.get(payment.processor);
    const found = await connector.inquirePayment(payment.id, traceOf(payment));
    const waiting = found.kind === 'challenge' || found.kind === 'payer_action';
    const hasTime = (payment.waits_until?.getTime() ?? 0) > Date.now() + CLOCK_MARGIN_MS;
    if (hasTime && waiting) return readView(input);
    const abandoned = waiting || found.kind === 'pending';
    const uncaptured = payment.status === 'authorized' && found.kind === 'authorized';
    if (hasTime || (!abandoned && !uncaptured)) return settle(payment.id, input.tenantId, found, 'inquiry');
    const answer = await connector.void({
      idempotencyKey: `payment/${payment.id}/expire`,
      reference: payment.id,
      trace: traceOf(payment),
    });
    if (answer.kind !== 'voided') return settle(payment.id, input.tenantId, answer, 'expiry');
    return database.tenant(input.tenantId, async (trx) => {
      const current = await lockPayment(trx, payment.id);
      if (isClosed(current.status)) return viewIn(trx, current);
      const [code, detail] = expiryOf(uncaptured, current);
      return viewIn(trx, await record(trx, current, end(current, 'expired', code, detail, 'expiry')));
    });
  }

  return { submitPayment, inquirePayment, authenticatePayment, expirePayment };
}

export type PaymentActivities = ReturnType<typeof paymentActivities>;

/** Timers of the engine and our clock need not agree to the last moment. */
const CLOCK_MARGIN_MS = 1_000;

function expiryOf(uncaptured: boolean, payment: PaymentRow): [ResultCode, string] {
  if (uncaptured) return [RESULT.expiredUnanswered, 'The authorization expired without a capture.'];
  if (payment.result_code === RESULT.waitingForPayer)
    return [RESULT.expiredUnanswered, 'The payer did not pay in time.'];
  return [RESULT.authenticationAbandoned, 'The payer did not finish 3-D Secure in time.'];
}
