import type { PaymentKind, ProcessorId } from '../../domain/connector';
import type { Books } from './books';
import type { CallbackSender } from './callbacks';
import type { DeclineReason } from './cards';
import { type Notice, type NoticeEvent, noticeOf } from './notice';
import { type Charge, type Line, makeId, type Refund } from './records';
import type { Timers } from './timers';

interface ChargesParts {
  processor: ProcessorId;
  books: Books;
  callbacks: CallbackSender;
  timers: Timers;
  /** From the capture to the chargeback of test card 4000000000000259, and to the return of a direct debit. */
  chargebackAfterMs: number;
  /** What the processor keeps of a capture, in minor units. */
  feeOf: (amountMinor: bigint) => bigint;
  stepsOf?: (kind: PaymentKind) => { steps: number; everyMs: number } | undefined;
}

/**
 * What may become of a charge of one simulated processor: approved, declined, captured, charged back, with the lines that
 * the settlement will hold. Changes a charge without saving it, unless it says otherwise: its callers do, in one step.
 */
export class Charges {
  constructor(private readonly parts: ChargesParts) {}

  approve(charge: Charge): void {
    charge.status = 'authorized';
    // A zero amount verifies the card: there is nothing to capture.
    const amountMinor = charge.late ? (charge.receivedMinor ?? 0n) : charge.amountMinor;
    if (charge.capture && amountMinor > 0n) this.book(charge, amountMinor);
  }

  decline(charge: Charge, reason: DeclineReason): void {
    charge.status = 'declined';
    charge.reason = reason;
  }

  book(charge: Charge, amountMinor: bigint): void {
    charge.status = 'captured';
    charge.capturedMinor = amountMinor;
    charge.capturedAt = new Date().toISOString();
    this.addLine('capture', charge, charge.reference, amountMinor, this.parts.feeOf(amountMinor));
    this.chargeBackLater(charge);
  }

  /** More money came for a payment that had ended. */
  bookMore(charge: Charge, amountMinor: bigint): void {
    charge.capturedMinor += amountMinor;
    this.addLine('capture', charge, charge.reference, amountMinor, this.parts.feeOf(amountMinor));
  }

  /** What the next settlement batch will hold. */
  addLine(kind: Line['kind'], charge: Charge, reference: string, amountMinor: bigint, feeMinor: bigint): void {
    const { processor, books } = this.parts;
    const { id: chargeId, currency, reference: paymentReference } = charge;
    const movement = { kind, reference, paymentReference, amountMinor, currency, feeMinor };
    books.save('line', { id: makeId('line'), processor, chargeId, ...movement });
  }

  /** Takes money back from the merchant, and saves it. Answers the notice, not sent yet; undefined: nothing is left. */
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
      return { ...noticeOf('charged_back', charge), amountMinor: amount, reason };
    });
  }

  /** A refund ends otherwise than it was said to: it is made after all, or comes back from the payer's bank. */
  changeRefund(refund: Refund, status: 'refunded' | 'declined'): void {
    const { books } = this.parts;
    const charge = books.get('charge', refund.chargeId);
    if (!charge || refund.status === 'pending' || refund.status === status) return;
    const isMade = status === 'refunded';
    books.atomically(() => {
      refund.status = status;
      charge.refundedMinor += isMade ? refund.amountMinor : -refund.amountMinor;
      if (isMade) this.addLine('refund', charge, refund.reference, refund.amountMinor, 0n);
      else books.removeUnsettledLine('refund', charge.processor, refund.reference);
      books.save('refund', refund);
      books.save('charge', charge);
    });
  }

  /** Whether there are steps between the payer's part and the money. */
  hasSteps(charge: Charge): boolean {
    return this.planOf(charge) !== undefined;
  }

  /** Starts those steps. */
  process(charge: Charge): void {
    charge.status = 'processing';
    charge.steps = { done: 0, of: this.planOf(charge)?.steps ?? 1 };
    this.stepLater(charge);
  }

  tell(event: NoticeEvent, charge: Charge, details: Partial<Notice> = {}): Promise<void> {
    return this.parts.callbacks.enqueue({ ...noticeOf(event, charge), ...details });
  }

  tellProcessing(charge: Charge): Promise<void> {
    return this.tell('processing', charge, { reason: stepsOf(charge) });
  }

  /** Tells that the money is there, or will not come: of late money, that it came. */
  tellOutcome(charge: Charge): Promise<void> {
    if (charge.late) return this.tell('received', charge);
    if (charge.status === 'declined') return this.tell('failed', charge, { reason: charge.reason });
    return this.tell(charge.status === 'captured' ? 'captured' : 'authorized', charge);
  }

  /** Takes up after a restart what was to happen later. */
  resume(): void {
    const { books, processor } = this.parts;
    for (const charge of books.all('charge')) {
      if (charge.processor !== processor) continue;
      if (charge.capturedMinor > 0n) this.chargeBackLater(charge);
      if (charge.status === 'processing') this.stepLater(charge);
    }
  }

  private planOf(charge: Charge) {
    return this.parts.stepsOf?.(charge.kind ?? 'card');
  }

  private stepLater(charge: Charge): void {
    const { books, timers } = this.parts;
    timers.after(this.planOf(charge)?.everyMs ?? 0, () =>
      books.atomically(() => {
        if (charge.status !== 'processing' || !charge.steps) return;
        charge.steps.done += 1;
        const isLast = charge.steps.done >= charge.steps.of;
        if (isLast) this.takeLastStep(charge);
        else this.stepLater(charge);
        books.save('charge', charge);
        if (isLast) this.tellOutcome(charge);
        else this.tellProcessing(charge);
      }),
    );
  }

  private takeLastStep(charge: Charge): void {
    if (charge.collection && charge.collection !== 'returned') this.decline(charge, charge.collection);
    else this.approve(charge);
  }

  private chargeBackLater(charge: Charge): void {
    const comes = charge.card?.behaviour === 'charge_back' || charge.collection === 'returned';
    if (!comes || charge.caseId || !charge.capturedAt) return;
    const dueMs = Date.parse(charge.capturedAt) + this.parts.chargebackAfterMs - Date.now();
    this.parts.timers.after(dueMs, () =>
      this.parts.books.atomically(() => {
        if (charge.caseId) return;
        const notice = this.chargeBack(charge);
        if (notice) this.parts.callbacks.enqueue(notice);
      }),
    );
  }
}

/** What is neither refunded nor disputed. */
export function untouched(charge: Charge): bigint {
  const { capturedMinor, refundedMinor, refundingMinor, chargedBackMinor, contestedMinor = 0n } = charge;
  return capturedMinor - refundedMinor - refundingMinor - chargedBackMinor - contestedMinor;
}

/** Such as `1 of 2`. */
function stepsOf({ steps }: Charge): string {
  return `${steps?.done ?? 0} of ${steps?.of ?? 1}`;
}
