import type { Accepted } from '../../src/money/payments/accept';
import { PaymentService } from '../../src/money/payments/service';
import type { ModelEngine } from './engine/engine';
import type { Work } from './engine/work';

type Deps = ConstructorParameters<typeof PaymentService>;

/** First steps are work of a process of the model: it does them in their turn, and may die on the way. */
export class ModelPayments extends PaymentService {
  constructor(
    deps: Deps[0],
    options: Deps[1],
    private readonly work: Work,
    private readonly engine: ModelEngine,
  ) {
    super(deps, options);
  }

  protected override goAhead(...step: Parameters<PaymentService['goAhead']>): Promise<void> {
    return this.inTurn(() => super.goAhead(...step));
  }

  protected override takeFirstStep(
    ...step: [Accepted, Parameters<PaymentService['create']>[0]['card']]
  ): Promise<void> {
    return this.inTurn(() => super.takeFirstStep(...step));
  }

  private inTurn(step: () => Promise<void>): Promise<void> {
    const { state } = this.engine;
    return new Promise((resolve) => {
      this.work.add(() => this.engine.during(state, step).then(resolve));
    });
  }
}
