import type { ProcessorId } from '../providers/connector';
import type { Books, Charge, Line, Refund } from './books';
import { makeId } from './books';
import type { CallbackSender } from './callbacks';
import { behaviourOf, brandOf, type DeclineReason, decide, isCardNumber, isExpired } from './cards';
import { readChallengeResponse, writeChallengeResponse } from './challenge-response';
import type { Notice, NoticeEvent } from './notice';
import { Refusal } from './refusal';
import type { Timers } from './timers';

export interface AcquirerTimes {
  /** From the capture to the chargeback of test card 4000000000000259. */
  chargebackAfterMs: number;
  /** From the charge to the callback of test card 4000000000006975. */
  lateOutcomeMs: number;
  /** From the refund to its decline, test card 4000000000005126. */
  refundDeclineMs: number;
  /** How long a payer may take. */
  challengeTtlMs: number;
}

/** A payment order, whatever wire it came over. The card number is read, and forgotten. */
export interface Order {
  reference: string;
  idempotencyKey: string;
  amountMinor: bigint;
  currency: string;
  capture: boolean;
  card: { number: string; expiryMonth: string; expiryYear: string };
  threeDS: 'auto' | 'required' | 'none';
  /** The payer is not there: a follow-up payment by agreement. */
  merchantInitiated: boolean;
  returnUrl?: string;
  descriptor?: string;
}

interface AcquirerParts {
  processor: ProcessorId;
  secret: string;
  books: Books;
  callbacks: CallbackSender;
  timers: Timers;
  times: AcquirerTimes;
  /** What the processor keeps of a capture, in minor units. */
  feeOf: (amountMinor: bigint) => bigint;
}

/**
 * What one simulated processor does with payments. Every method is one step: it runs without waiting, so that two
 * requests never mix, and its changes stand in the journal when it returns. Throws Refusal.
 */
export class Acquirer {
  constructor(private readonly parts: AcquirerParts) {}

  /** Undefined: the connection is to be closed, and nothing was done. */
  authorize(order: Order): Charge | undefined {
    if (!isCardNumber(order.card.number)) throw new Refusal('invalid_card', 'The card number is not valid.');
    const behaviour = behaviourOf(order.card.number);
    const decision = decide(behaviour, {
      authenticate: order.threeDS !== 'none' && !order.merchantInitiated,
      required: order.threeDS === 'required',
      expired: isExpired(order.card.expiryMonth, order.card.expiryYear, new Date()),
    });
    if (decision.kind === 'close_connection') return undefined;
    const charge: Charge = {
      id: makeId(`p${this.parts.processor}`),
      processor: this.parts.processor,
      reference: order.reference,
      idempotencyKey: order.idempotencyKey,
      amountMinor: order.amountMinor,
      currency: order.currency,
      capture: order.capture,
      status: 'authorized',
      capturedMinor: 0n,
      refundedMinor: 0n,
      refundingMinor: 0n,
      chargedBackMinor: 0n,
      settled: false,
      card: { brand: brandOf(order.card.number), last4: order.card.number.slice(-4), behaviour },
      returnUrl: order.returnUrl,
      descriptor: order.descriptor,
      createdAt: new Date().toISOString(),
    };
    this.parts.books.atomically(() => {
      switch (decision.kind) {
        case 'approve':
          charge.frictionless = decision.frictionless;
          this.approve(charge);
          if (decision.frictionless) this.tell('authenticated', charge);
          if (behaviour === 'never_answer') this.tellLate(charge);
          break;
        case 'challenge':
          charge.status = 'challenge';
          charge.challenge = {
            id: makeId('acs'),
            expiresAt: new Date(Date.now() + this.parts.times.challengeTtlMs).toISOString(),
          };
          break;
        case 'decline':
          this.decline(charge, decision.reason);
          break;
        case 'fail_authentication':
          charge.status = 'authentication_failed';
          this.tell('authentication_failed', charge);
      }
      this.parts.books.save('charge', charge);
    });
    return charge;
  }

  /**
   * The payer's answer on the challenge page. The first one counts. `told` resolves when the other side was tried once.
   * A charge that no longer waits for its payer is returned as it is.
   */
  answerChallenge(charge: Charge, outcome: 'authenticated' | 'failed'): { told: Promise<void> } {
    const { challenge } = charge;
    if (!challenge || challenge.outcome || this.refresh(charge).status !== 'challenge')
      return { told: Promise.resolve() };
    return this.parts.books.atomically(() => {
      challenge.outcome = outcome;
      // Without authentication the issuer never approves, whatever the merchant's side does next.
      if (outcome === 'failed') charge.status = 'authentication_failed';
      this.parts.books.save('charge', charge);
      const notice = this.notice('challenge_answered', charge);
      const transStatus = outcome === 'authenticated' ? 'Y' : 'N';
      notice.cres = writeChallengeResponse(
        {
          acsTransID: challenge.id,
          reference: charge.reference,
          transStatus,
          eventId: notice.eventId,
          occurredAt: notice.occurredAt,
        },
        this.parts.secret,
      );
      return { told: this.parts.callbacks.enqueue(notice) };
    });
  }

  /** Goes on with a payment whose payer was challenged. One that is over is returned as it is. */
  completeAuthentication(reference: string, cres: string): Charge {
    const response = readChallengeResponse(cres, this.parts.secret);
    const charge = response && this.parts.books.chargeOfChallenge(response.acsTransID);
    if (!charge || charge.reference !== reference || charge.processor !== this.parts.processor)
      throw new Refusal('invalid_request', 'The challenge response is not one of ours for this payment.');
    if (charge.status !== 'challenge') return charge;
    this.parts.books.atomically(() => {
      if (charge.card?.behaviour === 'challenge_then_decline') this.decline(charge, 'do_not_honour');
      else this.approve(charge);
      this.parts.books.save('charge', charge);
    });
    return charge;
  }

  /** Captures all or a part once; the rest of the authorization is released. */
  capture(reference: string, amountMinor: bigint, currency: string): Charge {
    const charge = this.find(reference);
    if (charge.status !== 'authorized') throw new Refusal('invalid_state', 'The payment is not waiting for a capture.');
    if (currency !== charge.currency || amountMinor > charge.amountMinor || amountMinor === 0n)
      throw new Refusal('amount_exceeded', 'Only up to the authorized amount can be captured, in its currency.');
    this.parts.books.atomically(() => {
      this.book(charge, amountMinor);
      this.parts.books.save('charge', charge);
    });
    return charge;
  }

  cancel(reference: string): Charge {
    const charge = this.find(reference);
    if (charge.status === 'cancelled') return charge;
    if (charge.status !== 'authorized' && charge.status !== 'challenge')
      throw new Refusal('invalid_state', 'Only a payment that is not captured can be cancelled.');
    charge.status = 'cancelled';
    this.parts.books.save('charge', charge);
    return charge;
  }

  refund(paymentReference: string, order: { reference: string; amountMinor: bigint; currency: string }): Refund {
    const charge = this.find(paymentReference);
    if (this.parts.books.refund(this.parts.processor, order.reference))
      throw new Refusal('duplicate_reference', 'There is a refund with this reference.');
    const left = untouched(charge);
    if (order.currency !== charge.currency || order.amountMinor > left || order.amountMinor === 0n)
      throw new Refusal('amount_exceeded', 'Only up to what is left of the captured amount can be refunded.');
    const declines = charge.card?.behaviour === 'decline_refund';
    const refund: Refund = {
      id: makeId(`r${this.parts.processor}`),
      processor: this.parts.processor,
      reference: order.reference,
      paymentReference,
      chargeId: charge.id,
      amountMinor: order.amountMinor,
      currency: order.currency,
      status: declines ? 'pending' : 'refunded',
      createdAt: new Date().toISOString(),
    };
    this.parts.books.atomically(() => {
      if (declines) {
        charge.refundingMinor += refund.amountMinor;
        this.declineLater(refund);
      } else {
        charge.refundedMinor += refund.amountMinor;
        this.addLine('refund', charge, refund.reference, refund.amountMinor, 0n);
      }
      this.parts.books.save('charge', charge);
      this.parts.books.save('refund', refund);
    });
    return refund;
  }

  /** Takes money back from the merchant. Answers the notice of it, not sent yet; undefined when nothing is left. */
  chargeBack(charge: Charge, amountMinor?: bigint): Notice | undefined {
    const left = untouched(charge);
    const amount = amountMinor ?? left;
    if (amount <= 0n || amount > left) return undefined;
    const reason = 'goods_not_received';
    const { id: chargeId, processor, reference, currency } = charge;
    const caseId = makeId('case');
    return this.parts.books.atomically(() => {
      charge.caseId = caseId;
      charge.chargedBackMinor += amount;
      this.addLine('chargeback', charge, charge.reference, amount, 0n);
      const dispute = { id: caseId, processor, chargeId, reference, amountMinor: amount, currency, reason };
      this.parts.books.save('dispute', { ...dispute, stage: 'open', isBack: false, evidence: [] });
      this.parts.books.save('charge', charge);
      return { ...this.notice('charged_back', charge), amountMinor: amount, reason };
    });
  }

  /** Throws Refusal `not_found`. */
  find(reference: string): Charge {
    const charge = this.parts.books.charge(this.parts.processor, reference);
    if (!charge) throw new Refusal('not_found', 'There is no such payment.');
    return this.refresh(charge);
  }

  findRefund(reference: string): Refund {
    const refund = this.parts.books.refund(this.parts.processor, reference);
    if (!refund) throw new Refusal('not_found', 'There is no such refund.');
    return refund;
  }

  /** Takes up after a restart what was to happen later. */
  resume(): void {
    const { books, processor } = this.parts;
    for (const charge of books.all('charge'))
      if (charge.processor === processor && charge.capturedMinor > 0n) this.chargeBackLater(charge);
    for (const refund of books.all('refund'))
      if (refund.processor === processor && refund.status === 'pending') this.declineLater(refund);
  }

  /** A notice about a charge as it stands. */
  notice(event: NoticeEvent, charge: Charge): Notice {
    return {
      eventId: makeId('evt'),
      processor: this.parts.processor,
      event,
      reference: charge.reference,
      paymentReference: charge.reference,
      providerReference: charge.id,
      amountMinor: charge.capturedMinor > 0n ? charge.capturedMinor : charge.amountMinor,
      currency: charge.currency,
      caseId: charge.caseId,
      occurredAt: new Date().toISOString(),
    };
  }

  /** Ends a challenge that nobody answered in time. Answers the same charge. */
  refresh(charge: Charge): Charge {
    const { challenge } = charge;
    if (
      charge.status !== 'challenge' ||
      !challenge ||
      challenge.outcome ||
      Date.parse(challenge.expiresAt) > Date.now()
    )
      return charge;
    charge.status = 'authentication_failed';
    this.parts.books.save('charge', charge);
    return charge;
  }

  private approve(charge: Charge): void {
    charge.status = 'authorized';
    // A zero amount verifies the card: there is nothing to capture.
    if (charge.capture && charge.amountMinor > 0n) this.book(charge, charge.amountMinor);
  }

  private decline(charge: Charge, reason: DeclineReason): void {
    charge.status = 'declined';
    charge.reason = reason;
  }

  private book(charge: Charge, amountMinor: bigint): void {
    charge.status = 'captured';
    charge.capturedMinor = amountMinor;
    charge.capturedAt = new Date().toISOString();
    this.addLine('capture', charge, charge.reference, amountMinor, this.parts.feeOf(amountMinor));
    this.chargeBackLater(charge);
  }

  /** What the next settlement batch will hold. */
  addLine(kind: Line['kind'], charge: Charge, reference: string, amountMinor: bigint, feeMinor: bigint): void {
    const { processor, books } = this.parts;
    const { id: chargeId, currency, reference: paymentReference } = charge;
    books.save('line', {
      id: makeId('line'),
      processor,
      chargeId,
      kind,
      reference,
      paymentReference,
      amountMinor,
      currency,
      feeMinor,
    });
  }

  private tell(event: NoticeEvent, charge: Charge): void {
    this.parts.callbacks.enqueue(this.notice(event, charge));
  }

  private tellLate(charge: Charge): void {
    const event = charge.status === 'captured' ? 'captured' : 'authorized';
    this.parts.callbacks.enqueue(this.notice(event, charge), this.parts.times.lateOutcomeMs);
  }

  private chargeBackLater(charge: Charge): void {
    if (charge.card?.behaviour !== 'charge_back' || charge.caseId || !charge.capturedAt) return;
    const dueMs = Date.parse(charge.capturedAt) + this.parts.times.chargebackAfterMs - Date.now();
    this.parts.timers.after(dueMs, () =>
      this.parts.books.atomically(() => {
        if (charge.caseId) return;
        const notice = this.chargeBack(charge);
        if (notice) this.parts.callbacks.enqueue(notice);
      }),
    );
  }

  private declineLater(refund: Refund): void {
    const { books, callbacks, timers, times } = this.parts;
    timers.after(Date.parse(refund.createdAt) + times.refundDeclineMs - Date.now(), () =>
      books.atomically(() => {
        const charge = books.get('charge', refund.chargeId);
        if (!charge) return;
        refund.status = 'declined';
        charge.refundingMinor -= refund.amountMinor;
        books.save('refund', refund);
        books.save('charge', charge);
        callbacks.enqueue(this.refundNotice('refund_declined', refund));
      }),
    );
  }

  refundNotice(event: NoticeEvent, refund: Refund): Notice {
    return {
      eventId: makeId('evt'),
      processor: this.parts.processor,
      event,
      reference: refund.reference,
      paymentReference: refund.paymentReference,
      providerReference: refund.id,
      amountMinor: refund.amountMinor,
      currency: refund.currency,
      occurredAt: new Date().toISOString(),
    };
  }
}

/** What is neither refunded nor disputed. */
function untouched(charge: Charge): bigint {
  const { capturedMinor, refundedMinor, refundingMinor, chargedBackMinor, contestedMinor = 0n } = charge;
  return capturedMinor - refundedMinor - refundingMinor - chargedBackMinor - contestedMinor;
}
