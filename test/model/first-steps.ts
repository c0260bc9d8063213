import type { PaymentView } from '../../src/domain/flows';
import { FirstSteps } from '../../src/money/payments/steps/first-steps';
import type { Work } from './engine/work';

/**
 * First steps that the process of the model offers, and that die with it. A flow finds the offer, unless the request begins
 * the step: then the flow begins in another process too, and takes the step itself.
 */
export class ModelFirstSteps extends FirstSteps {
  private readonly begunByRequests = new Set<string>();

  constructor(private readonly work: Work) {
    super();
  }

  override offer(paymentId: string, step: () => Promise<PaymentView>): () => boolean {
    return super.offer(this.here(paymentId), step);
  }

  override begin(paymentId: string): Promise<void> {
    return super.begin(this.here(paymentId));
  }

  override join(paymentId: string): Promise<PaymentView> | undefined {
    return this.begunByRequests.has(paymentId) ? undefined : super.join(this.here(paymentId));
  }

  /** The request is to begin the step. */
  leaveToRequest(paymentId: string): void {
    this.begunByRequests.add(paymentId);
  }

  private here(paymentId: string): string {
    return `${paymentId} in process ${this.work.process}`;
  }
}
