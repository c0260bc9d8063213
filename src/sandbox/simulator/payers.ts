import type { ProcessorId } from '../../domain/connector';
import type { Books } from './books';
import type { CallbackSender } from './callbacks';
import { readChallengeResponse, writeChallengeResponse } from './challenge-response';
import type { Charges } from './charges';
import { type Notice, noticeOf } from './notice';
import {
  type Challenge,
  type Charge,
  makeId,
  newTransfer,
  type PageOutcome,
  payerIsLate,
  type Transfer,
} from './records';
import { Refusal } from './refusal';

export interface PayerTimes {
  /** How long a payer may take. */
  challengeTtlMs: number;
  /** No payer gets longer, whatever the order says. */
  longestPayerTtlMs?: number;
}

interface PayersParts {
  processor: ProcessorId;
  secret: string;
  books: Books;
  callbacks: CallbackSender;
  charges: Charges;
  times: PayerTimes;
  /** Whether it charges as soon as the payer has authenticated. */
  authenticatesItself?: boolean;
}

/** What payers of one simulated processor are asked, and what follows from their answers. Every method is one step. */
export class Payers {
  constructor(private readonly parts: PayersParts) {}

  /** Opens a page for the payer. Saves nothing. */
  ask(charge: Charge, status: 'challenge' | 'waiting', ttlMs = this.parts.times.challengeTtlMs): void {
    charge.status = status;
    const takesMs = Math.min(ttlMs, this.parts.times.longestPayerTtlMs ?? ttlMs);
    charge.challenge = { id: makeId('acs'), expiresAt: new Date(Date.now() + takesMs).toISOString() };
  }

  /** Ends a challenge that nobody answered in time. Answers the same charge. */
  refresh(charge: Charge): Charge {
    const waits = charge.status === 'challenge' || charge.status === 'waiting';
    if (!waits || !payerIsLate(charge)) return charge;
    charge.status = charge.status === 'challenge' ? 'authentication_failed' : 'cancelled';
    this.parts.books.save('charge', charge);
    return charge;
  }

  /** Whether somebody may still do something on the charge's page. */
  awaits(charge: Charge): boolean {
    const { status, challenge } = this.refresh(charge);
    if (status === 'challenge') return challenge?.outcome === undefined;
    return challenge !== undefined && (status === 'waiting' || takesLateMoney(charge));
  }

  /**
   * The payer's answer on the page. The first one counts. `told` resolves when the other side was tried once.
   * A charge that no longer waits for its payer is returned as it is, unless money may still be sent for it.
   */
  answer(charge: Charge, outcome: PageOutcome): { told: Promise<void> } {
    const { challenge } = charge;
    this.refresh(charge);
    if (challenge && this.takes(charge))
      return this.parts.books.atomically(() => ({ told: this.pay(charge, outcome) }));
    if (!challenge || challenge.outcome || charge.status !== 'challenge') return { told: Promise.resolve() };
    return this.parts.books.atomically(() => {
      challenge.outcome = outcome;
      // Without authentication the issuer never approves, whatever the merchant's side does next.
      if (outcome !== 'authenticated') charge.status = 'authentication_failed';
      this.parts.books.save('charge', charge);
      return { told: this.parts.authenticatesItself ? this.proceed(charge) : this.tellChallenge(charge, challenge) };
    });
  }

  /** Goes on with a payment whose payer was challenged. One that is over is returned as it is. Throws Refusal. */
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

  /** Makes an event about a payment that was never paid come true: its payer paid, or gave up, elsewhere. */
  settleElsewhere(charge: Charge, event: 'captured' | 'authorized' | 'failed'): void {
    if (charge.card || (charge.status !== 'waiting' && charge.status !== 'processing' && charge.status !== 'cancelled'))
      return;
    this.parts.books.atomically(() => {
      if (event === 'failed') this.parts.charges.decline(charge, 'payer_refused');
      else this.parts.charges.approve(charge);
      this.parts.books.save('charge', charge);
    });
  }

  private tellChallenge(charge: Charge, challenge: Challenge): Promise<void> {
    const notice = noticeOf('challenge_answered', charge);
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
    const { charges, books } = this.parts;
    if (charge.status === 'authentication_failed') return charges.tell('authentication_failed', charge);
    this.afterAuthentication(charge);
    books.save('charge', charge);
    return charges.tellOutcome(charge);
  }

  private afterAuthentication(charge: Charge): void {
    if (charge.card?.behaviour === 'challenge_then_decline') this.parts.charges.decline(charge, 'do_not_honour');
    else this.parts.charges.approve(charge);
  }

  /** The payer pays on a page: all of it, too little, too much, or not at all. */
  private pay(charge: Charge, outcome: PageOutcome): Promise<void> {
    const { books, charges } = this.parts;
    if (outcome === 'failed') {
      if (charge.status !== 'waiting') return Promise.resolve();
      charges.decline(charge, 'payer_refused');
      books.save('charge', charge);
      return charges.tellOutcome(charge);
    }
    const missing = charge.amountMinor - (charge.receivedMinor ?? 0n);
    return this.receive(charge, { amountMinor: sentBy(outcome, missing) }, outcome);
  }

  /** Whether the processor counts money that comes on the charge's account towards it. */
  takes(charge: Charge): boolean {
    return this.refresh(charge).status === 'waiting' || takesLateMoney(charge);
  }

  /** Counts money towards a charge that takes it, and tells of it. Runs within a step of the books. */
  receive(charge: Charge, sent: Sent, outcome: PageOutcome = 'authenticated'): Promise<void> {
    const { books, charges, callbacks } = this.parts;
    charge.late ||= charge.status === 'cancelled';
    charge.receivedMinor = (charge.receivedMinor ?? 0n) + sent.amountMinor;
    const received = this.noticeOfReceived(charge, sent);
    if (charge.late && charge.status === 'captured') {
      charges.bookMore(charge, sent.amountMinor);
      books.save('charge', charge);
      return callbacks.enqueue(received);
    }
    // Nobody waits for the rest of a payment that has ended: what came is there, and waits to be given back.
    if (charge.receivedMinor < charge.amountMinor && !charge.late) {
      books.save('charge', charge);
      return callbacks.enqueue(received);
    }
    if (charge.challenge) charge.challenge.outcome = outcome;
    if (charges.hasSteps(charge)) {
      charges.process(charge);
      books.save('charge', charge);
      return charges.tellProcessing(charge);
    }
    charges.approve(charge);
    books.save('charge', charge);
    return charge.kind === 'bank_transfer' ? callbacks.enqueue(received) : charges.tellOutcome(charge);
  }

  /** A bank transfer has an id of its own, by which it can be asked about. */
  private noticeOfReceived(charge: Charge, { amountMinor, transfer }: Sent): Notice {
    const notice = { ...noticeOf('received', charge), amountMinor };
    const { iban, referencia: text = '' } = charge.details ?? {};
    if (!iban) return notice;
    const { processor, currency, reference: paymentReference } = charge;
    const made = transfer ?? newTransfer({ processor, iban, amountMinor, currency, text });
    const counted: Transfer = { ...made, status: 'assigned', paymentReference };
    this.parts.books.save('transfer', counted);
    const details = { ...charge.details, referencia: counted.text };
    return { ...notice, details, transferId: counted.id, payerName: counted.payerName };
  }
}

/** Money that a payer sent. */
interface Sent {
  amountMinor: bigint;
  /** Absent: it came by the payer's page. */
  transfer?: Transfer;
}

/** Half of what is missing, a tenth too much, or all of it; in minor units, rounded up. */
function sentBy(outcome: PageOutcome, missingMinor: bigint): bigint {
  if (outcome === 'underpaid') return (missingMinor + 1n) / 2n;
  return outcome === 'overpaid' ? missingMinor + (missingMinor + 9n) / 10n : missingMinor;
}

/** A bank or a chain cannot keep money from arriving for a payment that is no longer wanted. */
function takesLateMoney(charge: Charge): boolean {
  const hasEnded = charge.status === 'cancelled' || (charge.late === true && charge.status === 'captured');
  return hasEnded && (charge.kind === 'bank_transfer' || charge.kind === 'crypto');
}
