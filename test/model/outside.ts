import { untouched } from '../../src/sandbox/simulator/charges';
import type { NoticeEvent } from '../../src/sandbox/simulator/notice';
import { refundNoticeOf } from '../../src/sandbox/simulator/notice';
import type { Charge, PageOutcome } from '../../src/sandbox/simulator/records';
import { type Letter, MODELLED, type Modelled, type Processors } from './processors';

/** What processors say of a charge whatever led to it; of transfers they announce each one instead. */
const TOLD: Partial<Record<Charge['status'], NoticeEvent>> = {
  authorized: 'authorized',
  captured: 'captured',
  declined: 'failed',
};

/** What payers, their banks and processors do of their own accord. It is true in the processors' books, and announced. */
export class Outside {
  private readonly told = new Set<string>();

  constructor(
    private readonly processors: Processors,
    private readonly letters: Letter[],
  ) {}

  /** What processors have charged for a payment. */
  charges(paymentId: string): Charge[] {
    return MODELLED.flatMap((processor) => [...this.processors.desks[processor].books.charges(processor, paymentId)]);
  }

  async payerActs(charge: Charge, outcome: PageOutcome): Promise<void> {
    // Nobody sends a transfer of nothing.
    if ((charge.receivedMinor ?? 0n) >= charge.amountMinor) return;
    await this.deskOf(charge).payers.answer(charge, outcome).told;
  }

  /** The processor tells how a charge stands. */
  tell(charge: Charge): void {
    const event = TOLD[charge.status];
    if (event && charge.kind !== 'bank_transfer') void this.deskOf(charge).charges.tell(event, charge);
  }

  /** The same, unless it has told so before. */
  tellOnce(charge: Charge): void {
    const news = `${charge.id} ${charge.status}`;
    if (!this.told.has(news)) this.tell(charge);
    this.told.add(news);
  }

  /** The processor takes what it held without being asked to. */
  takeHeld(charge: Charge): void {
    if (charge.status !== 'authorized') return;
    const { books, charges } = this.deskOf(charge);
    books.atomically(() => {
      charges.book(charge, charge.amountMinor);
      books.save('charge', charge);
    });
    this.tell(charge);
  }

  /** The payer's bank takes back what is left of a charge. Nobody can do so with a transfer. */
  chargeBack(charge: Charge): void {
    const notice = charge.kind === 'bank_transfer' ? undefined : this.deskOf(charge).charges.chargeBack(charge);
    if (notice) this.letters.push({ notice, dueAt: Date.now() });
  }

  /** The payer's bank decides the latest dispute of a charge. */
  decide(charge: Charge, event: 'second_presentment' | 'chargeback_won' | 'chargeback_lost'): void {
    const notice = this.deskOf(charge).disputes.step(charge, event);
    if (notice) this.letters.push({ notice, dueAt: Date.now() });
  }

  /** A refund ends otherwise than the processor had said. */
  turnRefund(refundId: string): void {
    for (const processor of MODELLED) {
      const { books, charges } = this.processors.desks[processor];
      const refund = books.refund(processor, refundId);
      const charge = refund && books.get('charge', refund.chargeId);
      if (!refund || !charge || refund.status === 'pending') continue;
      const status = refund.status === 'refunded' ? 'declined' : 'refunded';
      if (status === 'refunded' && untouched(charge) < refund.amountMinor) continue;
      charges.changeRefund(refund, status);
      const event = status === 'refunded' ? 'refunded' : 'refund_declined';
      this.letters.push({ notice: refundNoticeOf(event, refund), dueAt: Date.now() });
    }
  }

  private deskOf({ processor }: Charge) {
    return this.processors.desks[processor as Modelled];
  }
}
