/** What happens at a time of the model, in the order of the times; at one time, in the order in which it was entered. */
export class Agenda {
  private readonly entries: { at: number; act: () => void }[] = [];

  /** Enters `act` for a time in milliseconds since the epoch. Answers how it is called off. */
  enter(at: number, act: () => void): () => void {
    const entry = { at, act };
    const later = this.entries.findIndex((other) => other.at > at);
    this.entries.splice(later < 0 ? this.entries.length : later, 0, entry);
    return () => {
      const place = this.entries.indexOf(entry);
      if (place >= 0) this.entries.splice(place, 1);
    };
  }

  /** The time of the next entry, when it is not later than `until`. */
  next(until: number): number | undefined {
    const at = this.entries[0]?.at;
    return at !== undefined && at <= until ? at : undefined;
  }

  /** Does the next entry. */
  act(): void {
    this.entries.shift()?.act();
  }
}
