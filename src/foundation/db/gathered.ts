interface Waiting<Item, Answer> {
  item: Item;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/** SQLSTATE classes of what is wrong with one row: its data, or a constraint; and a deadlock, where rows met in another order. */
const OF_ONE_ROW = /^(22|23)...$|^40P01$/;

/**
 * Writes together what arrives together: items that come in one turn of the event loop, and those that come while a statement
 * is on its way, share the next one. Nobody waits for a timer, and each is answered only once its statement is committed.
 */
export class Gathered<Item, Answer> {
  private waiting: Waiting<Item, Answer>[] = [];
  private onTheirWay = 0;

  /**
   * `send` writes all items or none, and answers for each, in their order. `most`: items in one statement. `statements`: how
   * many are on their way at once, so that one which hangs does not hold up the rest.
   */
  constructor(
    private readonly send: (items: readonly Item[]) => Promise<Answer[]>,
    private readonly most: number,
    private readonly statements: number,
  ) {}

  /** Rejects as `send` does. What is wrong with one item fails that one alone. */
  add(item: Item): Promise<Answer> {
    return new Promise<Answer>((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (this.onTheirWay >= this.statements) return;
      this.onTheirWay += 1;
      setImmediate(() => void this.sendWaiting());
    });
  }

  private async sendWaiting(): Promise<void> {
    while (this.waiting.length > 0) await this.sendTogether(this.waiting.splice(0, this.most));
    this.onTheirWay -= 1;
  }

  private async sendTogether(batch: readonly Waiting<Item, Answer>[]): Promise<void> {
    try {
      const answers = await this.send(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(answers[index]!);
    } catch (error) {
      const isOfOneRow = OF_ONE_ROW.test(String((error as { code?: unknown }).code));
      if (batch.length > 1 && isOfOneRow) for (const one of batch) await this.sendTogether([one]);
      else for (const { reject } of batch) reject(error);
    }
  }
}
