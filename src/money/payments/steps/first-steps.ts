import type { PaymentView } from '../../../domain/flows';

/** How long the view of a step is kept for a flow that comes to it late. One that comes later reads Postgres. */
const KEPT_MS = 10_000;

interface Kept {
  step: Promise<PaymentView>;
  timer: NodeJS.Timeout;
}

/**
 * The first steps that requests of this process take while the flows of their payments begin here (eager start). A flow that
 * comes to the step joins in. One that begins in another process after all takes the step itself, and finds what was done.
 */
export class FirstSteps {
  private readonly kept = new Map<string, Kept>();

  /** Takes the step, for a flow to join. Resolves when that is done or has failed: what it failed with is for the flow. */
  async take(paymentId: string, step: () => Promise<PaymentView>): Promise<void> {
    const taken = step();
    const timer = setTimeout(() => this.kept.delete(paymentId), KEPT_MS).unref();
    this.kept.set(paymentId, { step: taken, timer });
    await taken.catch(() => undefined);
  }

  /** The step of a payment, once: a flow that tries again takes it itself. Undefined: nobody takes it here. */
  join(paymentId: string): Promise<PaymentView> | undefined {
    const kept = this.kept.get(paymentId);
    if (!kept) return undefined;
    clearTimeout(kept.timer);
    this.kept.delete(paymentId);
    return kept.step;
  }
}
