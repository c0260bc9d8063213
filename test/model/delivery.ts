import { Delivery } from '../../src/edge/callbacks/delivery';
import type { ModelEngine } from './engine/engine';
import type { Work } from './engine/work';

type Parts = ConstructorParameters<typeof Delivery>;

/** What payments without a flow hear is work of a process of the model: it does it in its turn, and may die on the way. */
export class ModelDelivery extends Delivery {
  constructor(
    private readonly work: Work,
    private readonly modelEngine: ModelEngine,
    ...parts: Parts
  ) {
    super(...parts);
  }

  /** Time stands still while work is done: two may hear the same callback here. */
  protected override whileHeard<T>(_row: unknown, hear: () => Promise<T>): Promise<T> {
    return hear();
  }

  protected override async hearAtOnce(...heard: Parameters<Delivery['hearAtOnce']>): Promise<void> {
    const { state } = this.modelEngine;
    // Where it fails the callback stays due.
    this.work.add(() => this.modelEngine.during(state, () => super.hearAtOnce(...heard)).catch(() => undefined));
  }
}
