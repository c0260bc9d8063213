import type { PaymentKind, ProcessorId } from '../../domain/connector';
import type { Books, Challenge, Charge, Line, PageOutcome, Refund } from './books';
import { makeId } from './books';
import type { CallbackSender } from './callbacks';
import {
  behaviourOf,
  brandOf,
  type Decision,
  type DeclineReason,
  decide,
  decideByAmount,
  isCardNumber,
  isExpired,
} from './cards';
import { readChallengeResponse, writeChallengeResponse } from './challenge-response';
import type { Notice, NoticeEvent } from './notice';
import { Refusal } from './refusal';
import type { Timers } from './timers';

export interface AcquirerTimes {
  /** From the capture to the chargeback of test card 4000000000000259, and to the return of a direct debit. */
  chargebackAfterMs: number;
  /** From the charge to the callback of test card 4000000000006975. */
  lateOutcomeMs: number;
  /** From the refund to its decline, test card 4000000000005126. */
  refundDeclineMs: number;
  /** How long a payer may take. */
  challengeTtlMs: number;
  /** No payer gets longer, whatever the order says. */
  longestPayerTtlMs?: number;
}

/** A payment order, whatever wire it came over. The card number is read, and forgotten. */
export interface Order {
  reference: string;
  idempotencyKey: string;
  amountMinor: bigint;
  currency: string;
  capture: boolean;
  kind: PaymentKind;
  /** Of cards, and of wallet tokens. */
  card?: { number: string; expiryMonth: string; expiryYear: string };
  threeDS: 'auto' | 'required' | 'none';
  /** The payer is not there: a follow-up payment by agreement. */
  merchantInitiated: boolean;
  returnUrl?: string;
  descriptor?: string;
  /** Of direct debits: what becomes of it at the payer's bank, where it is not simply paid. */
  collection?: Charge['collection'];
  /** How long the payer may take, where that is not the usual time. */
  payerTtlMs?: number;
  /** What the processor keeps of the order, or tells the payer: an account, an address, a mandate. */
  details?: Record<string, string>;
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
  authenticatesItself?: boolean;
  stepsOf?: (kind: PaymentKind) => { steps: number; everyMs: number } | undefined;
}

/**
 * What one simulated processor does with payments. Every method is one step: it runs without waiting, so that two
 * requests never mix, and its changes stand in the journal when it returns. Throws Refusal.
 */
export class Acquirer {
  constructor(private readonly parts: AcquirerParts) {}

  /** Undefined: the connection is to be closed, and nothing was done. */
  authorize(order: Order): Charge | undefined {
    const decision = this.decide(order);
    if (decision.kind === 'close_connection') return undefined;
    const charge: Charge = {
      id: makeId(`p${this.parts.processor}`),
      processor: this.parts.processor,
      reference: order.reference,
      idempotencyKey: order.idempotencyKey,
      amountMinor: order.amountMinor,
      currency: order.currency,
      capture: order.capture,
      kind: order.kind,
      status: 'authorized',
      capturedMinor: 0n,
      refundedMinor: 0n,
      refundingMinor: 0n,
      chargedBackMinor: 0n,
      settled: false,
      card: order.card && cardKept(order.card.number),
      collection: order.collection,
      details: order.details,
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
          if (charge.card ? charge.card.behaviour === 'never_answer' : true) this.keepSilent(charge);
          break;
        case 'challenge':
          this.askPayer(charge, 'challenge', order.payerTtlMs);
          break;
        case 'proceed':
          // A collection needs nobody; everything else waits for its payer.
          if (order.kind === 'direct_debit') this.process(charge);
          else this.askPayer(charge, 'waiting', order.payerTtlMs);
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
   * The payer's answer on the page. The first one counts. `told` resolves when the other side was tried once.
   * A charge that no longer waits for its payer is returned as it is, unless money may still be sent for it.
   */
  answerPage(charge: Charge, outcome: PageOutcome): { told: Promise<void> } {
    const { challenge } = charge;
    this.refresh(charge);
    if (challenge && (charge.status === 'waiting' || takesLateMoney(charge)))
      return this.parts.books.atomically(() => ({ told: this.pay(charge, challenge, outcome) }));
    if (!challenge || challenge.outcome || charge.status !== 'challenge') return { told: Promise.resolve() };
    return this.parts.books.atomically(() => {
      challenge.outcome = outcome;
      // Without authentication the issuer never approves, whatever the merchant's side does next.
      if (outcome !== 'authenticated') charge.status = 'authentication_failed';
      this.parts.books.save('charge', charge);
      return { told: this.parts.authenticatesItself ? this.proceed(charge) : this.tellChallenge(charge, challenge) };
    });
  }

  /** Whether somebody may still do something on the charge's page. */
  awaitsPayer(charge: Charge): boolean {
    const { status, challenge } = this.refresh(charge);
    if (status === 'challenge') return challenge?.outcome === undefined;
    return challenge !== undefined && (status === 'waiting' || takesLateMoney(charge));
  }

  private tellChallenge(charge: Charge, challenge: Challenge): Promise<void> {
    const notice = this.notice('challenge_answered', charge);
    notice.cres = writeChallengeResponse(
      {
        acsTransID: challenge.id,
        reference: charge.reference,
        transStatus: challenge.outcome === 'authenticated' ? 'Y' : 'N',
        eventId: notice.eventId,
        occurredAt: notice.occurredAt,
      },
      this.parts.secret,
    );
    return this.parts.callbacks.enqueue(notice);
  }

  /** A processor that authenticates by itself charges as soon as it has, and tells how that went. */
  private proceed(charge: Charge): Promise<void> {
    if (charge.status === 'authentication_failed')
      return this.parts.callbacks.enqueue(this.notice('authentication_failed', charge));
    this.afterAuthentication(charge);
    this.parts.books.save('charge', charge);
    const event = charge.status === 'declined' ? 'failed' : charge.status === 'captured' ? 'captured' : 'authorized';
    return this.parts.callbacks.enqueue({ ...this.notice(event, charge), reason: charge.reason });
  }

  private afterAuthentication(charge: Charge): void {
    if (charge.card?.behaviour === 'challenge_then_decline') this.decline(charge, 'do_not_honour');
    else this.approve(charge);
  }

  /** The payer pays on a page: all of it, too little, too much, or not at all. */
  private pay(charge: Charge, challenge: Challenge, outcome: PageOutcome): Promise<void> {
    const { books, callbacks } = this.parts;
    charge.late = charge.status === 'cancelled';
    if (outcome === 'failed') {
      if (charge.late) return Promise.resolve();
      this.decline(charge, 'payer_refused');
      books.save('charge', charge);
      return callbacks.enqueue({ ...this.notice('failed', charge), reason: charge.reason });
    }
    const missing = charge.amountMinor - (charge.receivedMinor ?? 0n);
    const sent =
      outcome === 'underpaid' ? (missing + 1n) / 2n : outcome === 'overpaid' ? missing + (missing + 9n) / 10n : missing;
    charge.receivedMinor = (charge.receivedMinor ?? 0n) + sent;
    const received = { ...this.notice('received', charge), amountMinor: sent };
    // Nobody waits for the rest of a payment that has ended: what came is there, and waits to be given back.
    if (charge.receivedMinor < charge.amountMinor && !charge.late) {
      books.save('charge', charge);
      return callbacks.enqueue(received);
    }
    challenge.outcome = outcome;
    if (this.parts.stepsOf?.(charge.kind ?? 'card')) {
      this.process(charge);
      books.save('charge', charge);
      return callbacks.enqueue({ ...this.notice('processing', charge), reason: stepsOf(charge) });
    }
    this.approve(charge);
    books.save('charge', charge);
    return callbacks.enqueue(charge.kind === 'bank_transfer' ? received : this.taken(charge));
  }

  /** What is told when the money is there, or will not come: of late money, that it came. */
  private taken(charge: Charge): Notice {
    if (charge.late) return this.notice('received', charge);
    if (charge.status === 'declined') return { ...this.notice('failed', charge), reason: charge.reason };
    return this.notice(charge.status === 'captured' ? 'captured' : 'authorized', charge);
  }

  /** Makes an event about a payment that was never paid come true: its payer paid, or gave up, elsewhere. */
  settleElsewhere(charge: Charge, event: 'captured' | 'authorized' | 'failed'): void {
    if (charge.card || (charge.status !== 'waiting' && charge.status !== 'processing' && charge.status !== 'cancelled'))
      return;
    this.parts.books.atomically(() => {
      if (event === 'failed') this.decline(charge, 'payer_refused');
      else this.approve(charge);
      this.parts.books.save('charge', charge);
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
      this.afterAuthentication(charge);
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
    const isOpen = charge.status === 'authorized' || charge.status === 'challenge' || charge.status === 'waiting';
    if (!isOpen && !isBeforeSubmission(charge))
      throw new Refusal('invalid_state', 'Only a payment that is not captured can be cancelled.');
    charge.status = 'cancelled';
    // What came in so far goes back to the payer.
    charge.receivedMinor = undefined;
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
    const reason = charge.kind === 'direct_debit' ? 'refund_asked_by_debtor' : 'goods_not_received';
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
    for (const charge of books.all('charge')) {
      if (charge.processor !== processor) continue;
      if (charge.capturedMinor > 0n) this.chargeBackLater(charge);
      if (charge.status === 'processing') this.stepLater(charge);
    }
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
      kind: charge.kind,
      providerReference: charge.id,
      amountMinor: charge.capturedMinor > 0n ? charge.capturedMinor : charge.amountMinor,
      currency: charge.currency,
      receivedMinor: charge.receivedMinor,
      caseId: charge.caseId,
      details: charge.details,
      occurredAt: new Date().toISOString(),
    };
  }

  /** Ends a challenge that nobody answered in time. Answers the same charge. */
  refresh(charge: Charge): Charge {
    const { challenge } = charge;
    const waits = charge.status === 'challenge' || charge.status === 'waiting';
    if (!waits || !challenge || challenge.outcome || Date.parse(challenge.expiresAt) > Date.now()) return charge;
    charge.status = charge.status === 'challenge' ? 'authentication_failed' : 'cancelled';
    this.parts.books.save('charge', charge);
    return charge;
  }

  private decide(order: Order): Decision | { kind: 'proceed' } {
    const { card } = order;
    if (!card) return decideByAmount(order.amountMinor);
    if (!isCardNumber(card.number)) throw new Refusal('invalid_card', 'The card number is not valid.');
    return decide(behaviourOf(card.number), {
      // The wallet has authenticated its owner already.
      authenticate: order.kind === 'card' && order.threeDS !== 'none' && !order.merchantInitiated,
      required: order.threeDS === 'required',
      expired: isExpired(card.expiryMonth, card.expiryYear, new Date()),
    });
  }

  private askPayer(charge: Charge, status: 'challenge' | 'waiting', ttlMs = this.parts.times.challengeTtlMs): void {
    charge.status = status;
    const takesMs = Math.min(ttlMs, this.parts.times.longestPayerTtlMs ?? ttlMs);
    charge.challenge = { id: makeId('acs'), expiresAt: new Date(Date.now() + takesMs).toISOString() };
  }

  /** Charged, and the answer never leaves; a late callback tells. */
  private keepSilent(charge: Charge): void {
    charge.silent = true;
    this.tellLate(charge);
  }

  /** Starts the steps between the payer's part and the money. */
  private process(charge: Charge): void {
    charge.status = 'processing';
    charge.steps = { done: 0, of: this.parts.stepsOf?.(charge.kind ?? 'card')?.steps ?? 1 };
    this.stepLater(charge);
  }

  private stepLater(charge: Charge): void {
    const { books, callbacks, timers, stepsOf: plan } = this.parts;
    timers.after(plan?.(charge.kind ?? 'card')?.everyMs ?? 0, () =>
      books.atomically(() => {
        if (charge.status !== 'processing' || !charge.steps) return;
        charge.steps.done += 1;
        const isLast = charge.steps.done >= charge.steps.of;
        if (isLast) this.takeLastStep(charge);
        else this.stepLater(charge);
        books.save('charge', charge);
        const step = { ...this.notice('processing', charge), reason: stepsOf(charge) };
        callbacks.enqueue(isLast ? this.taken(charge) : step);
      }),
    );
  }

  private takeLastStep(charge: Charge): void {
    if (charge.collection && charge.collection !== 'returned') this.decline(charge, charge.collection);
    else this.approve(charge);
  }

  private approve(charge: Charge): void {
    charge.status = 'authorized';
    // A zero amount verifies the card: there is nothing to capture.
    const amountMinor = charge.late ? (charge.receivedMinor ?? 0n) : charge.amountMinor;
    if (charge.capture && amountMinor > 0n) this.book(charge, amountMinor);
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
    const comes = charge.card?.behaviour === 'charge_back' || charge.collection === 'returned';
    if (!comes || charge.caseId || !charge.capturedAt) return;
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

function cardKept(number: string): NonNullable<Charge['card']> {
  return { brand: brandOf(number), last4: number.slice(-4), behaviour: behaviourOf(number) };
}

/** A bank or a chain cannot keep money from arriving for a payment that is no longer wanted. */
function takesLateMoney(charge: Charge): boolean {
  return charge.status === 'cancelled' && (charge.kind === 'bank_transfer' || charge.kind === 'crypto');
}

/** A collection can be taken back until it goes to the payer's bank, which is its last step but one. */
function isBeforeSubmission({ kind, status, steps }: Charge): boolean {
  return kind === 'direct_debit' && status === 'processing' && steps !== undefined && steps.done < steps.of - 1;
}

/** Such as `1 of 2`. */
function stepsOf({ steps }: Charge): string {
  return `${steps?.done ?? 0} of ${steps?.of ?? 1}`;
}
