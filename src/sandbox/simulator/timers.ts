/** Things to do later, all of which are called off together. */
export class Timers {
  private readonly running = new Set<NodeJS.Timeout>();
  private stopped = false;

  after(delayMs: number, act: () => void): void {
    if (this.stopped) return;
    const timer = setTimeout(
      () => {
        this.running.delete(timer);
        act();
      },
      Math.max(0, delayMs),
    );
    this.running.add(timer);
  }

  stop(): void {
    this.stopped = true;
    for (const timer of this.running) clearTimeout(timer);
    this.running.clear();
  }
}
