import type { PaymentKind, ProcessorId } from '../../domain/connector';
import type { Exemption } from '../../domain/exemption';
import type { Money } from '../../domain/money';
import type { Books } from './books';
import type { CallbackSender } from './callbacks';
import { behaviourOf, brandOf, type Decision, decide, decideByAmount, isCardNumber, isExpired } from './cards';
import { type Charges, untouched } from './charges';
import { noticeOf, refundNoticeOf } from './notice';
import type { Payers } from './payers';
import { type Charge, makeId, type Refund } from './records';
import { Refusal } from './refusal';
import type { Timers } from './timers';

export interface AcquirerTimes {
  /** From the charge to the callback of test card 4000000000006975. */
  lateOutcomeMs: number;
  /** From the refund to its decline, test card 4000000000005126. */
  refundDeclineMs: number;
}

/** A payment order, whatever wire it came over. The card number is read, and forgotten. */
export interface Order extends Money {
  reference: string;
  idempotencyKey: string;
  capture: boolean;
  kind: PaymentKind;
  /** Of cards, and of wallet tokens. */
  card?: { number: string; expiryMonth: string; expiryYear: string };
  threeDS: 'auto' | 'required' | 'none';
  /** Why its payer need not authenticate, as the order says. */
  exemption?: Exemption;
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
  books: Books;
  callbacks: CallbackSender;
  timers: Timers;
  charges: Charges;
  payers: Payers;
  times: AcquirerTimes;
}

/**
 * What one simulated processor does when it is asked to. Every method is one step: it runs without waiting, so that two
 * requests never mix, and its changes stand in the journal when it returns. Throws Refusal.
 */
export class Acquirer {
  constructor(private readonly parts: AcquirerParts) {}

  /** Undefined: the connection is to be closed, and nothing was done. */
  authorize(order: Order): Charge | undefined {
    const decision = decisionOn(order);
    if (decision.kind === 'close_connection') return undefined;
    const { books, charges, payers } = this.parts;
    const charge = this.tried(newCharge(this.parts.processor, order));
    books.atomically(() => {
      switch (decision.kind) {
        case 'approve':
          charge.frictionless = decision.frictionless;
          charges.approve(charge);
          if (decision.frictionless) charges.tell('authenticated', charge);
          if (charge.card ? charge.card.behaviour === 'never_answer' : true) this.keepSilent(charge);
          break;
        case 'challenge':
          payers.ask(charge, 'challenge', order.payerTtlMs);
          break;
        case 'proceed':
          // A collection needs nobody; everything else waits for its payer.
          if (order.kind === 'direct_debit') charges.process(charge);
          else payers.ask(charge, 'waiting', order.payerTtlMs);
          break;
        case 'decline':
          charges.decline(charge, decision.reason);
          break;
        case 'fail_authentication':
          charge.status = 'authentication_failed';
          charges.tell('authentication_failed', charge);
      }
      books.save('charge', charge);
    });
    return charge;
  }

  /** An order that the issuer declined for want of authentication is tried once more: it is one charge. */
  private tried(charge: Charge): Charge {
    const before = this.parts.books.charge(charge.processor, charge.reference);
    const isSame = before?.amountMinor === charge.amountMinor && before.currency === charge.currency;
    return before && isSoftDeclined(before) && isSame
      ? { ...charge, id: before.id, createdAt: before.createdAt, refusedExemption: before.exemption }
      : charge;
  }

  /** Captures all or a part once; the rest of the authorization is released. */
  capture(reference: string, amountMinor: bigint, currency: string): Charge {
    const charge = this.find(reference);
    if (charge.status !== 'authorized') throw new Refusal('invalid_state', 'The payment is not waiting for a capture.');
    if (currency !== charge.currency || amountMinor > charge.amountMinor || amountMinor === 0n)
      throw new Refusal('amount_exceeded', 'Only up to the authorized amount can be captured, in its currency.');
    this.parts.books.atomically(() => {
      this.parts.charges.book(charge, amountMinor);
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

  refund(paymentReference: string, order: Money & { reference: string }): Refund {
    const { processor, books, charges } = this.parts;
    const charge = this.find(paymentReference);
    if (books.refund(processor, order.reference))
      throw new Refusal('duplicate_reference', 'There is a refund with this reference.');
    if (order.currency !== charge.currency || order.amountMinor > untouched(charge) || order.amountMinor === 0n)
      throw new Refusal('amount_exceeded', 'Only up to what is left of the captured amount can be refunded.');
    const declines = charge.card?.behaviour === 'decline_refund';
    const refund: Refund = {
      id: makeId(`r${processor}`),
      processor,
      reference: order.reference,
      paymentReference,
      chargeId: charge.id,
      amountMinor: order.amountMinor,
      currency: order.currency,
      status: declines ? 'pending' : 'refunded',
      createdAt: new Date().toISOString(),
    };
    books.atomically(() => {
      if (declines) {
        charge.refundingMinor += refund.amountMinor;
        this.declineLater(refund);
      } else {
        charge.refundedMinor += refund.amountMinor;
        charges.addLine('refund', charge, refund.reference, refund.amountMinor, 0n);
      }
      books.save('charge', charge);
      books.save('refund', refund);
    });
    return refund;
  }

  /** Throws Refusal `not_found`. */
  find(reference: string): Charge {
    const charge = this.parts.books.charge(this.parts.processor, reference);
    if (!charge) throw new Refusal('not_found', 'There is no such payment.');
    return this.parts.payers.refresh(charge);
  }

  /** Throws Refusal `not_found`. */
  findRefund(reference: string): Refund {
    const refund = this.parts.books.refund(this.parts.processor, reference);
    if (!refund) throw new Refusal('not_found', 'There is no such refund.');
    return refund;
  }

  /** Takes up after a restart what was to happen later. */
  resume(): void {
    const { books, processor } = this.parts;
    for (const refund of books.all('refund'))
      if (refund.processor === processor && refund.status === 'pending') this.declineLater(refund);
  }

  /** Charged, and the answer never leaves; a late callback tells. */
  private keepSilent(charge: Charge): void {
    charge.silent = true;
    const event = charge.status === 'captured' ? 'captured' : 'authorized';
    this.parts.callbacks.enqueue(noticeOf(event, charge), this.parts.times.lateOutcomeMs);
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
        callbacks.enqueue(refundNoticeOf('refund_declined', refund));
      }),
    );
  }
}

function decisionOn(order: Order): Decision | { kind: 'proceed' } {
  const { card } = order;
  if (!card) return decideByAmount(order.amountMinor);
  checkExemption(order);
  if (!isCardNumber(card.number)) throw new Refusal('invalid_card', 'The card number is not valid.');
  return decide(behaviourOf(card.number), {
    // The wallet has authenticated its owner already.
    authenticate: order.kind === 'card' && order.threeDS !== 'none' && !order.merchantInitiated,
    required: order.threeDS === 'required',
    expired: isExpired(card.expiryMonth, card.expiryYear, new Date()),
  });
}

/** The most that one payment may be for its low value, in cents (Delegated Regulation (EU) 2018/389, article 16). */
const LOW_VALUE_CENTS = 3_000n;

/** Throws Refusal for an exemption that the order does not fit. */
function checkExemption({ exemption, threeDS, merchantInitiated, currency, amountMinor }: Order): void {
  if (!exemption) return;
  const fits =
    exemption === 'low_value'
      ? !merchantInitiated && currency === 'EUR' && amountMinor <= LOW_VALUE_CENTS
      : merchantInitiated;
  if (!fits || threeDS !== 'none') throw new Refusal('invalid_request', 'The exemption does not fit the payment.');
}

function isSoftDeclined({ status, reason }: Charge): boolean {
  return status === 'declined' && reason === 'authentication_required';
}

function newCharge(processor: ProcessorId, order: Order): Charge {
  return {
    id: makeId(`p${processor}`),
    processor,
    reference: order.reference,
    idempotencyKey: order.idempotencyKey,
    amountMinor: order.amountMinor,
    currency: order.currency,
    capture: order.capture,
    kind: order.kind,
    exemption: order.exemption,
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
}

function cardKept(number: string): NonNullable<Charge['card']> {
  return { brand: brandOf(number), last4: number.slice(-4), behaviour: behaviourOf(number) };
}

/** A collection can be taken back until it goes to the payer's bank, which is its last step but one. */
function isBeforeSubmission({ kind, status, steps }: Charge): boolean {
  return kind === 'direct_debit' && status === 'processing' && steps !== undefined && steps.done < steps.of - 1;
}
