import type { Accepted } from '../../src/money/payments/accept';
import { PaymentService } from '../../src/money/payments/service';
import type { ModelEngine } from './engine/engine';
import type { Work } from './engine/work';
import type { ModelFirstSteps } from './first-steps';

type Deps = ConstructorParameters<typeof PaymentService>;
type WithSteps = Deps[0] & { firstSteps: ModelFirstSteps };

/** First steps are work of a process of the model: it does them in their turn, and may die on the way. */
export class ModelPayments extends PaymentService {
  private readonly firstSteps: ModelFirstSteps;

  constructor(
    deps: WithSteps,
    options: Deps[1],
    private readonly work: Work,
    private readonly engine: ModelEngine,
  ) {
    super(deps, options);
    this.firstSteps = deps.firstSteps;
  }

  /** Else it leaves the step to the flow, as while all cores have work. */
  protected override async goAhead(paymentId: string): Promise<void> {
    if (this.engine.state !== 'eager') return;
    this.firstSteps.leaveToRequest(paymentId);
    return this.inTurn(() => super.goAhead(paymentId));
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
