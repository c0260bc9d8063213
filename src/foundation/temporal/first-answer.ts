import type { Knex } from 'knex';
import { Listener } from '../db/listener';

const CHANNEL = 'tillway_first_answer';

/**
 * Where an HTTP request waits for the first thing its flow has to tell. The step that tells it usually runs in this
 * very process and wakes the request directly; from any other process the word comes by Postgres NOTIFY, sent with
 * the transaction that made it true. Hearing nothing is harmless: the request reads the row when its time is up.
 */
export class FirstAnswers {
  private readonly waiting = new Map<string, Set<(news?: unknown) => void>>();
  private readonly listener = new Listener(CHANNEL, (subject) => this.tell(subject));
  private isOver = false;

  /**
   * Resolves when `subject` has been announced or after `timeoutMs`: with the news where they came from this process,
   * with undefined where there is a row to read. Call before the flow is started.
   */
  wait<T>(subject: string, timeoutMs: number): Promise<T | undefined> {
    if (this.isOver) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const done = (news?: unknown) => {
        clearTimeout(timer);
        const others = this.waiting.get(subject);
        others?.delete(done);
        if (others?.size === 0) this.waiting.delete(subject);
        resolve(news as T | undefined);
      };
      const timer = setTimeout(done, timeoutMs);
      const others = this.waiting.get(subject);
      if (others) others.add(done);
      else this.waiting.set(subject, new Set([done]));
    });
  }

  /** True when a request of this process waits for `subject`: then `tell` it, else let the database announce it. */
  isAwaited(subject: string): boolean {
    return this.waiting.has(subject);
  }

  /** Wakes the waiting requests of this process. `news` must have been committed. */
  tell(subject: string, news?: unknown): void {
    for (const done of [...(this.waiting.get(subject) ?? [])]) done(news);
  }

  /** Wakes whoever waits for `subject` once `trx` has committed, here or in another process. */
  async announce(trx: Knex.Transaction, subject: string): Promise<void> {
    if (this.isAwaited(subject))
      trx.executionPromise.then(
        () => this.tell(subject),
        () => undefined,
      );
    else await trx.raw('SELECT pg_notify(?, ?)', [CHANNEL, subject]);
  }

  /** The process is to end: in `ms` from now nobody waits any more, and every request reads how its row stands. */
  endIn(ms: number): void {
    setTimeout(() => {
      this.isOver = true;
      for (const subject of [...this.waiting.keys()]) this.tell(subject);
    }, ms).unref();
  }

  /** Starts hearing other processes; reconnects by itself when the database went away. */
  listen(directUrl: string): Promise<void> {
    return this.listener.start(directUrl);
  }

  async close(): Promise<void> {
    await this.listener.close();
  }
}
