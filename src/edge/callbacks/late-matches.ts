import type { Inbox, Stray } from './inbox';

/** The newest are looked at in each round: one that has overtaken the answer about its payment finds it soon. */
const NEWEST = 1_000;
/** Beside them, so many of all others, in turn. All of 100,000 take 50 s, and a round a few milliseconds of Postgres. */
const NEXT = 1_000;

/** Finds what callbacks are about that came before it. */
export class LateMatches {
  private last: Stray | undefined;

  constructor(private readonly inbox: Pick<Inbox, 'findMatches'>) {}

  /** What it has found, the next round of `Delivery` delivers. Safe to run in several processes; one is enough. */
  async round(): Promise<void> {
    this.last = await this.inbox.findMatches(NEWEST, NEXT, this.last);
  }
}
