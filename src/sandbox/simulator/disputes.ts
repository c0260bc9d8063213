import type { ProcessorId } from '../../domain/connector';
import type { Books } from './books';
import type { CallbackSender } from './callbacks';
import type { Charges } from './charges';
import { type Notice, noticeOf } from './notice';
import type { Charge, Dispute } from './records';
import { Refusal } from './refusal';
import type { Timers } from './timers';

export type DisputeEvent = 'second_presentment' | 'chargeback_won' | 'chargeback_lost';

interface DisputesParts {
  processor: ProcessorId;
  charges: Charges;
  books: Books;
  callbacks: CallbackSender;
  timers: Timers;
  /** How long the payer's bank thinks about evidence, and about a second presentment. */
  decisionAfterMs: number;
}

/** The payer's bank is convinced by this. */
const CONVINCING = /delivered/i;

/**
 * What a simulated processor does with chargebacks once they are made. Some time after evidence the payer's bank decides by
 * itself: for the merchant when a text says "delivered", against it otherwise; a second presentment is accepted first,
 * then decided in the same way. A person may decide earlier. Every method is one step; throws Refusal.
 */
export class Disputes {
  constructor(private readonly parts: DisputesParts) {}

  /** Throws Refusal `not_found`. */
  find(caseId: string): Dispute {
    const dispute = this.parts.books.get('dispute', caseId);
    if (dispute?.processor !== this.parts.processor) throw new Refusal('not_found', 'There is no such dispute.');
    return dispute;
  }

  submitEvidence(caseId: string, evidence: Dispute['evidence'][number]): Dispute {
    const dispute = this.undecided(caseId);
    if (!dispute.evidence.some(({ reference }) => reference === evidence.reference)) dispute.evidence.push(evidence);
    if (dispute.stage === 'open') dispute.stage = 'evidence_submitted';
    return dispute.dueAt ? this.keep(dispute) : this.decideLater(dispute);
  }

  present(caseId: string): Dispute {
    const dispute = this.undecided(caseId);
    if (dispute.evidence.length === 0) throw new Refusal('invalid_state', 'A second presentment needs evidence.');
    if (dispute.stage === 'evidence_submitted') dispute.stage = 'presented';
    return this.decideLater(dispute);
  }

  accept(caseId: string): Dispute {
    const dispute = this.find(caseId);
    if (dispute.stage === 'won') throw new Refusal('invalid_state', 'The dispute is won.');
    if (dispute.stage !== 'lost') this.move(dispute, 'chargeback_lost');
    return dispute;
  }

  /** The next step of a charge's latest dispute, as a person orders it. Answers the notice of it, not sent yet. */
  step(charge: Charge, event: DisputeEvent): Notice | undefined {
    const dispute = charge.caseId ? this.parts.books.get('dispute', charge.caseId) : undefined;
    if (!dispute) return undefined;
    if (dispute.stage !== 'won' && dispute.stage !== 'lost') this.move(dispute, event);
    return this.notice(dispute, event);
  }

  /** Takes up after a restart what was to happen later. */
  resume(): void {
    for (const dispute of this.parts.books.all('dispute'))
      if (dispute.processor === this.parts.processor && dispute.dueAt) this.schedule(dispute, dispute.dueAt);
  }

  private undecided(caseId: string): Dispute {
    const dispute = this.find(caseId);
    if (dispute.stage === 'won' || dispute.stage === 'lost')
      throw new Refusal('invalid_state', `The dispute is ${dispute.stage}.`);
    return dispute;
  }

  private keep(dispute: Dispute): Dispute {
    this.parts.books.save('dispute', dispute);
    return dispute;
  }

  private decideLater(dispute: Dispute): Dispute {
    dispute.dueAt = new Date(Date.now() + this.parts.decisionAfterMs).toISOString();
    this.schedule(dispute, dispute.dueAt);
    return this.keep(dispute);
  }

  private schedule(dispute: Dispute, dueAt: string): void {
    this.parts.timers.after(Date.parse(dueAt) - Date.now(), () => {
      // Something else happened meanwhile, and has a time of its own.
      if (dispute.dueAt !== dueAt) return;
      this.parts.books.atomically(() => {
        const convinced = dispute.evidence.some(({ text }) => CONVINCING.test(text));
        const event =
          dispute.stage === 'presented' ? 'second_presentment' : convinced ? 'chargeback_won' : 'chargeback_lost';
        this.move(dispute, event);
        this.parts.callbacks.enqueue(this.notice(dispute, event));
        if (event === 'second_presentment') this.decideLater(dispute);
      });
    });
  }

  /** The money goes to whom the event says, once. */
  private move(dispute: Dispute, event: DisputeEvent): void {
    const { books, charges } = this.parts;
    const charge = books.get('charge', dispute.chargeId);
    if (!charge) return;
    const { amountMinor } = dispute;
    books.atomically(() => {
      const contested = charge.contestedMinor ?? 0n;
      if (event !== 'chargeback_lost' && !dispute.isBack) {
        charges.addLine('chargeback_reversal', charge, charge.reference, amountMinor, 0n);
        charge.chargedBackMinor -= amountMinor;
        if (event === 'second_presentment') charge.contestedMinor = contested + amountMinor;
      } else if (event === 'chargeback_won') {
        charge.contestedMinor = contested - amountMinor;
      } else if (event === 'chargeback_lost' && dispute.isBack) {
        charges.addLine('chargeback', charge, charge.reference, amountMinor, 0n);
        charge.chargedBackMinor += amountMinor;
        charge.contestedMinor = contested - amountMinor;
      }
      dispute.isBack = event === 'second_presentment';
      dispute.stage = STAGE[event];
      dispute.dueAt = undefined;
      books.save('dispute', dispute);
      books.save('charge', charge);
    });
  }

  private notice(dispute: Dispute, event: DisputeEvent): Notice {
    const charge = this.parts.books.get('charge', dispute.chargeId) as Charge;
    return { ...noticeOf(event, charge), caseId: dispute.id, amountMinor: dispute.amountMinor };
  }
}

const STAGE = { second_presentment: 'second_presentment', chargeback_won: 'won', chargeback_lost: 'lost' } as const;
