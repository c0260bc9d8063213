import type { PaymentView } from '../../../domain/flows';

/**
 * How long what was offered may be begun. The engine gives a task that is not done in 10 s to another process, which may have
 * sent the payment since.
 */
const BEGIN_WITHIN_MS = 5_000;
/** How long the view of a step is kept for a flow that comes to it late. One that comes later reads Postgres. */
const KEPT_MS = 10_000;

interface Offer {
  step(): Promise<PaymentView>;
  /** Once somebody has begun it. */
  begun?: Promise<PaymentView>;
  offeredAt: number;
  timer: NodeJS.Timeout;
}

/**
 * The first steps of payments that this process has accepted and marked as sent, until the flows of these payments come to
 * them here (eager start). Each is begun once: by its flow, or before that by its request, and then the flow joins in. A flow
 * that begins in another process takes the step itself, and asks the processor first.
 */
export class FirstSteps {
  private readonly offers = new Map<string, Offer>();

  /**
   * Offers the step of a payment. Call it before the engine is told of the payment. Answers what takes the offer back, which
   * answers false when somebody has begun the step.
   */
  offer(paymentId: string, step: () => Promise<PaymentView>): () => boolean {
    const timer = setTimeout(() => this.offers.delete(paymentId), KEPT_MS).unref();
    const offer: Offer = { step, offeredAt: performance.now(), timer };
    this.offers.set(paymentId, offer);
    return () => {
      if (offer.begun) return false;
      this.remove(paymentId);
      return true;
    };
  }

  /** Begins an offered step, for its flow to join. Resolves when it is done or has failed: what it failed with is for the flow. */
  async begin(paymentId: string): Promise<void> {
    await this.begun(paymentId)?.catch(() => undefined);
  }

  /** The step of a payment, once: a flow that tries again takes it itself. Undefined: there is none here, or it is too old. */
  join(paymentId: string): Promise<PaymentView> | undefined {
    const begun = this.begun(paymentId);
    this.remove(paymentId);
    return begun;
  }

  private begun(paymentId: string): Promise<PaymentView> | undefined {
    const offer = this.offers.get(paymentId);
    if (!offer || (!offer.begun && performance.now() - offer.offeredAt > BEGIN_WITHIN_MS)) return undefined;
    offer.begun ??= offer.step();
    return offer.begun;
  }

  private remove(paymentId: string): void {
    clearTimeout(this.offers.get(paymentId)?.timer);
    this.offers.delete(paymentId);
  }
}
